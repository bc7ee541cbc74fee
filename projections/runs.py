"""Planned runs, their planned attempts, and slots that never ran: the denominator of every share."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from projections.contract import EachByItself, Entry, Insertion
from projections.tables import MAYBE_NAME, NAME, UTC_TIME, Column, Table, TimedRow
from projections.times import maybe_utc, utc
from schemas.events import Event, RunPlanned, SlotSkipped
from schemas.events.runs import AccountRole, CalibrationBasis


class RunRow(TimedRow, frozen=True, kw_only=True):
    """``time`` is a slot's nominal time where there is one, else when the run was planned."""

    kind: Annotated[Literal["planned", "skipped"], Column(NAME, "planned, or skipped for the reason given")]
    run: Annotated[UUID | None, Column("Nullable(UUID)", "run; none for a skipped slot")]
    slot: Annotated[str | None, Column("Nullable(String)", "slot by its nominal time; none for a command")]
    suite: Annotated[str | None, Column(MAYBE_NAME, "family of the workload")]
    workload: Annotated[str, Column(NAME, "workload's name")]
    scenario: Annotated[str, Column(NAME, "single or parallel-10")]
    trigger: Annotated[str, Column(NAME, "schedule, command or calibration")]
    nominal: Annotated[datetime | None, Column(f"Nullable({UTC_TIME})", "slot's nominal time")]
    planned: Annotated[datetime | None, Column(f"Nullable({UTC_TIME})", "moment that was meant for it")]
    recorded: Annotated[datetime, Column(UTC_TIME, "when this was recorded")]
    late: Annotated[bool | None, Column("Nullable(Bool)", "the run began late")]
    reason: Annotated[str | None, Column(MAYBE_NAME, "why the slot was skipped")]
    detail: Annotated[str | None, Column("Nullable(String)", "more about it")]
    calibration: Annotated[UUID | None, Column("Nullable(UUID)", "calibration that it is measured under")]
    calibration_within_bounds: Annotated[bool | None, Column("Nullable(Bool)", "that one's verdict")]
    calibration_basis: Annotated[
        CalibrationBasis | None, Column(MAYBE_NAME, "fresh, recent, older, none or failed; null where not calibrated")
    ]
    attempts: Annotated[int, Column("UInt32", "attempts planned")]
    prompts: Annotated[int, Column("UInt32", "distinct prompts")]
    input_tokens: Annotated[int | None, Column("Nullable(UInt64)", "size of the first prompt, o200k_base tokens")]
    task: Annotated[str | None, Column(MAYBE_NAME, "kind of task of the first prompt")]


class PlannedAttemptRow(TimedRow, frozen=True, kw_only=True):
    """One request that a run meant to send."""

    run: Annotated[UUID, Column("UUID", "run")]
    attempt: Annotated[UUID, Column("UUID", "attempt")]
    endpoint: Annotated[str, Column(NAME, "endpoint's name in the catalogue")]
    account: Annotated[str, Column(NAME, "account's name")]
    role: Annotated[AccountRole, Column(NAME, "measuring, or control: another account with the same payload")]
    ordinal: Annotated[int, Column("UInt32", "number within the run")]
    workload: Annotated[str, Column(NAME, "workload's name")]
    scenario: Annotated[str, Column(NAME, "single or parallel-10")]
    slot: Annotated[str | None, Column("Nullable(String)", "slot by its nominal time")]


RUNS = Table(
    name="runs",
    row=RunRow,
    order_by=("workload", "scenario", "time", "source", "seq"),
    comment="runs and skipped slots",
)
PLANNED = Table(
    name="planned_attempts",
    row=PlannedAttemptRow,
    order_by=("endpoint", "time", "source", "seq", "attempt"),
    comment="every attempt that was planned",
)


class Runs(EachByItself):
    """See the module."""

    name: ClassVar[str] = "runs"
    tables: ClassVar[tuple[Table, ...]] = (RUNS, PLANNED)
    reads: ClassVar[tuple[type[Event], ...]] = (RunPlanned, SlotSkipped)

    def rows(self, entry: Entry) -> Iterator[Insertion]:
        """See :class:`EachByItself`."""
        match entry.event:
            case RunPlanned() as planned:
                yield from _planned_rows(entry, planned)
            case SlotSkipped() as skipped:
                yield Insertion(RUNS, _skipped_row(entry, skipped))


def _planned_rows(entry: Entry, planned: RunPlanned) -> Iterator[Insertion]:
    envelope = entry.envelope
    time = utc(planned.planned_ns if planned.nominal_ns is None else planned.nominal_ns)
    first = planned.prompts[0] if planned.prompts else None
    yield Insertion(
        RUNS,
        RunRow(
            source=envelope.source,
            seq=envelope.seq,
            time=time,
            kind="planned",
            run=planned.run,
            slot=planned.slot,
            suite=planned.suite,
            workload=planned.workload,
            scenario=planned.scenario,
            trigger=planned.trigger,
            nominal=maybe_utc(planned.nominal_ns),
            planned=utc(planned.planned_ns),
            recorded=utc(envelope.wall_ns),
            late=planned.late,
            reason=None,
            detail=None,
            calibration=planned.calibration,
            calibration_within_bounds=planned.calibration_within_bounds,
            calibration_basis=planned.calibration_basis,
            attempts=len(planned.attempts),
            prompts=len(planned.prompts),
            input_tokens=first.input_tokens if first else None,
            task=first.task if first else None,
        ),
    )
    for attempt in planned.attempts:
        yield Insertion(
            PLANNED,
            PlannedAttemptRow(
                source=envelope.source,
                seq=envelope.seq,
                time=time,
                run=planned.run,
                attempt=attempt.attempt,
                endpoint=attempt.endpoint,
                account=attempt.account,
                role=attempt.role,
                ordinal=attempt.ordinal,
                workload=planned.workload,
                scenario=planned.scenario,
                slot=planned.slot,
            ),
        )


def _skipped_row(entry: Entry, skipped: SlotSkipped) -> RunRow:
    envelope = entry.envelope
    return RunRow(
        source=envelope.source,
        seq=envelope.seq,
        time=utc(skipped.nominal_ns),
        kind="skipped",
        run=None,
        slot=skipped.slot,
        suite=None,
        workload=skipped.workload,
        scenario=skipped.scenario,
        trigger="schedule",
        nominal=utc(skipped.nominal_ns),
        planned=None,
        recorded=utc(envelope.wall_ns),
        late=None,
        reason=skipped.reason,
        detail=skipped.detail,
        calibration=None,
        calibration_within_bounds=None,
        calibration_basis=None,
        attempts=0,
        prompts=0,
        input_tokens=None,
        task=None,
    )
