"""What the daemon says about itself while it works. This base says it to nobody and costs next to nothing.

None of it is a measurement: figures are folded from the log. This is for whoever keeps the daemon running.
"""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from schemas.catalogue import EndpointFacts
from schemas.events import AttemptCompleted
from schemas.events.runs import Scenario, SkipReason

SlotOutcome = Literal["on-time", "late"] | SkipReason
"""What became of a slot: it began on time or late, or was skipped for a reason."""

LagStage = Literal["forwarder", "projection"]

LoopName = Literal["daemon", "measuring"]
"""Whose event loop: the daemon's own, or that of its measuring process."""


class Telemetry:
    """Receives what happens; every method returns at once and raises nothing of the exporter's troubles."""

    def attempt_started(self, endpoint: EndpointFacts) -> None:
        """Note that a request is about to be sent; exactly one :meth:`attempt_completed` must follow."""

    def attempt_completed(self, completed: AttemptCompleted, endpoint: EndpointFacts) -> None:
        """Note the end of an attempt that was started, as the log now holds it."""

    def slot(self, outcome: SlotOutcome, workload: str, scenario: Scenario, *, delay_s: float | None = None) -> None:
        """Note what became of a slot; ``delay_s`` counts from its nominal time to its start."""

    def run_completed(self, run: UUID, *, workload: str, slot: str | None, begin_ns: int, end_ns: int) -> None:
        """Note a finished run with its wall times; its attempts' spans hang below this one."""

    def log_appended(self, duration_s: float, events: int) -> None:
        """Note one durable append: how long it took and how many events it held."""

    def lag(self, stage: LagStage, events: int) -> None:
        """Note by how many events a reader of the log is behind."""

    def backlog(self, size_bytes: int, age_s: float) -> None:
        """Note what waits in the log to be forwarded, and for how long the oldest of it has."""

    def loop_lag(self, duration_s: float, loop: LoopName = "daemon") -> None:
        """Note by how much an event loop was late."""

    def garbage_pause(self, duration_s: float) -> None:
        """Note how long collecting garbage held up the measuring process."""

    def close(self) -> None:
        """Send what is still held. Blocks for some seconds at most; call it off the event loop."""
