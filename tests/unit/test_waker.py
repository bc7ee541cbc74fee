"""The waker on a real clock: it calls at the moment asked for, and again whatever the wall clock does."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, tzinfo

import apscheduler.schedulers.base
import pytest

from daemon.schedule.waker import SWEEP_S, ApschedulerWaker
from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop, run_simulated

NOON_NS = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()) * 1_000_000_000
SECOND_NS = 1_000_000_000
HOUR_S = 3600.0


class Wakings:
    """A waker in simulated time, and the seconds of the monotonic clock at which it called."""

    def __init__(self, loop: SimulatedLoop, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = SimulatedClock(loop, NOON_NS)
        self.waker = ApschedulerWaker()
        self.called_s: list[float] = []
        self._begin_ns = loop.now_ns
        clock = self.clock

        class SimulatedDatetime(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # an aware one, always
                return datetime.fromtimestamp(clock.wall_ns() / 1e9, tz)

        monkeypatch.setattr(apscheduler.schedulers.base, "datetime", SimulatedDatetime)
        self.waker.start(self._wake)

    async def _wake(self) -> None:
        self.called_s.append((self.clock.mono_ns() - self._begin_ns) / 1e9)


def test_it_calls_at_the_moment_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two sweeps the call comes at the moment itself."""

    async def main(loop: SimulatedLoop) -> None:
        wakings = Wakings(loop, monkeypatch)
        wakings.waker.wake_at(NOON_NS + 10 * SECOND_NS)
        await asyncio.sleep(20)
        wakings.waker.stop()
        assert wakings.called_s == pytest.approx([10], abs=0.001)

    run_simulated(main)


@pytest.mark.parametrize("step_s", [-5 * HOUR_S, 5 * HOUR_S])
def test_a_stepped_wall_clock_does_not_stop_the_sweeps(monkeypatch: pytest.MonkeyPatch, step_s: float) -> None:
    """A wall clock that is set back or forward by hours goes unnoticed no longer than one sweep."""

    async def main(loop: SimulatedLoop) -> None:
        wakings = Wakings(loop, monkeypatch)
        wakings.waker.wake_at(NOON_NS + 600 * SECOND_NS)
        await asyncio.sleep(5)
        wakings.clock.step_wall(round(step_s * SECOND_NS))
        await asyncio.sleep(10 * SWEEP_S)
        wakings.waker.stop()
        gaps = [later - earlier for earlier, later in zip([0.0, *wakings.called_s], wakings.called_s, strict=False)]
        assert len(gaps) >= 10
        assert max(gaps) <= SWEEP_S + 0.001

    run_simulated(main)


def test_a_call_that_asks_for_another_at_once_is_called_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A moment that has come while the call before it is still running is not left to the next sweep."""

    async def main(loop: SimulatedLoop) -> None:
        wakings = Wakings(loop, monkeypatch)
        waker, called = ApschedulerWaker(), []

        async def wake() -> None:
            called.append(wakings.clock.mono_ns())
            if len(called) == 1:
                waker.wake_at(wakings.clock.wall_ns())

        waker.start(wake)
        waker.wake_at(NOON_NS + 5 * SECOND_NS)
        await asyncio.sleep(10)
        waker.stop()
        wakings.waker.stop()
        assert len(called) == 2

    run_simulated(main)
