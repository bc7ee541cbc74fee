"""How letters write days and times: dates with the month's name, and times of the day."""

from __future__ import annotations

from datetime import date

from daemon.workloads.office.lists.months import CZECH_MONTHS, ENGLISH_MONTHS
from schemas.office import Language


def day_and_month(day: date, language: Language) -> str:
    """Write a day without its year: "3. března", "March 3"."""
    if language == "cs":
        return f"{day.day}. {CZECH_MONTHS[day.month - 1]}"
    return f"{ENGLISH_MONTHS[day.month - 1]} {day.day}"


def long_date(day: date, language: Language) -> str:
    """Write a day with its month's name: "3. března 2026", "March 3, 2026"."""
    return f"{day_and_month(day, language)}{' ' if language == 'cs' else ', '}{day.year}"


def moment(hour: int, minute: int, language: Language) -> str:
    """Write a time of the day: "14:05", "2:05 PM"."""
    if language == "cs":
        return f"{hour}:{minute:02}"
    return f"{(hour - 1) % 12 + 1}:{minute:02} {'AM' if hour < 12 else 'PM'}"
