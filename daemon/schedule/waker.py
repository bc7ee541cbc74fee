"""What wakes the daemon: APScheduler on a real clock, the event loop's own timers on a simulated one.

Both call the same function at the same moments. The function decides by the wall clock what is due, so an
early or doubled call is harmless; a regular sweep catches what a sleeping machine or a corrected clock did
to the timers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Final, Protocol

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.date import DateTrigger

from schemas.clocks import Clock

SWEEP_S: Final = 30
"""Longest time for which a jump of the wall clock can go unnoticed."""

_CALLS_AT_ONCE: Final = 8

Wake = Callable[[], Awaitable[None]]


class Waker(Protocol):
    """Calls a function at moments of the wall clock."""

    def start(self, wake: Wake) -> None:
        """Begin: call ``wake`` at every moment asked for, and at every sweep."""

    def wake_at(self, wall_ns: int) -> None:
        """Ask for a call at this moment; replaces the moment asked for before."""

    def stop(self) -> None:
        """End; no call begins afterwards."""


class ApschedulerWaker:
    """Wakes by APScheduler 3 at the next slot, and by the event loop's monotonic clock for the sweep.

    The sweep is no job of APScheduler: after a wall clock was set back by hours, its jobs sleep for as long.
    """

    def __init__(self) -> None:
        self._scheduler = AsyncIOScheduler(
            timezone=UTC,
            # A late wake-up is still a wake-up: what is due is decided by the clock, not by the job. And a call
            # may ask for the next one before it has ended, even at once.
            job_defaults={"coalesce": True, "max_instances": _CALLS_AT_ONCE, "misfire_grace_time": None},
        )
        self._wake: Wake | None = None
        self._sweeping: asyncio.Task[None] | None = None

    def start(self, wake: Wake) -> None:
        """See :class:`Waker`."""
        self._wake = wake
        self._scheduler.start()
        self._sweeping = asyncio.get_running_loop().create_task(_sweep(wake), name="sweep")

    def wake_at(self, wall_ns: int) -> None:
        """See :class:`Waker`."""
        if self._wake is None:
            raise RuntimeError("start the waker before asking it to wake anybody")
        moment = datetime.fromtimestamp(wall_ns / 1e9, UTC)
        self._scheduler.add_job(self._wake, DateTrigger(moment), id="next-slot", replace_existing=True)

    def stop(self) -> None:
        """See :class:`Waker`."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)


async def _sweep(wake: Wake) -> None:
    while True:
        await asyncio.sleep(SWEEP_S)
        await wake()


class LoopWaker:
    """Wakes by the running event loop's timers, against an injected clock: for simulated time."""

    def __init__(self, clock: Clock, sweep_s: float = SWEEP_S) -> None:
        self._clock = clock
        self._sweep_s = sweep_s
        self._next_ns: int | None = None
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self, wake: Wake) -> None:
        """See :class:`Waker`."""
        self._task = asyncio.get_running_loop().create_task(self._run(wake))

    def wake_at(self, wall_ns: int) -> None:
        """See :class:`Waker`."""
        self._next_ns = wall_ns
        self._changed.set()

    def stop(self) -> None:
        """See :class:`Waker`."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self, wake: Wake) -> None:
        while True:
            pause_s = self._sweep_s
            if self._next_ns is not None:
                # Rounded up to a microsecond: a timer that fires early would only spin.
                ahead_s = max(0, self._next_ns - self._clock.wall_ns()) / 1e9 + 1e-6
                pause_s = min(pause_s, ahead_s)
            try:
                async with asyncio.timeout(pause_s):
                    await self._changed.wait()
                self._changed.clear()
            except TimeoutError:
                self._next_ns = None
                await wake()
