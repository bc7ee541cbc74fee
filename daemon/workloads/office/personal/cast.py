"""Who and what occurs in a text: persons with all their data, firms, numbers and dates, none mistaken for another.

More is drawn than a text mentions; only what is mentioned becomes truth.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import msgspec

from daemon.workloads.office.document_numbers import NumberKind, draw_number, forms
from daemon.workloads.office.firms import Firm, domain_of, draw_firm, draw_phone, personal_email
from daemon.workloads.office.identifiers import american, czech
from daemon.workloads.office.identifiers.czech import Gender, draw_birth_date
from daemon.workloads.office.people import Person, draw_person
from daemon.workloads.office.places import draw_address
from daemon.workloads.seeding import Draws
from schemas.office import Language, PersonalKind

ADULTS = ("p1", "p2", "p3", "p4", "n1")
CHILDREN = ("c1",)
_STRANGERS = ("n1",)
FIRMS = ("f1", "f2", "f3")

_DAYS: dict[PersonalKind, dict[str, tuple[int, int]]] = {
    "personnel-file": {"date2": (-40, -4), "date3": (-80, -45), "date4": (-3, -1)},
    "support-ticket": {"date2": (-120, -10), "date3": (1, 4), "date4": (10, 30)},
    "minutes": {"date2": (14, 60), "date3": (10, 60), "date4": (-30, -5)},
    "email": {"date2": (-40, -5), "date3": (12, 60), "date4": (3, 9)},
}
"""Days of a text from its own day, date1, on: a purchase lies before a ticket, an answer behind it."""

_GROWN_UP = (date(1958, 1, 1), date(2004, 12, 31))
_CHILD = (date(2009, 1, 1), date(2022, 12, 31))
_MAILBOXES = {"cs": ("posta", "mujmail", "schranka"), "en": ("mailbox", "postbox", "homemail")}
_LEGAL_FORMS = {"cs": (" s.r.o.", ", s.r.o.", ", a.s."), "en": (" LLC", ", Inc.", " Corp.")}


class Human(msgspec.Struct, frozen=True, kw_only=True):
    """A person and what is personal about them, each as it is printed."""

    person: Person
    born: date
    identification: str
    phone: str
    email: str
    address: str
    account: str


class Business(msgspec.Struct, frozen=True, kw_only=True):
    """A firm as a decoy. aliases: parts of its name that look like a person's."""

    firm: Firm
    phone: str
    account: str
    aliases: tuple[str, ...]


class Outline(msgspec.Struct, frozen=True):
    """What twins share: genders by key, days by key, forms of the numbers, whether f2 has a person's whole name.

    at_work: persons have addresses at f1's domain, where they do not write as private ones.
    """

    genders: dict[str, Gender]
    days: dict[str, date]
    at_work: bool
    order: int
    invoice: int
    ticket: int
    file: int
    whole_name: bool


class Cast(msgspec.Struct, frozen=True):
    """Everybody and everything, by the keys of the slots."""

    language: Language
    humans: dict[str, Human]
    businesses: dict[str, Business]
    numbers: dict[str, str]
    days: dict[str, date]


def draw_outline(draws: Draws, kind: PersonalKind) -> Outline:
    """Draw what twins share. The text's day is in 2024 to 2026, long after everybody's birth."""
    genders: tuple[Gender, ...] = ("female", "male")
    today = date(2024, 1, 8) + timedelta(days=draws.below(1_000))
    days = {"date1": today}
    for key, (first, last) in _DAYS[kind].items():
        days[key] = today + timedelta(days=draws.between(first, last))
    return Outline(
        {key: draws.pick(genders) for key in (*ADULTS, *CHILDREN)},
        days,
        kind in {"minutes", "email"},
        draws.below(forms("order")),
        draws.below(forms("invoice")),
        draws.below(forms("ticket")),
        draws.below(forms("file")),
        draws.chance(0.5),
    )


