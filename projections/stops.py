"""Which sources stand still, and why: kept in the store, so that whoever asks for the status can tell.

A reader writes a row when a source stops, and another one when that source has got past the place. Trying again
changes nothing here; ``projections/retries.py`` says when that is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Final, Literal

import msgspec

from projections.errors import LogReplacedError, QuarantineLimitError, SourceGapError
from projections.store.contract import Store
from projections.tables import NAME, UTC_TIME, Column, Table
from projections.times import utc
from schemas.errors import MesswerkError

StopState = Literal["stopped", "passed"]

StopKind = Literal["gap", "version", "two-events", "undecodable"]
"""What stopped it: missing positions, an event of a newer build, two events at one position, too many bytes that
are no event. The last holds up everything that the reader reads."""


class StopRow(msgspec.Struct, frozen=True, kw_only=True):
    """One source for one reader. ``source`` is empty when what stopped the reader does not say whose it is."""

    source: Annotated[str, Column(NAME, "daemon whose events cannot be folded further; empty when nobody knows")]
    reader: Annotated[str, Column(NAME, "projections of the reader that stands still")]
    change: Annotated[int, Column("UInt64", "when this was written, nanoseconds since 1970")]
    time: Annotated[datetime, Column(UTC_TIME, "when it stopped")]
    seq: Annotated[int, Column("UInt64", "position behind which it stopped")]
    kind: Annotated[str, Column(NAME, "gap, version, two-events or undecodable")]
    gap_first: Annotated[int | None, Column("Nullable(UInt64)", "first position that is missing, for a gap")]
    gap_last: Annotated[int | None, Column("Nullable(UInt64)", "last position that is missing, for a gap")]
    reason: Annotated[str, Column("String", "what is wrong, and what to do")]
    state: Annotated[str, Column(NAME, "stopped or passed")]


STOPS: Final = Table(
    name="stops",
    row=StopRow,
    order_by=("source", "reader"),
    partition_by="",
    version="change",
    comment="sources that cannot be folded further, and why",
)


async def read_stops(store: Store, reader: str | None = None) -> Sequence[StopRow]:
    """Return the stops in force, of one reader or of all."""
    columns = ", ".join(StopRow.__struct_fields__)
    found = await store.select(f"SELECT {columns} FROM stops FINAL")  # noqa: S608  # declared names
    rows = [StopRow(**row) for row in found.dicts()]
    return [row for row in rows if row.state == "stopped" and reader in (None, row.reader)]


class StopBook:
    """What one reader tells of its sources. Writes only what changes."""

    def __init__(self, store: Store, reader: str, now_ns: Callable[[], int]) -> None:
        self._store = store
        self._reader = reader
        self._now_ns = now_ns
        self._told: dict[str, StopRow] = {}

    async def open(self, positions: Mapping[str, int]) -> None:
        """Take up what was told before, also by another process that folded the same."""
        self._told = {row.source: row for row in await read_stops(self._store, self._reader)}
        await self.passed(positions)

    async def stopped(self, stops: Mapping[str, MesswerkError], positions: Mapping[str, int]) -> None:
        """Tell of sources that stand still."""
        for source, problem in stops.items():
            known = self._told.get(source)
            now_ns = self._now_ns()
            gap = problem.gap if isinstance(problem, SourceGapError) else None
            row = StopRow(
                source=source,
                reader=self._reader,
                change=0,
                time=utc(now_ns),
                seq=positions.get(source, 0),
                kind=_kind(problem),
                gap_first=None if gap is None else gap.first,
                gap_last=None if gap is None else gap.last,
                reason=str(problem),
                state="stopped",
            )
            if known is None or msgspec.structs.replace(known, change=0, time=row.time) != row:
                await self._write(row, now_ns, known)

    async def passed(self, positions: Mapping[str, int]) -> None:
        """Tell of sources that have got past the place where they stood."""
        for source, known in list(self._told.items()):
            if positions.get(source, 0) > known.seq:
                await self._write(msgspec.structs.replace(known, state="passed"), self._now_ns(), known)

    async def read_to_the_end(self) -> None:
        """Tell that nothing undecodable holds up the reader any more."""
        for known in list(self._told.values()):
            if known.kind == "undecodable":
                await self._write(msgspec.structs.replace(known, state="passed"), self._now_ns(), known)

    async def _write(self, row: StopRow, now_ns: int, before: StopRow | None) -> None:
        change = max(now_ns, before.change + 1 if before else 0)
        written = msgspec.structs.replace(row, change=change)
        token = f"stops/{row.reader}/{row.source}/{change}/{row.state}"
        await self._store.insert(STOPS, [written], token=token)
        if written.state == "stopped":
            self._told[row.source] = written
        else:
            self._told.pop(row.source, None)


def _kind(problem: MesswerkError) -> StopKind:
    match problem:
        case SourceGapError():
            return "gap"
        case LogReplacedError():
            return "two-events"
        case QuarantineLimitError():
            return "undecodable"
        case _:
            return "version"
