"""Events in which somebody or something judged: answers, the instrument, the worth of money."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, ClassVar, Literal
from uuid import UUID

import msgspec

from schemas.events.attempts import ClockKind
from schemas.events.base import Event


class Judge(msgspec.Struct, frozen=True, kw_only=True):
    """Who judged. ``parameters`` holds a judging model's prompt version and settings."""

    kind: Literal["rule-set", "person", "model"]
    name: str
    version: str
    parameters: dict[str, Any] = {}


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """What was judged, bound to its content by a hash."""

    kind: Literal["field", "criterion", "review", "answer"]
    id: str
    sha256: str
    attempt: UUID | None = None


class JudgmentRecorded(Event, frozen=True, kw_only=True):
    """One verdict on one subject; a later one may supersede it, nothing edits it."""

    TYPE: ClassVar[str] = "judgment-recorded"

    judgment: UUID
    suite: str
    subject: Subject
    judge: Judge
    verdict: bool | None
    category: str | None = None
    reason: str | None = None
    supersedes: UUID | None = None


class CalibrationFigure(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity of a known source: what it was, what was measured, and the larger of the two errors allowed.

    ``truth``, ``measured`` and ``error`` are in ``unit``; ``error`` is measured minus truth, signed.
    """

    profile: str
    metric: Literal["ttft", "ttfat", "output-speed", "end-to-end", "gap"]
    statistic: Literal["p50", "p99", "max"]
    unit: Literal["ms", "tokens/s"]
    n: int
    truth: float
    measured: float
    error: float
    within_bounds: bool


class CalibrationCompleted(Event, frozen=True, kw_only=True):
    """The instrument measured a source whose truth is known.

    calibration: shared by the events of one calibration, where it was made both plain and over TLS.
    clock: what kind of times the transport took.
    loop_lag_p99_us, gc_pauses, gc_longest_us: how late the measuring event loop woke meanwhile, and its
        collections of garbage. user_space_reads: attempts of which some read had to do without a kernel time.
    """

    TYPE: ClassVar[str] = "calibration-completed"

    calibration: UUID
    transport: str
    tls: bool
    streams: int
    figures: tuple[CalibrationFigure, ...]
    within_bounds: bool
    loop_lag_p99_us: int | None = None
    clock: ClockKind | None = None
    gc_pauses: int | None = None
    gc_longest_us: int | None = None
    user_space_reads: int | None = None


class ExchangeRateDeclared(Event, frozen=True, kw_only=True):
    """A rate for display only: one unit of ``base`` is ``rate`` units of ``quote``."""

    TYPE: ClassVar[str] = "exchange-rate-declared"

    base: str
    quote: str
    rate: Decimal
    on: date
    source: str
