"""Persons: name, gender, and in Czech every case that a text needs.

English names have one form; their cases are all the same.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from daemon.workloads.office.identifiers.czech import Gender
from daemon.workloads.office.lists import american_names, czech_names
from daemon.workloads.seeding import Draws
from schemas.office import Language

Case = Literal["nominative", "genitive", "dative", "accusative", "vocative", "instrumental"]

_CASES: tuple[Case, ...] = ("nominative", "genitive", "dative", "accusative", "vocative", "instrumental")

_SOFT = "šžčřcjďťň"
_VOWELS = "aáeéěiíoóuúůyý"
_SOFTENED = {"k": "c", "h": "z", "r": "ř", "g": "z"}
"""Before the ending -e of female datives."""


class Person(msgspec.Struct, frozen=True):
    """A person: given and family name in the nominative."""

    language: Language
    gender: Gender
    given: str
    family: str

    @property
    def name(self) -> str:
        """Full name in the nominative."""
        return f"{self.given} {self.family}"

    def full_name(self, case: Case) -> str:
        """Full name in a case: "Janem Novákem"; in the dative "Janu Novákovi"."""
        return f"{self.given_name(case)} {self.family_name(case)}"

    def given_name(self, case: Case) -> str:
        """First name in a case."""
        return self.given if self.language == "en" else _given_forms(self.given, self.gender)[_CASES.index(case)]

    def family_name(self, case: Case) -> str:
        """Surname in a case: "Nováka", "Novákové", "Černého", "Svobodou"."""
        return self.family if self.language == "en" else _family_forms(self.family, self.gender)[_CASES.index(case)]

    @property
    def salutation(self) -> str:
        """How a letter begins: "Vážený pane Nováku", "Dear Ms. Smith"; without a comma."""
        if self.language == "en":
            return f"Dear {'Ms.' if self.gender == 'female' else 'Mr.'} {self.family}"
        return f"{'Vážená paní' if self.gender == 'female' else 'Vážený pane'} {self.family_name('vocative')}"


def draw_person(draws: Draws, language: Language, gender: Gender | None = None) -> Person:
    """Draw a person; of two draws one is a woman, unless it is said."""
    chosen: Gender = draws.pick(("female", "male")) if gender is None else gender
    lists = czech_names if language == "cs" else american_names
    given = draws.pick(lists.FEMALE_GIVEN if chosen == "female" else lists.MALE_GIVEN)
    family = draws.pick(lists.FAMILY)
    if language == "cs" and chosen == "female":
        family = female_surname(family)
    return Person(language, chosen, given, family)


def female_surname(male: str) -> str:
    """Make a Czech woman's surname of a man's: Novák, Nováková; Hájek, Hájková; Svoboda, Svobodová; Černý, Černá."""
    if male.endswith("ý"):
        return f"{male[:-1]}á"
    if male.endswith("í"):
        return male
    if male.endswith("a"):
        return f"{male[:-1]}ová"
    return f"{czech_names.FLEETING.get(male, male)}ová"


def _given_forms(name: str, gender: Gender) -> tuple[str, ...]:
    if gender == "female":
        return _female_noun(name)
    if name.endswith("í"):
        return (name, f"{name}ho", f"{name}mu", f"{name}ho", name, f"{name}m")
    if name.endswith("o"):
        stem = name[:-1]
        return (name, f"{stem}a", f"{stem}ovi", f"{stem}a", name, f"{stem}em")
    stem = czech_names.FLEETING.get(name, name)
    if stem[-1] in _SOFT:
        return (name, f"{stem}e", f"{stem}i", f"{stem}e", f"{stem}i", f"{stem}em")
    return (name, f"{stem}a", f"{stem}u", f"{stem}a", _hard_vocative(stem), f"{stem}em")


def _female_noun(name: str) -> tuple[str, ...]:
    """Decline by žena (Jana) or růže (Marie, Libuše)."""
    stem = name[:-1]
    if name.endswith("e"):
        return (name, name, f"{stem}i", f"{stem}i", name, f"{stem}í")
    dative = f"{stem[:-1]}{_SOFTENED[stem[-1]]}e" if stem[-1] in _SOFTENED else f"{stem}{_soft_e(stem)}"
    return (name, f"{stem}y", dative, f"{stem}u", f"{stem}o", f"{stem}ou")


def _family_forms(name: str, gender: Gender) -> tuple[str, ...]:
    if gender == "male":
        return _adjective(name) if name[-1] in "ýí" else _male_noun(name)
    stem = name[:-1]
    if name.endswith("á"):
        return (name, f"{stem}é", f"{stem}é", f"{stem}ou", name, f"{stem}ou")
    return (name,) * len(_CASES)


def _adjective(name: str) -> tuple[str, ...]:
    """Decline by Černý or Krejčí."""
    stem, long = (name[:-1], "é") if name.endswith("ý") else (name, "")
    return (name, f"{stem}{long}ho", f"{stem}{long}mu", f"{stem}{long}ho", name, f"{name}m")


def _male_noun(name: str) -> tuple[str, ...]:
    """Decline by Svoboda, Kovář (soft) or Novák (hard)."""
    if name.endswith("a"):
        stem = name[:-1]
        return (name, f"{stem}y", f"{stem}ovi", f"{stem}u", f"{stem}o", f"{stem}ou")
    stem = czech_names.FLEETING.get(name, name)
    if stem[-1] in _SOFT or name in czech_names.SOFT:
        vocative = f"{stem[:-1]}če" if stem[-1] == "c" else f"{stem}i"
        return (name, f"{stem}e", f"{stem}ovi", f"{stem}e", vocative, f"{stem}em")
    return (name, f"{stem}a", f"{stem}ovi", f"{stem}a", _hard_vocative(stem), f"{stem}em")


def _hard_vocative(stem: str) -> str:
    """-u after k, h, g and ch; a consonant before r makes it ř; else -e: Nováku, Petře, Kašpare."""
    if stem[-1] in "khg":
        return f"{stem}u"
    if stem[-1] == "r" and stem[-2] not in _VOWELS:
        return f"{stem[:-1]}ře"
    return f"{stem}e"


def _soft_e(stem: str) -> str:
    return "ě" if stem[-1] in "bdmnptv" else "e"
