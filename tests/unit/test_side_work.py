"""Work beside the measuring: it may break, but neither for good nor in silence."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
import structlog

from daemon.composition import Parts
from daemon.configuration import builtin
from daemon.live import companions, keep_house, kept_up
from daemon.log.blobs import Removal
from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.world import simulated_world
from schemas.configuration import RetentionTable

NOON_NS = 1_796_040_000_000_000_000
YEAR_NS = 365 * 86_400 * 1_000_000_000


class Blobs:
    """Notes when it was asked to remove what is old."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    def remove_older_than(self, days: int, now_ns: int) -> Removal:
        self.asked.append((days, now_ns))
        return Removal((), 0)


def made_of(**parts: Any) -> Parts:
    """Parts of which only the named ones are there."""
    absent = dict.fromkeys(("world", "transport", "log", "history", "blobs", "keys", "waker", "telemetry"))
    return Parts(**{**absent, **parts})


def test_side_work_is_taken_up_again_and_told() -> None:
    """Work that breaks is told with its cause at once and begins anew after its pause."""
    begun: list[float] = []

    async def work() -> None:
        begun.append(asyncio.get_running_loop().time())
        if len(begun) < 3:
            raise ZeroDivisionError("nobody thought of this")

    async def main(_: SimulatedLoop) -> None:
        async with companions(asyncio.create_task(kept_up("fold", work, pause_s=30.0))):
            await asyncio.sleep(10)
            assert len(told) == 1
            await asyncio.sleep(90)

    with structlog.testing.capture_logs() as told:
        run_simulated(main)
    assert [moment - begun[0] for moment in begun] == pytest.approx([0, 30, 60])
    assert [(entry["log_level"], entry["work"], entry["exc_info"]) for entry in told] == [("error", "fold", True)] * 2


def test_a_clock_that_is_wrong_at_the_start_removes_nothing() -> None:
    """Bodies outlive a clock that is a year ahead when the daemon starts and is corrected an hour later."""
    configuration = msgspec.structs.replace(builtin(), retention=RetentionTable(blobs_days=90))
    blobs = Blobs()

    async def main(loop: SimulatedLoop) -> None:
        clock = SimulatedClock(loop, NOON_NS + YEAR_NS)
        parts = made_of(world=simulated_world(clock, "side work"), blobs=blobs)
        async with companions(asyncio.create_task(keep_house(configuration, parts))):
            await asyncio.sleep(3600)
            clock.step_wall(-YEAR_NS)
            await asyncio.sleep(86_400)

    run_simulated(main)
    assert blobs.asked
    assert all(days == 90 and NOON_NS < now_ns < NOON_NS + YEAR_NS for days, now_ns in blobs.asked)
