"""Verdicts in the making, and what comes before any comparison: whether an answer is empty."""

from __future__ import annotations

import msgspec

from daemon.judging.office.text import as_identifier
from schemas.office import ErrorCategory, SubCode


class Mistake(msgspec.Struct, frozen=True):
    """Why an answer is wrong; a comparison returns None where it is right."""

    category: ErrorCategory
    sub_code: SubCode | None = None


INVALID_JSON = Mistake("invalid_json")
MISSING = Mistake("missing_field")
INVENTED = Mistake("wrong_value", "invented")
INCOMPLETE = Mistake("wrong_value", "incomplete")
WRONG = Mistake("wrong_value")
WRONG_TYPE = Mistake("wrong_value", "wrong_type")
LOST_MARKS = Mistake("diacritics_lost")
LOST_ZEROS = Mistake("number_format", "leading_zeros_lost")
UNREADABLE = Mistake("number_format", "unreadable")
OTHER_FIELD = Mistake("swapped_dates", "other_field")
DAY_AND_MONTH = Mistake("swapped_dates", "day_and_month")


def is_empty(answer: object) -> bool:
    """Tell whether an answer says nothing: null, no visible character, or a list or object of nothing."""
    if isinstance(answer, str):
        return not as_identifier(answer)
    if isinstance(answer, list):
        return all(each is None or (isinstance(each, str) and not as_identifier(each)) for each in answer)
    return answer is None or answer == {}
