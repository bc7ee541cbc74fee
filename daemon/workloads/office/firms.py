"""Firms: names, identifiers, addresses, and ways to reach them, none of which reaches anybody.

Every domain ends in ``.example``; phones lie in ranges that are assigned to nobody. A firm may be named after a
person: as a decoy in texts, and because many are.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

import msgspec

from daemon.workloads.office.identifiers import american, czech
from daemon.workloads.office.lists import american_names, czech_names
from daemon.workloads.office.lists.firm_names import AMERICAN_COINED, CZECH_COINED
from daemon.workloads.office.lists.places import COURTS
from daemon.workloads.office.lists.trades import TRADES, Trade
from daemon.workloads.office.people import Person, draw_person
from daemon.workloads.office.places import Address, draw_address
from daemon.workloads.seeding import Draws
from schemas.office import Language

FirmKind = Literal["limited", "joint-stock", "sole-trader"]
FirmNaming = Literal["surname", "trade", "coined"]

_KINDS: tuple[FirmKind, ...] = ("limited", "limited", "limited", "joint-stock")
_NAMINGS: tuple[FirmNaming, ...] = ("surname", "trade", "coined")

_TRANSCRIBED = str.maketrans({"&": " ", "'": "", ".": " ", ",": " ", "–": " "})
_ENDINGS = {"s", "r", "o", "a", "spol", "inc", "llc", "corp", "co"}


class Firm(msgspec.Struct, frozen=True, kw_only=True):
    """A firm.

    name: in full, with its legal form. short: without. company_id: IČO or EIN. register: where it is entered, as
    Czech documents say; empty in English. owner: of a sole trader, whose name is the firm's or a part of it.
    """

    language: Language
    kind: FirmKind
    trade: Trade
    name: str
    short: str
    company_id: str
    address: Address
    domain: str
    phone: str
    register: str = ""
    owner: Person | None = None

    @property
    def email(self) -> str:
        """General address, which belongs to no person."""
        return f"{'fakturace' if self.language == 'cs' else 'billing'}@{self.domain}"

    @property
    def info_email(self) -> str:
        """The other general address."""
        return f"info@{self.domain}"

    @property
    def web(self) -> str:
        """Where its pages would be."""
        return f"www.{self.domain}"


def draw_firm(
    draws: Draws,
    language: Language,
    *,
    trade: Trade | None = None,
    kind: FirmKind | None = None,
    naming: FirmNaming | None = None,
) -> Firm:
    """Draw a firm; what is given stays as given, so that twins can share it."""
    chosen_trade = trade or draws.pick(TRADES)
    chosen_kind: FirmKind = draws.pick(_KINDS) if kind is None else kind
    chosen_naming: FirmNaming = draws.pick(_NAMINGS) if naming is None else naming
    owner = draw_person(draws, language) if chosen_kind == "sole-trader" else None
    if owner is not None:
        short = owner.name
        name = _sole_trader_name(draws, owner, chosen_trade)
    else:
        short = _short_name(draws, language, chosen_trade, chosen_naming)
        name = f"{short}{_legal_form(draws, language, chosen_kind)}"
    company_id = czech.draw_company_number(draws) if language == "cs" else american.draw_ein(draws)
    address = draw_address(draws, language)
    return Firm(
        language=language,
        kind=chosen_kind,
        trade=chosen_trade,
        name=name,
        short=short,
        company_id=company_id,
        address=address,
        domain=domain_of(short),
        phone=draw_phone(draws, language),
        register=_register(draws, chosen_kind, address.town) if language == "cs" else "",
        owner=owner,
    )


def draw_phone(draws: Draws, language: Language) -> str:
    """Draw a phone that reaches nobody."""
    return czech.draw_phone(draws) if language == "cs" else american.draw_phone(draws)


def personal_email(person: Person, domain: str) -> str:
    """Make a person's address at a domain: "jana.novakova@…"; without diacritics."""
    return f"{_ascii(person.given)}.{_ascii(person.family)}@{domain}".lower()


def domain_of(name: str) -> str:
    """Make a domain below ``.example`` of a firm's name; without diacritics and legal form."""
    words = [word for word in _ascii(name.translate(_TRANSCRIBED)).lower().split() if word not in _ENDINGS]
    kept = words[:3] if len(words[:3][-1]) > 1 else words[:2]  # "prazirna-kavy", not "prazirna-kavy-u"
    return f"{'-'.join(kept)}.example"


def _ascii(text: str) -> str:
    marked = unicodedata.normalize("NFD", text)
    return "".join(sign for sign in marked if sign.isascii() and (sign.isalnum() or sign in " -"))


def _short_name(draws: Draws, language: Language, trade: Trade, naming: FirmNaming) -> str:
    if language == "cs":
        family, other = draws.sample(czech_names.FAMILY, 2)
        if naming == "surname":
            return draws.pick((f"{family} a synové", f"{family} & {other}", f"{trade.czech} {family}"))
        coined = draws.pick(CZECH_COINED)
        return (
            f"{trade.czech} {coined}" if naming == "trade" else f"{coined} {draws.pick(('Trade', 'Servis', 'Group'))}"
        )
    family, other = draws.sample(american_names.FAMILY, 2)
    if naming == "surname":
        return draws.pick((f"{family} & Sons", f"{family} & {other}", f"{family} {trade.english}"))
    coined = draws.pick(AMERICAN_COINED)
    return (
        f"{coined} {trade.english}"
        if naming == "trade"
        else f"{coined} {draws.pick(('Trading', 'Services', 'Group'))}"
    )


def _legal_form(draws: Draws, language: Language, kind: FirmKind) -> str:
    if language == "cs":
        return ", a.s." if kind == "joint-stock" else draws.pick((" s.r.o.", ", s.r.o.", ", spol. s r.o."))
    return draws.pick((", Inc.", " Corp.")) if kind == "joint-stock" else draws.pick((" LLC", ", LLC", " Co."))


def _sole_trader_name(draws: Draws, owner: Person, trade: Trade) -> str:
    if owner.language == "cs":
        return draws.pick((owner.name, f"{owner.name} – {trade.czech.lower()}"))
    return draws.pick((owner.name, f"{owner.name} {trade.english}"))


def _register(draws: Draws, kind: FirmKind, town: str) -> str:
    if kind == "sole-trader":
        return "Fyzická osoba zapsaná v živnostenském rejstříku."
    court = next(court for court, towns in COURTS.items() if town in towns)
    section = "B" if kind == "joint-stock" else "C"
    number = draws.between(1200, 98000)
    return f"Zapsáno v obchodním rejstříku, spisová značka {section} {number} vedená u {court}."