def draw_cast(draws: Draws, language: Language, outline: Outline) -> Cast:
    """Draw a cast of a language; no value occurs twice, and no two names share a given name or a family."""
    return _Drawing(draws, language, outline).cast()


class _Drawing:
    """Draws and remembers what is taken."""

    def __init__(self, draws: Draws, language: Language, outline: Outline) -> None:
        self._draws, self._language, self._outline = draws, language, outline
        self._taken: set[str] = set()

    def cast(self) -> Cast:
        businesses = {key: self._business(key) for key in FIRMS}
        domain = businesses["f1"].firm.domain
        humans = {key: self._human(key, domain) for key in (*ADULTS, *CHILDREN)}
        numbers = {
            "order": self._number("order", self._outline.order),
            "invoice": self._number("invoice", self._outline.invoice),
            "ticket": self._number("ticket", self._outline.ticket),
            "file": self._number("file", self._outline.file),
        }
        return Cast(self._language, humans, businesses, numbers, self._outline.days)

    def _number(self, kind: NumberKind, form: int) -> str:
        year = self._outline.days["date1"].year
        return self._new(lambda: draw_number(self._draws, kind, form, self._language, year=year))

    def _new(self, draw: Callable[[], str]) -> str:
        while (value := draw()) in self._taken:
            pass
        self._taken.add(value)
        return value

    def _person(self, gender: Gender) -> Person:
        while True:
            person = draw_person(self._draws, self._language, gender)
            marks = {person.given[:3], person.family[:3]}
            if not marks & self._taken:
                self._taken |= marks
                return person

    def _human(self, key: str, domain: str) -> Human:
        gender = self._outline.genders[key]
        person = self._person(gender)
        first, last = _CHILD if key in CHILDREN else _GROWN_UP
        while str(born := draw_birth_date(self._draws, last, first)) in self._taken:
            pass
        self._taken.add(str(born))
        address = self._new(lambda: draw_address(self._draws, self._language).line.replace("Suite", "Apt"))
        home = f"{self._draws.pick(_MAILBOXES[self._language])}.example"
        return Human(
            person=person,
            born=born,
            identification=self._new(lambda: self._identification(born, gender)),
            phone=self._new(lambda: draw_phone(self._draws, self._language)),
            email=personal_email(person, domain if self._outline.at_work and key not in _STRANGERS else home),
            address=address,
            account=self._account(),
        )

    def _identification(self, born: date, gender: Gender) -> str:
        if self._language == "cs":
            return czech.draw_birth_number(self._draws, born, gender)
        return american.draw_ssn(self._draws)

    def _account(self) -> str:
        if self._language == "cs":
            return self._new(lambda: czech.draw_account(self._draws))
        return self._new(lambda: f"{american.draw_routing(self._draws)}/{american.draw_account(self._draws)}")

    def _business(self, key: str) -> Business:
        """Draw a firm; f2 is named after a person who is nobody in the text, by the whole name or the surname."""
        person = self._person("male")
        while True:
            firm = draw_firm(self._draws, self._language, kind="limited", naming="coined")
            if not {firm.short, firm.address.line} & self._taken:
                break
        self._taken |= {firm.short, firm.address.line}
        aliases: tuple[str, ...] = (firm.short,)
        if key == "f2" or (key == "f3" and self._draws.chance(0.4)):
            ending = self._draws.pick(_LEGAL_FORMS[self._language])
            several = " a synové" if self._language == "cs" else " & Sons"
            short = person.name if self._outline.whole_name and key == "f2" else f"{person.family}{several}"
            firm = msgspec.structs.replace(firm, name=f"{short}{ending}", short=short, domain=domain_of(short))
            aliases = (short, person.family)
        return Business(
            firm=firm,
            phone=self._new(lambda: draw_phone(self._draws, self._language)),
            account=self._account(),
            aliases=aliases,
        )
