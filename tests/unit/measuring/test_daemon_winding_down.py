"""How a daemon ends: what it waits for, what it counts, what it tells the log, and what it begins no more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest
from measuring import (
    Choice,
    Lines,
    Measuring,
    MemoryLog,
    Play,
    answer,
    by_endpoint,
    endpoint,
    rate_limited,
)

from daemon.app import Daemon, StopReport
from daemon.machine import daemon_started
from daemon.runs.engine import RunEngine
from daemon.schedule.slots import plan_from
from daemon.schedule.waker import LoopWaker
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.telemetry import Telemetry
from schemas.configuration import PlanTable
from schemas.errors import LogError, LogFullError
from schemas.events import AttemptCompleted, DaemonStopped, Event, RequestSent
from schemas.log import StoredEvent

LONG = answer(*["word "] * 3000)
"""Five minutes."""


class NoHistory:
    """The past of a daemon that starts for the first time."""

    def read_after(self, seq: int, *, limit: int) -> Sequence[StoredEvent]:  # noqa: ARG002  # the contract's
        """Return nothing."""
        return ()

    def tail(self, limit: int, *, kind: str | None = None) -> Sequence[StoredEvent]:  # noqa: ARG002  # the contract's
        """Return nothing."""
        return ()

    def of_type(self, kind: str, *, after: int = 0, limit: int) -> Sequence[StoredEvent]:  # noqa: ARG002  # the contract's
        """Return nothing."""
        return ()


class Living:
    """A daemon with one plan an endpoint, all due at once; its first slot begins at noon."""

    def __init__(self, loop: SimulatedLoop, choose: Choice | Play, *names: str, **options: Any) -> None:
        self.at = Measuring(loop, choose, endpoints=[endpoint(name) for name in names], workload=Lines(), **options)
        self.at.engine._workloads = {f"lines-{name}": Lines(f"lines-{name}") for name in names}
        self.stop = asyncio.Event()
        self.daemon = Daemon(
            started=daemon_started(configuration_sha256="", vantage="here", simulated=True),
            catalogue=self.at.catalogue,
            plans=[
                plan_from(PlanTable(workload=f"lines-{name}", every="3h", jitter_minutes=0, endpoints=(name,)))
                for name in names
            ],
            engine=self.at.engine,
            log=self.at.log,
            history=NoHistory(),
            waker=LoopWaker(self.at.clock),
            world=self.at.world,
            telemetry=Telemetry(),
        )

    async def until(self, stop_s: float, *, grace_s: float = 20.0) -> StopReport:
        """Start, stop after so many seconds, and return the report."""
        await self.daemon.start()
        if stop_s:
            asyncio.get_running_loop().call_later(stop_s, self.stop.set)
        else:
            self.stop.set()
        return await self.daemon.run(self.stop, grace_s=grace_s)

    @property
    def stopped(self) -> DaemonStopped:
        """The log's last word."""
        last = self.at.log.events[-1]
        assert isinstance(last, DaemonStopped)
        return last


def simulated(main: Callable[[SimulatedLoop], Coroutine[Any, Any, None]]) -> None:
    run_simulated(main)


def test_it_waits_for_what_is_under_way_and_counts_it() -> None:
    """Runs that end within the grace are counted as finished, the others as cancelled, and nothing is left open."""

    async def main(loop: SimulatedLoop) -> None:
        living = Living(loop, by_endpoint(LONG, a=answer(*["word "] * 50)), "a", "b", "c")
        report = await living.until(1.0)
        assert (report.finished_in_flight, report.cancelled_in_flight, report.failure) == (1, 2, None)
        assert loop.time() == pytest.approx(1.0 + 1.0 + 20.0, abs=0.1)
        stopped = living.stopped
        assert (stopped.reason, stopped.finished_in_flight, stopped.cancelled_in_flight) == ("signal", 1, 2)
        ends = {completed.endpoint: completed.status for completed in living.at.log.completed}
        assert ends == {"a": "response", "b": "cancelled", "c": "cancelled"}
        living.at.log.assert_closed()

    simulated(main)


