"""Values that a text names: numbers as German or English writes them, small numbers in words, dates. Pure.

Numbers of provisions ("§ 13b Abs. 2 Nr. 4"), names ("C30/37") and tolerances are no values.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from daemon.workloads.rubric.words import Words, words_of
from schemas.rubric.kinds import Language

_SPACES: Final = "\u00a0\u202f\u2009 '"
_NUMBER: Final = {
    "de": rf"\d{{1,3}}(?:[.{_SPACES}]\d{{3}})+(?![\d])(?:,\d+)?|\d+(?:[,.]\d+)?",
    "en": rf"\d{{1,3}}(?:[,{_SPACES}]\d{{3}})+(?![\d])(?:\.\d+)?|\d+(?:\.\d+)?",
}
# No letter or sign before it, as in "C30" or "3-4.2.1"; behind it a unit may stand without a blank.
_LONE: Final = {
    language: re.compile(rf"(?<![\w.,/])(?<!\w-)(?:{pattern})(?![\w/-]*\d)(?!\.\d)")
    for language, pattern in _NUMBER.items()
}
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:\.\d{3})+")
_DROPPED: Final = re.compile(rf"[{_SPACES}]")
_ISO: Final = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_DOTTED: Final = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b")


def values(text: str, language: Language) -> frozenset[str]:
    """Return the values of a text: decimals without needless zeros, dates as ``2026-03-01``, ``03-01``, ``2026-03``.

    A whole date is its day without a year, too.
    """
    words = words_of(language)
    for pattern in (*words.citations, words.tolerance):
        text = pattern.sub(" ; ", text)
    text, dates = _without_dates(text, words)
    numbers = {_plain(found[0], language) for found in _LONE[language].finditer(text)}
    in_words = {
        str(number) for word, number in words.numbers.items() if re.search(rf"\b{word}\b", text, re.IGNORECASE)
    }
    return frozenset(dates | numbers | in_words)


def _without_dates(text: str, words: Words) -> tuple[str, set[str]]:
    found: set[str] = set()

    def note(year: str | None, month: int, day: str | None) -> str:
        if day is not None:
            found.add(f"{month:02d}-{int(day):02d}")
        if year is not None:
            found.add(f"{year}-{month:02d}" if day is None else f"{year}-{month:02d}-{int(day):02d}")
        return " ; "

    text = _ISO.sub(lambda each: note(each[1], int(each[2]), each[3]), text)
    text = _DOTTED.sub(lambda each: note(each[3], int(each[2]), each[1]), text)
    names = "|".join(words.months)
    spelt = re.compile(
        rf"\b(?P<before>\d{{1,2}})(?:\.|st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{names})\b(?:,?\s+(?P<year>\d{{4}})\b)?"
        rf"|\b(?P<month2>{names})\s+(?P<after>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<year2>\d{{4}})\b)?"
        rf"|\b(?P<month3>{names})\s+(?P<year3>\d{{4}})\b"
    )

    def spelt_out(each: re.Match[str]) -> str:
        month = words.months[each["month"] or each["month2"] or each["month3"]]
        return note(each["year"] or each["year2"] or each["year3"], month, each["before"] or each["after"])

    return spelt.sub(spelt_out, text), found


def _plain(number: str, language: Language) -> str:
    number = _DROPPED.sub("", number)
    if language == "en":
        plain = number.replace(",", "")
    elif "," in number or _THOUSANDS.fullmatch(number):
        plain = number.replace(".", "").replace(",", ".")
    else:
        plain = number  # a full stop that cannot part thousands is a decimal one, as calculators print it
    return f"{Decimal(plain).normalize():f}"
