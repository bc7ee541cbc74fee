"""Plays a response of given bytes at given times through the reading of an attempt, and measures it.

Times are milliseconds after the request was sent. Nothing waits: signals are made up, and everything behind
them is the daemon's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec

from daemon.attempts.reading import AttemptReading, AttemptResult
from daemon.transport.contract import Connected, EndCause, Ended, Read, Responded, Sent, Signal, Written
from daemon.wire.registry import dialect
from projections.metrics import AttemptMetrics, measure
from schemas.catalogue import DialectName, ReasoningKind
from schemas.definitions import Definitions
from schemas.events import AttemptCompleted, ConnectionFacts
from schemas.timeline import TimelineRow, unpack_timeline

SENT_WALL_NS = 1_796_000_000_000_000_000
SENT_MONO_NS = 5_000_000_000
DONE = b"data: [DONE]\n\n"
EVENT_STREAM = (("content-type", "text/event-stream"),)


def at(ms: float) -> int:
    """Monotonic time of a moment after the request was sent."""
    return SENT_MONO_NS + round(ms * 1_000_000)


def event(value: object) -> bytes:
    """Make one server-sent event with JSON data."""
    return b"data: " + msgspec.json.encode(value) + b"\n\n"


def delta(finish: str | None = None, **fields: Any) -> bytes:
    """Make a chunk whose only choice has these fields in its delta."""
    return event({"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]})


def c(text: str) -> bytes:
    """Make an answer delta."""
    return delta(content=text)


def r(text: str) -> bytes:
    """Make a reasoning delta."""
    return delta(reasoning_content=text)


def usage(**counters: Any) -> bytes:
    """Make a chunk with usage and no choices."""
    return event({"choices": [], "usage": counters})


STOP = delta(finish="stop")


class Played(msgspec.Struct, frozen=True):
    """What came of a played response."""

    result: AttemptResult
    reasoning: ReasoningKind

    @property
    def completed(self) -> AttemptCompleted:
        """The event that the log would get."""
        return AttemptCompleted(
            attempt=UUID(int=1),
            run=UUID(int=2),
            request=UUID(int=1),
            endpoint="e",
            account="a",
            suite="performance",
            workload="text-1k",
            scenario="single",
            slot=None,
            ordinal=0,
            sequence=1,
            retry_of=None,
            prompt_sha256=None,
            prompt_tokens=None,
            min_output_tokens=None,
            **msgspec.structs.asdict(self.result),
        )

    @property
    def metrics(self) -> AttemptMetrics:
        """The figures that a projection would make of it."""
        return measure(self.completed, self.reasoning, Definitions())

    @property
    def rows(self) -> list[TimelineRow]:
        """The timeline's rows."""
        return list(unpack_timeline(self.result.timeline))

    @property
    def failure_kind(self) -> str | None:
        """Class of the failure, if there was one."""
        return self.result.failure.kind if self.result.failure else None


def opening(status: int = 200, headers: Sequence[tuple[str, str]] = EVENT_STREAM, ms: float = 1) -> list[Signal]:
    """Connect, send and respond; the response's headers are complete after ``ms``."""
    return [
        Connected(ConnectionFacts(reused=False, connect_us=900)),
        Sent(SENT_WALL_NS, SENT_MONO_NS),
        Written(SENT_MONO_NS + 10_000),
        Responded(at(ms), at(ms), status, tuple(headers)),
    ]


def play(
    *reads: tuple[float, bytes],
    end_ms: float | None = None,
    cause: EndCause = "complete",
    status: int = 200,
    headers: Sequence[tuple[str, str]] = EVENT_STREAM,
    reasoning: ReasoningKind = "unknown",
    secrets: Sequence[str] = (),
    spoken: DialectName = "openai-chat",
) -> Played:
    """Play reads of (ms, bytes), then an end right after the last one or at ``end_ms``."""
    reading = AttemptReading(dialect(spoken), clock="simulated", secrets=secrets)
    head_ms = min([1.0, *(ms for ms, _ in reads)])
    for signal in opening(status, headers, head_ms):
        reading.take(signal)
    for ms, data in reads:
        reading.take(Read(at(ms), data))
    last_ms = reads[-1][0] if reads else head_ms
    reading.take(Ended(at(last_ms if end_ms is None else end_ms), cause))
    return Played(reading.result(), reasoning)
