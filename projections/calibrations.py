"""What the instrument found when it measured sources whose truth is known: one row a figure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar
from uuid import UUID

from projections.contract import EachByItself, Entry, Insertion
from projections.tables import MAYBE_NAME, NAME, Column, Table, TimedRow
from projections.times import utc
from schemas.events import CalibrationCompleted, Event
from schemas.events.attempts import ClockKind


class CalibrationRow(TimedRow, frozen=True, kw_only=True):
    """``truth``, ``measured`` and ``error`` are in ``unit``; the error is measured minus truth."""

    calibration: Annotated[UUID, Column("UUID", "calibration")]
    transport: Annotated[str, Column(NAME, "transport that was measured with")]
    tls: Annotated[bool, Column("Bool", "over TLS")]
    streams: Annotated[int, Column("UInt32", "streams at once")]
    clock: Annotated[ClockKind | None, Column(MAYBE_NAME, "what took the times")]
    loop_lag_p99_us: Annotated[int | None, Column("Nullable(UInt64)", "lateness of the event loop, microseconds")]
    gc_pauses: Annotated[int | None, Column("Nullable(UInt64)", "collections of garbage meanwhile")]
    gc_longest_us: Annotated[int | None, Column("Nullable(UInt64)", "longest of them, microseconds")]
    user_space_reads: Annotated[
        int | None, Column("Nullable(UInt64)", "attempts of which some read had no usable kernel time")
    ]
    profile: Annotated[str, Column(NAME, "profile of the known source")]
    metric: Annotated[str, Column(NAME, "what was measured")]
    statistic: Annotated[str, Column(NAME, "p50, p99 or max")]
    unit: Annotated[str, Column(NAME, "unit of the three values")]
    n: Annotated[int, Column("UInt64", "measurements")]
    truth: Annotated[float, Column("Float64", "what it was")]
    measured: Annotated[float, Column("Float64", "what was measured")]
    error: Annotated[float, Column("Float64", "measured minus truth")]
    within_bounds: Annotated[bool, Column("Bool", "the error is within its bound")]
    calibration_within_bounds: Annotated[
        bool, Column("Bool", "every median of this event is, and nothing is missing")
    ]


CALIBRATIONS = Table(
    name="calibrations",
    row=CalibrationRow,
    order_by=("profile", "metric", "statistic", "time", "source", "seq"),
    comment="the instrument's own error",
)


class Calibrations(EachByItself):
    """See the module."""

    name: ClassVar[str] = "calibrations"
    tables: ClassVar[tuple[Table, ...]] = (CALIBRATIONS,)
    reads: ClassVar[tuple[type[Event], ...]] = (CalibrationCompleted,)

    def rows(self, entry: Entry) -> Iterator[Insertion]:
        """See :class:`EachByItself`."""
        if isinstance(entry.event, CalibrationCompleted):
            yield from _rows(entry, entry.event)


def _rows(entry: Entry, done: CalibrationCompleted) -> Iterator[Insertion]:
    return (
        Insertion(
            CALIBRATIONS,
            CalibrationRow(
                source=entry.envelope.source,
                seq=entry.envelope.seq,
                time=utc(entry.envelope.wall_ns),
                calibration=done.calibration,
                transport=done.transport,
                tls=done.tls,
                streams=done.streams,
                clock=done.clock,
                loop_lag_p99_us=done.loop_lag_p99_us,
                gc_pauses=done.gc_pauses,
                gc_longest_us=done.gc_longest_us,
                user_space_reads=done.user_space_reads,
                profile=figure.profile,
                metric=figure.metric,
                statistic=figure.statistic,
                unit=figure.unit,
                n=figure.n,
                truth=figure.truth,
                measured=figure.measured,
                error=figure.error,
                within_bounds=figure.within_bounds,
                calibration_within_bounds=done.within_bounds,
            ),
        )
        for figure in done.figures
    )
