"""Names, places and things that generated matter speaks of. All persons and firms are invented."""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Draws
from daemon.workloads.text.matter.data import load_lists, load_words

_LISTS: Final = load_words("words")

GIVEN: Final = _LISTS["given"]
SURNAMES: Final = _LISTS["surname"]
TOWNS: Final = _LISTS["town"]
FIRM_HEADS: Final = _LISTS["firmhead"]
FIRM_TAILS: Final = _LISTS["firmtail"]

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip

WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_MONTH_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def person(draws: Draws) -> str:
    """Draw a full name."""
    return f"{draws.pick(GIVEN)} {draws.pick(SURNAMES)}"


def people(draws: Draws, count: int) -> list[str]:
    """Draw full names that share neither given name nor surname."""
    pairs = zip(draws.sample(GIVEN, count), draws.sample(SURNAMES, count), strict=True)
    return [f"{given} {surname}" for given, surname in pairs]


def firm(draws: Draws) -> str:
    """Draw a firm's name."""
    return f"{draws.pick(FIRM_HEADS)} {draws.pick(FIRM_TAILS)}"


def date_text(draws: Draws, year: int) -> str:
    """Draw a day of a year as people write it, such as ``14 March 2019``."""
    return day_text(draws.between(1, 365), year)


def day_text(day_of_year: int, year: int) -> str:
    """Write the n-th day of a year (1 to 365, no leap day) as people do."""
    left = day_of_year
    for month, days in zip(MONTHS, _MONTH_DAYS, strict=True):
        if left <= days:
            return f"{left} {month} {year}"
        left -= days
    raise ValueError(f"day {day_of_year} lies outside a year of 365 days")


def iso_date(draws: Draws) -> tuple[int, int, int]:
    """Draw a date as (year, month, day)."""
    month = draws.below(12)
    return draws.between(2015, 2026), month + 1, draws.between(1, _MONTH_DAYS[month])


def clock(minutes: int) -> str:
    """Write minutes after midnight as ``HH:MM``, modulo a day."""
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


COMMON: Final = {
    **_LISTS,
    "month": MONTHS,
    "weekday": WEEKDAYS,
    "firm": ("{firmhead} {firmtail}",),
    "person": ("{given} {surname}",),
}
"""Slots that every grammar may use."""


def grammar(name: str) -> dict[str, tuple[str, ...]]:
    """Read a grammar from ``grammars/`` and add what all of them share."""
    return {**COMMON, **load_lists(f"grammars/{name}")}
