"""Slots of a text to what stands in it, and what was mentioned to truth: every form of every entity, every decoy."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from daemon.workloads.office.days import long_date
from daemon.workloads.office.identifiers.czech import grouped_iban, iban_of
from daemon.workloads.office.people import Case, Person
from daemon.workloads.office.personal.cast import Business, Cast, Human
from schemas.office import PERSONAL_FIELDS, Entity, PersonalTruth

_SLOT = re.compile(r"\{(\w+)(?:\.([\w.]+)|\?([^|}]*)\|([^}]*))?\}")
_WITH = re.compile(r"\b([sS]) (?=[SZŠŽ])")
"""The Czech "with", which is "se" before a sibilant: "se Štěpánkou"."""
_CASES: dict[str, Case] = {
    "nom": "nominative",
    "gen": "genitive",
    "dat": "dative",
    "acc": "accusative",
    "ins": "instrumental",
}
_LADY: dict[Case, str] = dict.fromkeys(_CASES.values(), "paní")
_GENTLEMAN: dict[Case, str] = {
    "nominative": "pan",
    "genitive": "pana",
    "dative": "panu",
    "accusative": "pana",
    "instrumental": "panem",
}


class Mentions:
    """Fills slots and remembers each value by field and owner, in the order of first mention."""

    def __init__(self, cast: Cast) -> None:
        self._cast = cast
        self._forms: dict[str, dict[str, list[str]]] = {field: {} for field in PERSONAL_FIELDS}
        self._decoys: list[str] = []

    def filled(self, template: str) -> str:
        """Fill a template's slots.

        Raises: ValueError for a slot that there is not.
        """
        text = _SLOT.sub(self._slot, template)
        if self._cast.language == "cs":
            text = _WITH.sub(r"\1e ", text)
        return text.replace("..", ".")  # a firm's "s.r.o." at a sentence's end has the full stop already

    def truth(self) -> PersonalTruth:
        """Return the truth of all that was filled so far."""
        lists = {
            field: tuple(Entity(tuple(forms)) for forms in entities.values())
            for field, entities in self._forms.items()
        }
        return PersonalTruth(**lists, decoys=tuple(self._decoys))

    def _slot(self, found: re.Match[str]) -> str:
        key, what, female, male = found.groups()
        human, business = self._cast.humans.get(key), self._cast.businesses.get(key)
        if human is not None and female is not None:
            return str(female if human.person.gender == "female" else male)
        if human is not None:
            return self._human(key, human, what or "nom")
        if business is not None:
            return self._business(business, what)
        if key in self._cast.numbers:
            return self._decoy(self._cast.numbers[key])
        if key in self._cast.days:
            return self._decoy(self._day(self._cast.days[key], in_words=key in {"date1", "date3"}))
        raise ValueError(f"a text has the slot {found[0]}, which nothing fills; mend blocks.toml")

    def _human(self, key: str, human: Human, what: str) -> str:
        born, account = human.born, human.account
        values: dict[str, tuple[str, Callable[[], str]]] = {
            "born": ("birth_dates", lambda: self._day(born, in_words=False)),
            "born.long": ("birth_dates", lambda: self._day(born, in_words=True)),
            "id": ("identification_numbers", lambda: human.identification),
            "phone": ("phones", lambda: human.phone),
            "email": ("emails", lambda: human.email),
            "address": ("addresses", lambda: human.address),
            "account": ("bank_accounts", lambda: account),
            "iban": ("bank_accounts", lambda: grouped_iban(iban_of(account))),
        }
        if what in values:
            field, value = values[what]
            return self._mention(field, key, value())
        return self._name(key, human.person, what)

    def _name(self, key: str, person: Person, what: str) -> str:
        if what == "call":
            return self._mention("names", key, person.given_name("vocative"))
        form, _, case_name = what.rpartition(".") if "." in what else ("", "", what)
        if what == "fam":
            form, case_name = "fam", "nom"
        case = _CASES.get(case_name)
        if case is None or form not in {"", "fam"}:
            raise ValueError(f"a text asks for {{{key}.{what}}}, which persons do not have; mend blocks.toml")
        if form == "":
            return self._mention("names", key, person.full_name(case))
        family = person.family_name(case)
        if self._cast.language == "en":
            title = "Ms." if person.gender == "female" else "Mr."
        else:
            title = (_LADY if person.gender == "female" else _GENTLEMAN)[case]
        self._mention("names", key, family)
        return self._mention("names", key, f"{title} {family}")

    def _business(self, business: Business, what: str | None) -> str:
        firm = business.firm
        if what is None:
            for alias in business.aliases:
                self._decoy(alias)
        values = {
            None: firm.name,
            "id": firm.company_id,
            "info": firm.info_email,
            "phone": business.phone,
            "address": firm.address.line,
            "account": business.account,
        }
        if what not in values:
            raise ValueError(f"a text asks for {what!r} of a firm, which firms do not have; mend blocks.toml")
        return self._decoy(values[what])

    def _day(self, day: date, *, in_words: bool) -> str:
        if in_words:
            return long_date(day, self._cast.language)
        if self._cast.language == "cs":
            return f"{day.day}. {day.month}. {day.year}"
        return f"{day.month:02}/{day.day:02}/{day.year}"

    def _mention(self, field: str, key: str, form: str) -> str:
        forms = self._forms[field].setdefault(key, [])
        if form not in forms:
            forms.append(form)
        return form

    def _decoy(self, value: str) -> str:
        if value not in self._decoys:
            self._decoys.append(value)
        return value