def test_with_nothing_under_way_it_ends_at_once() -> None:
    """After its slots are over a daemon that is told to stop waits for nothing."""

    async def main(loop: SimulatedLoop) -> None:
        living = Living(loop, answer(), "a")
        report = await living.until(60.0)
        assert (report.finished_in_flight, report.cancelled_in_flight) == (0, 0)
        assert loop.time() == pytest.approx(61.0, abs=0.1)
        living.at.log.assert_closed()

    simulated(main)


def test_told_to_stop_before_it_began_it_begins_nothing() -> None:
    """A daemon that is stopped while it starts plans no slot, so the next start finds it due."""

    async def main(loop: SimulatedLoop) -> None:
        living = Living(loop, answer(), "a")
        await living.until(0.0)
        assert living.at.log.types == ["daemon-started", "catalogue-declared", "daemon-stopped"]

    simulated(main)


def test_told_to_stop_while_prompts_are_made_it_plans_nothing() -> None:
    """A run that has no plan yet when the daemon stops leaves none, so the next start finds its slot due."""

    async def main(loop: SimulatedLoop) -> None:
        living = Living(loop, answer(), "a", count_s=4.0)
        report = await living.until(1.0)
        assert living.at.log.types == ["daemon-started", "catalogue-declared", "daemon-stopped"]
        assert (report.finished_in_flight, report.cancelled_in_flight) == (1, 0)

    simulated(main)


def test_a_rate_limit_is_not_waited_out_while_stopping() -> None:
    """A further attempt that would begin after the stop is not made; the one that was limited stays the last."""

    async def main(loop: SimulatedLoop) -> None:
        living = Living(loop, rate_limited(retry_after="10"), "a")
        await living.until(1.0)
        assert len(living.at.transport.sent) == 1
        living.at.log.assert_closed()

    simulated(main)


def test_a_defect_outside_of_an_exchange_stops_it_aloud(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that breaks ends the daemon at once, with the reason in its last event, and the others are cancelled."""

    async def main(loop: SimulatedLoop) -> None:
        monkeypatch.setattr(RunEngine, "_count_cost", lambda *_: 1 / 0)
        living = Living(loop, by_endpoint(LONG, a=answer()), "a", "b")
        report = await living.until(1000.0)
        assert loop.time() < 3
        assert "this is a defect" in str(report.failure)
        assert living.stopped.reason == "error"
        assert "lines-a@2026-11-30T12:00Z" in (living.stopped.detail or "")
        ends = {completed.endpoint: completed.status for completed in living.at.log.completed}
        assert ends == {"a": "response", "b": "cancelled"}
        living.at.log.assert_closed()

    simulated(main)


@pytest.mark.parametrize("kind", [RequestSent, AttemptCompleted])
def test_a_failing_log_stops_it_and_is_asked_for_nothing_more(kind: type[Event]) -> None:
    """When the log fails no last event is tried, the requests under way are cut off, and the report says why."""

    async def main(loop: SimulatedLoop) -> None:
        log = MemoryLog(refuse=lambda event: isinstance(event, kind) and getattr(event, "endpoint", "") == "a")
        living = Living(loop, by_endpoint(LONG, a=answer()), "a", "b", log=log)
        report = await living.until(1000.0)
        assert isinstance(report.failure, LogFullError)
        assert loop.time() < 3
        assert living.at.transport.open == 0
        assert not any(isinstance(event, DaemonStopped) for event in [*log.events, *log.refused])

    simulated(main)


def test_a_log_that_fails_at_the_very_end() -> None:
    """A log that refuses the last event raises, so that the process does not end as if all were well."""

    async def main(loop: SimulatedLoop) -> None:
        log = MemoryLog(refuse=lambda event: isinstance(event, DaemonStopped))
        with pytest.raises(LogError, match="disk full"):
            await Living(loop, answer(), "a", log=log).until(60.0)

    simulated(main)
