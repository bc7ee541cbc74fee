"""How customers sign: with two lines, or with a long signature full of what is not asked for."""

from __future__ import annotations

from datetime import timedelta

from daemon.workloads.office.days import long_date
from daemon.workloads.office.emails.outline import EmailOutline
from daemon.workloads.office.emails.parties import Parties
from daemon.workloads.office.firms import draw_phone
from daemon.workloads.seeding import Draws
from schemas.office import Language

_ROLES: tuple[tuple[str, str], ...] = (
    ("vedoucí nákupu", "Purchasing Manager"),
    ("správa budov", "Facility Management"),
    ("provoz a logistika", "Operations and Logistics"),
    ("jednatelství", "Office of the Managing Director"),
)
_DEPARTMENTS: tuple[tuple[str, str], ...] = (
    ("Oddělení nákupu", "Purchasing Department"),
    ("Sekretariát", "Front Office"),
    ("Provozní oddělení", "Operations"),
)
_LEGAL = (
    "Tato zpráva může obsahovat důvěrné informace. Pokud vám není určena, smažte ji prosím a dejte nám vědět.",
    "This message may contain confidential information. If it is not meant for you, please delete it and tell us.",
)
_GREEN = ("Než tuto zprávu vytisknete, zamyslete se, zda je to nutné.", "Please think before you print this e-mail.")


def short_signature(wording: Draws, language: Language, parties: Parties) -> list[str]:
    """Sign in a few lines: name, firm if there is one, and often a phone."""
    customer = parties.customer
    lines = [customer.name]
    if customer.person is None:
        lines = [_said(wording.pick(_DEPARTMENTS), language), customer.name]
    elif customer.firm is not None:
        lines.append(customer.firm.name)
    if wording.chance(0.5):
        lines.append(f"{_said(('tel.', 'phone'), language)} {customer.phone}")
    return lines


def long_signature(
    wording: Draws, values: Draws, language: Language, parties: Parties, outline: EmailOutline
) -> list[str]:
    """Sign at length: roles, numbers, addresses, a group of firms, a fair with its date, a legal notice."""
    customer, firm, other = parties.customer, parties.customer.firm, parties.other
    lines = ["--"]
    if customer.person is None:
        lines.append(_said(wording.pick(_DEPARTMENTS), language))
    else:
        title = wording.pick((("", ""), ("Ing. ", ""), ("Mgr. ", "")))
        lines.append(f"{_said(title, language)}{customer.name}")
        if firm is not None:
            lines.append(_said(wording.pick(_ROLES), language))
    lines.append("")
    if firm is not None:
        lines += [firm.name, firm.address.line, f"{_said(('IČO', 'EIN'), language)}: {firm.company_id}"]
        lines.append(f"{_said(('Ústředna', 'Main'), language)}: {firm.phone}")
    lines.append(f"{_said(('Mobil', 'Cell'), language)}: {customer.phone}")
    lines.append(f"{_said(('Fax', 'Fax'), language)}: {draw_phone(values, language)}")
    lines += [f"E-mail: {customer.email}"] + ([firm.web] if firm is not None else [])
    group = (
        (f"Jsme obchodním partnerem společnosti {other.name}", f"Authorized partner of {other.name}"),
        (
            f"Naše účetnictví vede {other.name}, tel. {other.phone}",
            f"Our books are kept by {other.name}, {other.phone}",
        ),
        (
            f"Přepravu pro nás zajišťuje {other.name}, {other.web}",
            f"Our freight is handled by {other.name}, {other.web}",
        ),
    )
    lines += ["", _said(wording.pick(group), language)]
    fair = long_date(outline.sent + timedelta(days=wording.between(45, 120)), language)
    fairs = (
        (f"Přijďte se podívat na náš den otevřených dveří {fair}.", f"Join us for our open house on {fair}."),
        (
            f"Potkáme se na veletrhu v Brně, zahájení {fair}.",
            f"Meet us at the trade show in Chicago, opening {fair}.",
        ),
    )
    if wording.chance(0.7):
        lines.append(_said(wording.pick(fairs), language))
    lines += ["", _said(wording.pick((_LEGAL, _GREEN, _LEGAL)), language)]
    return lines


def _said(pair: tuple[str, str], language: Language) -> str:
    return pair[0] if language == "cs" else pair[1]
