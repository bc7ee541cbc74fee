"""Dates: what a text says in the document's language, and how a date can be exchanged for another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

import msgspec

from daemon.judging.office.text import as_text, marks_lost
from schemas.office import Language

_LONGEST = 64  # characters; whatever is longer is no date

_CZECH = (
    ("leden", "ledna"),
    ("únor", "února"),
    ("březen", "března"),
    ("duben", "dubna"),
    ("květen", "května"),
    ("červen", "června"),
    ("červenec", "července"),
    ("srpen", "srpna"),
    ("září",),
    ("říjen", "října"),
    ("listopad", "listopadu"),
    ("prosinec", "prosince"),
)
_ENGLISH = (
    ("january", "jan"),
    ("february", "feb"),
    ("march", "mar"),
    ("april", "apr"),
    ("may",),
    ("june", "jun"),
    ("july", "jul"),
    ("august", "aug"),
    ("september", "sep", "sept"),
    ("october", "oct"),
    ("november", "nov"),
    ("december", "dec"),
)
_MONTHS: Mapping[Language, Mapping[str, int]] = {
    "cs": {name: number for number, names in enumerate(_CZECH, start=1) for name in names},
    "en": {name: number for number, names in enumerate(_ENGLISH, start=1) for name in names},
}

_ISO = re.compile(r"(?P<y>[0-9]{4})-(?P<m>[0-9]{2})-(?P<d>[0-9]{2})")
_DOTS = re.compile(r"(?P<d>[0-9]{1,2})\. ?(?P<m>[0-9]{1,2})\. ?(?P<y>[0-9]{4})")
_SLASHES: Mapping[Language, re.Pattern[str]] = {
    "cs": re.compile(r"(?P<d>[0-9]{1,2}) ?/ ?(?P<m>[0-9]{1,2}) ?/ ?(?P<y>[0-9]{4})"),
    "en": re.compile(r"(?P<m>[0-9]{1,2}) ?/ ?(?P<d>[0-9]{1,2}) ?/ ?(?P<y>[0-9]{4})"),
}
_WORDS: Mapping[Language, tuple[re.Pattern[str], ...]] = {
    "cs": (re.compile(r"(?P<d>[0-9]{1,2})(?:\. ?| )(?P<name>[^\W\d_]+) (?P<y>[0-9]{4})"),),
    "en": (
        re.compile(r"(?P<name>[^\W\d_]+)\.? (?P<d>[0-9]{1,2})(?:st|nd|rd|th)?(?:, ?| )(?P<y>[0-9]{4})"),
        re.compile(r"(?P<d>[0-9]{1,2})(?:st|nd|rd|th)?(?: of)? (?P<name>[^\W\d_]+)\.?(?:, ?| )(?P<y>[0-9]{4})"),
    ),
}


class ReadDate(msgspec.Struct, frozen=True):
    """What a text says, before it is asked whether there is such a day.

    marks_lost: the month's name is one of the language but for lost diacritics, so the text is unreadable.
    """

    year: int
    month: int
    day: int
    marks_lost: bool = False

    def said(self) -> date | None:
        """Return the day, if the text is readable and there is one."""
        return None if self.marks_lost else self.meant()

    def meant(self) -> date | None:
        """Return the day that was meant, lost diacritics or not, if there is one."""
        try:
            return date(self.year, self.month, self.day)
        except ValueError:
            return None


def read_date(value: object, language: Language) -> ReadDate | None:
    """Read a date as it is written in documents of a language, or None.

    ``YYYY-MM-DD``; ``D. M. YYYY``, day first in both languages; slashes, month first in English and day first in
    Czech; the month's name of the document's language, in Czech in the nominative or the genitive, in English also
    as three letters. Two-digit years are not read.
    """
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    text = as_text(value)
    found = _ISO.fullmatch(text) or _DOTS.fullmatch(text) or _SLASHES[language].fullmatch(text)
    if found is not None:
        return ReadDate(int(found["y"]), int(found["m"]), int(found["d"]))
    for form in _WORDS[language]:
        found = form.fullmatch(text)
        if found is not None:
            return _named(found, _MONTHS[language])
    return None


def exchanged(read: ReadDate, truth: date) -> bool:
    """Tell whether day and month of the truth stand in each other's place, a thirteenth month or not."""
    return (read.year, read.month, read.day) == (truth.year, truth.day, truth.month) and truth.day != truth.month


def _named(found: re.Match[str], months: Mapping[str, int]) -> ReadDate | None:
    name = found["name"].lower()
    month, lost = months.get(name), False
    if month is None:
        month, lost = next((number for full, number in months.items() if marks_lost(name, full)), None), True
    return None if month is None else ReadDate(int(found["y"]), month, int(found["d"]), lost)
