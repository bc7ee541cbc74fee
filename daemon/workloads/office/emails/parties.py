"""Who writes to whom: the customer, the firm that is written to, and its people."""

from __future__ import annotations

import msgspec

from daemon.workloads.office.emails.outline import EmailOutline
from daemon.workloads.office.firms import Firm, domain_of, draw_firm, draw_phone, personal_email
from daemon.workloads.office.people import Person, draw_person
from daemon.workloads.seeding import Draws
from schemas.office import Language

_MAILBOXES = {"cs": ("posta", "mujmail", "schranka"), "en": ("mailbox", "postbox", "homemail")}
_PURCHASING = {"cs": ("nakup", "objednavky"), "en": ("purchasing", "orders")}
_SHARED = {"cs": ("info", "zakaznici", "obchod"), "en": ("info", "customercare", "sales")}


class Customer(msgspec.Struct, frozen=True, kw_only=True):
    """Who wants something. person: empty where a firm signs. firm: empty for a person at home."""

    person: Person | None
    firm: Firm | None
    email: str
    phone: str

    @property
    def name(self) -> str:
        """What the truth calls the customer: the person who signs, else the firm."""
        if self.person is not None:
            return self.person.name
        if self.firm is None:
            raise ValueError("a customer is a person or a firm; this one is neither")
        return self.firm.name


class Parties(msgspec.Struct, frozen=True, kw_only=True):
    """Everybody in an e-mail. clerk answers customers; forwarder and colleague are at the same firm.

    other: a firm that only stands in a signature.
    """

    customer: Customer
    firm: Firm
    mailbox: str
    clerk: Person
    forwarder: Person
    colleague: Person
    other: Firm


def draw_parties(draws: Draws, language: Language, outline: EmailOutline) -> Parties:
    """Draw everybody; no two persons share a name, and no firm is named like another or like a person here."""
    taken: list[str] = []

    def person() -> Person:
        while True:
            drawn = draw_person(draws, language)
            stem = drawn.family[:4]
            if stem not in taken and drawn.given not in taken:
                taken.extend((stem, drawn.given))
                return drawn

    def firm(naming: str) -> Firm:
        while True:
            drawn = draw_firm(draws, language, naming="coined" if naming == "coined" else None)
            if not any(each in drawn.name for each in taken):
                taken.append(drawn.short)
                return drawn

    signer = person() if outline.signer != "company" else None
    employer = firm("any") if outline.signer != "private" else None
    if signer is None and employer is not None:
        email = f"{draws.pick(_PURCHASING[language])}@{employer.domain}"
    elif signer is not None:
        domain = employer.domain if employer else f"{draws.pick(_MAILBOXES[language])}.example"
        email = personal_email(signer, domain)
    else:
        raise ValueError(f"signer {outline.signer!r} leaves nobody to sign; it must be a person or a firm")
    addressed = firm("coined")
    return Parties(
        customer=Customer(person=signer, firm=employer, email=email, phone=draw_phone(draws, language)),
        firm=addressed,
        mailbox=f"{draws.pick(_SHARED[language])}@{domain_of(addressed.short)}",
        clerk=person(),
        forwarder=person(),
        colleague=person(),
        other=firm("any"),
    )
