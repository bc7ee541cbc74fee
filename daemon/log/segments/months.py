"""Which events belong to which month's segment. Pure.

Positions order a log, and wall clocks only place its events: a clock may have been years ahead for an hour, or have
begun in 1970. So a month's segment reaches to the last event that the clock put before the month's end, and holds
whatever lies between, however it is dated. Segments follow one another without a gap in any case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import msgspec

_MONTH: Final = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


class Span(msgspec.Struct, frozen=True):
    """Positions that become one segment."""

    month: str
    first_seq: int
    last_seq: int
    finished: bool


def month_of(wall_ns: int) -> str:
    """UTC month of a moment, as "2026-10"; sorts by time."""
    return f"{datetime.fromtimestamp(wall_ns // 1_000_000_000, UTC):%Y-%m}"


def is_month(text: str) -> bool:
    """Tell whether a text has the form of a month."""
    return _MONTH.fullmatch(text) is not None


def begin_of_next(month: str) -> datetime:
    """Return the moment at which a month is over."""
    year, number = (int(part) for part in month.split("-"))
    return datetime(year + number // 12, number % 12 + 1, 1, tzinfo=UTC)


def spans(
    newest: Mapping[str, int], *, sealed_seq: int, from_month: str, this_month: str, through: str | None, force: bool
) -> list[Span]:
    """Cut what is not sealed yet into segments.

    newest: of each month the greatest position that the clock put into it, of events behind ``sealed_seq``.
    from_month: the newest sealed month, or that of the first event: no segment is named by an earlier one.
    through: the last month to seal; None for every one that is over at ``this_month``.
    force: also cut what is there of an unfinished month, to be replaced later.
    """
    found: list[Span] = []
    for month in sorted(newest):
        if month < from_month or month >= this_month or (through is not None and month > through):
            continue
        last = max(seq for each, seq in newest.items() if each <= month)
        if last > sealed_seq:
            found.append(Span(month, sealed_seq + 1, last, finished=True))
            sealed_seq = last
    end = max(newest.values(), default=sealed_seq)
    if force and (through is None or through >= this_month) and end > sealed_seq:
        found.append(Span(this_month, sealed_seq + 1, end, finished=False))
    return found
