"""Fields with one value: names, identifiers, accounts, closed sets, amounts, dates. Answer and truth both set."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import date
from decimal import Decimal

from daemon.judging.office.amounts import misread, read_amount
from daemon.judging.office.dates import exchanged, read_date
from daemon.judging.office.text import as_identifier, as_text, marks_lost, zeros_lost
from daemon.judging.office.verdicts import (
    DAY_AND_MONTH,
    LOST_MARKS,
    LOST_ZEROS,
    OTHER_FIELD,
    UNREADABLE,
    WRONG,
    WRONG_TYPE,
    Mistake,
)
from schemas.office import Language


def compare_name(answer: object, truth: str) -> Mistake | None:
    """Compare a name, diacritics and case kept."""
    if not isinstance(answer, str):
        return WRONG_TYPE
    return _compare_forms(answer, (truth,), as_text, zeros=False)


def compare_identifier(answer: object, forms: Sequence[str]) -> Mistake | None:
    """Compare an identifier or account with each form that is printed; a JSON number is its digits."""
    if not isinstance(answer, str | Decimal):
        return WRONG_TYPE
    return _compare_forms(str(answer), forms, as_identifier, zeros=True)


def compare_code(answer: object, truth: str, members: Collection[str] = ()) -> Mistake | None:
    """Compare a word of a closed set or a code; where the set's members are known, a word beside them is told."""
    if not isinstance(answer, str):
        return WRONG_TYPE
    said = as_text(answer)
    if said == truth:
        return None
    return Mistake("wrong_value", "not_in_set") if members and said not in members else WRONG


def compare_amount(answer: object, truth: Decimal, net: Decimal | None = None) -> Mistake | None:
    """Compare an amount; ``net`` is the sum of the nets, for the total of a document that has some."""
    read = read_amount(answer)
    if read is None:
        return UNREADABLE
    if read == truth:
        return None
    if read == net:
        return Mistake("net_instead_of_total")
    way = misread(read, truth)
    return WRONG if way is None else Mistake("number_format", way)


def compare_date(answer: object, truth: date, language: Language, others: Collection[date] = ()) -> Mistake | None:
    """Compare a date; ``others`` are the document's other dates."""
    read = read_date(answer, language)
    if read is None:
        return UNREADABLE
    if read.marks_lost:
        return LOST_MARKS if read.meant() == truth else UNREADABLE
    day = read.said()
    if day == truth:
        return None
    if day in others:
        return OTHER_FIELD
    if exchanged(read, truth):
        return DAY_AND_MONTH
    return UNREADABLE if day is None else WRONG


def _compare_forms(
    answer: str, forms: Sequence[str], normalise: Callable[[str], str], *, zeros: bool
) -> Mistake | None:
    said = normalise(answer)
    true = [normalise(form) for form in forms]
    if said in true:
        return None
    if any(marks_lost(said, form) for form in true):
        return LOST_MARKS
    if zeros and any(zeros_lost(said, form) for form in true):
        return LOST_ZEROS
    return WRONG
