"""Fields that are lists of entities: right if every entity is named, by any of its forms, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

import msgspec

from daemon.judging.office.dates import ReadDate, exchanged, read_date
from daemon.judging.office.fields import FieldKind
from daemon.judging.office.text import as_address, as_identifier, as_text, marks_lost, zeros_lost
from daemon.judging.office.verdicts import (
    DAY_AND_MONTH,
    INCOMPLETE,
    INVENTED,
    LOST_MARKS,
    LOST_ZEROS,
    UNREADABLE,
    WRONG,
    WRONG_TYPE,
    Mistake,
    is_empty,
)
from schemas.office import Entity, Language

_NORMALISE: dict[FieldKind, Callable[[str], str]] = {
    "names": as_text,
    "emails": as_identifier,
    "addresses": as_address,
    "identifiers": as_identifier,
    "dates": as_text,
}


class _Value(msgspec.Struct, frozen=True):
    """A value as the field compares it. day: what a birth date says; None for other fields and unreadable ones."""

    text: str
    day: ReadDate | None = None

    @property
    def key(self) -> object:
        """Equal for equal values: the day, where there is one."""
        readable = None if self.day is None else self.day.said()
        return self.text if readable is None else readable


Near = Callable[[_Value, _Value], bool]


def compare_list(
    answer: object, truth: Sequence[Entity], decoys: Sequence[str], kind: FieldKind, language: Language
) -> Mistake | None:
    """Compare as sets; order and repetition say nothing. A JSON number is its digits; empty values are no values.

    Where every value too many is near a missing entity and the other way round, the mistake is what lies between
    them. Otherwise a value is invented if it is a decoy of the document, or if more are too many than are missing.
    """
    if not isinstance(answer, list):
        return WRONG_TYPE
    said: dict[object, _Value] = {}
    for each in answer:
        if not isinstance(each, str | Decimal):
            if not is_empty(each):
                return WRONG_TYPE
        elif not is_empty(text := str(each)):
            value = _value(text, kind, language)
            said[value.key] = value
    entities = [[_value(form, kind, language) for form in entity.forms] for entity in truth]
    known = {form.key for forms in entities for form in forms}
    extra = [value for key, value in said.items() if key not in known]
    missing = [forms for forms in entities if not any(form.key in said for form in forms)]
    if not extra:
        return INCOMPLETE if missing else None
    for mistake, near in _relations(kind):
        if _all_near(extra, missing, near):
            return mistake
    if kind == "dates" and len(extra) == len(missing) and all(_unreadable(value) for value in extra):
        return UNREADABLE
    false = {_value(decoy, kind, language).key for decoy in decoys}
    invented = len(extra) > len(missing) or any(value.key in false for value in extra)
    return INVENTED if invented else WRONG


def _value(text: str, kind: FieldKind, language: Language) -> _Value:
    return _Value(_NORMALISE[kind](text), read_date(text, language) if kind == "dates" else None)


def _relations(kind: FieldKind) -> tuple[tuple[Mistake, Near], ...]:
    """Return what can lie between a value and an entity's form, in the order of the categories."""
    if kind == "dates":
        return ((LOST_MARKS, _month_lost_marks), (DAY_AND_MONTH, _days_exchanged))
    marks: tuple[Mistake, Near] = (LOST_MARKS, lambda said, form: marks_lost(said.text, form.text))
    zeros: tuple[Mistake, Near] = (LOST_ZEROS, lambda said, form: zeros_lost(said.text, form.text))
    return (marks, zeros) if kind == "identifiers" else (marks,)


def _month_lost_marks(said: _Value, form: _Value) -> bool:
    if said.day is None or not said.day.marks_lost or form.day is None:
        return False
    return said.day.meant() == form.day.said() is not None


def _days_exchanged(said: _Value, form: _Value) -> bool:
    day = None if form.day is None else form.day.said()
    return said.day is not None and day is not None and not said.day.marks_lost and exchanged(said.day, day)


def _unreadable(value: _Value) -> bool:
    return value.day is None or value.day.said() is None


def _all_near(extra: Sequence[_Value], missing: Sequence[Sequence[_Value]], near: Near) -> bool:
    """Tell whether each value is near some entity, and each entity near some value, by any form."""
    reached: set[int] = set()
    for value in extra:
        nearby = [place for place, forms in enumerate(missing) if any(near(value, form) for form in forms)]
        if not nearby:
            return False
        reached.update(nearby)
    return len(reached) == len(missing)
