"""Deadlines: kinds, the day each means, and how it is said in both languages.

The base is the day on which the customer's message was sent. Never drawn: a weekday that is the base's own, "next
Friday", "the end of the week", because people disagree on what they mean.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Literal

import msgspec

from daemon.workloads.office.days import day_and_month, long_date
from daemon.workloads.seeding import Draws
from schemas.office import Language

DeadlineKind = Literal["weekday", "days", "tomorrow", "date", "date-with-year"]

KINDS: tuple[DeadlineKind, ...] = (*("weekday",) * 4, *("days",) * 3, "tomorrow", *("date",) * 2, "date-with-year")
"""As often as they are drawn."""

_DAYS = (3, 5, 7, 10, 14, 14, 21, 30)
WEEKDAYS: dict[Language, tuple[str, ...]] = {
    "cs": ("pondělí", "úterý", "středy", "čtvrtka", "pátku"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
}
"""Monday to Friday, in Czech in the genitive, which "do" takes."""


class Deadline(msgspec.Struct, frozen=True):
    """A deadline. days: from the base on. day: which it means."""

    kind: DeadlineKind
    day: date
    days: int

    def by(self, language: Language) -> str:
        """Say it inside a sentence: "by Friday", "within 14 days", „do pátku“, „do 14 dnů“."""
        if language == "cs":
            return f"do {self._czech()}"
        return f"within {self.days} days" if self.kind == "days" else f"by {self._english()}"

    def _czech(self) -> str:
        match self.kind:
            case "weekday":
                return WEEKDAYS["cs"][self.day.weekday()]
            case "days":
                return f"{self.days} dnů"
            case "tomorrow":
                return "zítřka"
            case "date":
                return day_and_month(self.day, "cs")
            case "date-with-year":
                return f"{self.day.day}. {self.day.month}. {self.day.year}"

    def _english(self) -> str:
        match self.kind:
            case "weekday":
                return WEEKDAYS["en"][self.day.weekday()]
            case "date":
                return day_and_month(self.day, "en")
            case "date-with-year":
                return long_date(self.day, "en")
            case _:
                return "tomorrow"


def draw_deadline(draws: Draws, base: date, kind: DeadlineKind) -> Deadline:
    """Draw a deadline after the base; a weekday is the first such day strictly after it."""
    match kind:
        case "weekday":
            target = draws.pick([day for day in range(5) if day != base.weekday()])
            days = (target - base.weekday()) % 7
        case "days":
            days = draws.pick(_DAYS)
        case "tomorrow":
            days = 1
        case _:
            days = draws.between(3, 40)
    return Deadline(kind, base + timedelta(days=days), days)
