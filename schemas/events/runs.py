"""Events of the schedule: what was planned, and what was planned and did not run."""

from __future__ import annotations

from typing import ClassVar, Literal
from uuid import UUID

import msgspec

from schemas.events.base import Event

Scenario = Literal["single", "parallel-10"]
Trigger = Literal["schedule", "command", "calibration"]


class PromptFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Enough to rebuild a run's prompt byte for byte: generator, its version and the seed."""

    generator: str
    generator_version: int
    seed: str
    sha256: str
    input_tokens: int
    min_output_tokens: int
    max_output_tokens: int
    task: str
    image_sha256: tuple[str, ...] = ()


AccountRole = Literal["measuring", "control"]
"""Whether an attempt's account is the one whose figures are shown, or one that checks it with the same payload."""


class PlannedAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """One request that the run intends to send.

    Attempts of one run, endpoint and ordinal have the same payload and begin together: one measures, others check.
    """

    attempt: UUID
    endpoint: str
    account: str
    ordinal: int = 0
    role: AccountRole = "measuring"


CalibrationBasis = Literal["fresh", "recent", "older", "none", "failed"]


class RunPlanned(Event, frozen=True, kw_only=True):
    """A run and all of its attempts: the denominator of every share that is ever shown.

    calibration: id of the newest ``calibration-completed`` at the run's concurrency, and
        ``calibration_within_bounds`` its verdict: over TLS too where that was measured.
    calibration_basis: ``fresh``, made for this run; ``recent``, made minutes before for another; ``older``,
        the newest there was, since another run was in flight; ``none``, the same, and there was none; ``failed``,
        it could not be made. None: runs of this kind are not calibrated, or it is switched off.
    """

    TYPE: ClassVar[str] = "run-planned"

    run: UUID
    suite: str
    workload: str
    scenario: Scenario
    trigger: Trigger
    slot: str | None
    nominal_ns: int | None
    planned_ns: int
    late: bool
    prompts: tuple[PromptFacts, ...]
    attempts: tuple[PlannedAttempt, ...]
    calibration: UUID | None = None
    calibration_within_bounds: bool | None = None
    calibration_basis: CalibrationBasis | None = None


SkipReason = Literal["missed", "overlapping", "over-budget", "no-endpoints", "stopping"]


class SlotSkipped(Event, frozen=True, kw_only=True):
    """A slot that will never run, and why."""

    TYPE: ClassVar[str] = "slot-skipped"

    slot: str
    workload: str
    scenario: Scenario
    nominal_ns: int
    reason: SkipReason
    detail: str | None = None
