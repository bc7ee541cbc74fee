"""What holds up an event loop that measures: how late it wakes, and how long garbage collection takes.

Kernel times do not suffer from it until tokens arrive faster than the loop comes back; user-space times do at
once. So it is recorded while measuring, beside what was measured.
"""

from __future__ import annotations

import asyncio
import gc
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Self

import msgspec

from daemon.transport.contract import HeldUp, Signal

_EVERY_S: Final = 0.005
_MOST_SAMPLES: Final = 100_000


class Strain(msgspec.Struct, frozen=True, kw_only=True):
    """Over some time of measuring; None where nothing was sampled.

    lag_p99_us, lag_max_us: lateness of a sleeper, the selector's own rounding included.
    gc_pauses, gc_longest_us: collections of garbage, and the longest.
    """

    lag_p99_us: int | None
    lag_max_us: int | None
    gc_pauses: int
    gc_longest_us: int


class Maxima:
    """The largest value since any moment, without keeping all of them.

    A value that a later and larger one follows is nobody's maximum any more, so what is kept only falls and
    has a few entries, however many values came.
    """

    def __init__(self) -> None:
        self.count = 0
        self._numbers: list[int] = []
        self._values: list[int] = []

    def add(self, value: int) -> None:
        """Add the next value."""
        while self._values and self._values[-1] <= value:
            self._values.pop()
            self._numbers.pop()
        self._values.append(value)
        self._numbers.append(self.count)
        self.count += 1

    def since(self, count: int) -> int | None:
        """Return the largest of those added after ``self.count`` was ``count``; None of none."""
        at = bisect_left(self._numbers, count)
        return self._values[at] if at < len(self._values) else None


class StrainWatch:
    """Samples the running event loop, as a context, for as long as anybody watches."""

    def __init__(self) -> None:
        self._late_s: deque[float] = deque(maxlen=_MOST_SAMPLES)
        self._pauses_s: deque[float] = deque(maxlen=_MOST_SAMPLES)
        self._lags_us = Maxima()
        self._collections_us = Maxima()
        self._collecting_since_s = 0.0
        self._watchers = 0
        self._due_s = 0.0
        self._sampling: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        self._start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stop()

    def watch(self) -> Since:
        """Sample until what is returned is told to end."""
        self._start()
        return Since(self._lags_us, self._collections_us, self._stop)

    def take(self) -> Strain:
        """Return what was seen since the last time, and begin anew."""
        strain = Strain(
            lag_p99_us=percentile_us(self._late_s, 0.99),
            lag_max_us=percentile_us(self._late_s, 1.0),
            gc_pauses=len(self._pauses_s),
            gc_longest_us=percentile_us(self._pauses_s, 1.0) or 0,
        )
        self._late_s.clear()
        self._pauses_s.clear()
        return strain

    def _start(self) -> None:
        self._watchers += 1
        if self._watchers == 1:
            gc.callbacks.append(self._collecting)
            self._wait()

    def _stop(self) -> None:
        self._watchers -= 1
        if self._watchers == 0:
            gc.callbacks.remove(self._collecting)
            if self._sampling is not None:
                self._sampling.cancel()
            # Nobody is left who could ask of a time before now.
            self._lags_us, self._collections_us = Maxima(), Maxima()

    def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        self._due_s = loop.time() + _EVERY_S
        self._sampling = loop.call_at(self._due_s, self._sample)

    def _sample(self) -> None:
        # A timer and no task: it runs before whatever the same turn of the loop has woken.
        late_s = max(0.0, asyncio.get_running_loop().time() - self._due_s)
        self._late_s.append(late_s)
        self._lags_us.add(round(late_s * 1e6))
        self._wait()

    def _collecting(self, phase: str, _: dict[str, int]) -> None:
        now_s = time.perf_counter()
        if phase == "start":
            self._collecting_since_s = now_s
        else:
            paused_s = now_s - self._collecting_since_s
            self._pauses_s.append(paused_s)
            self._collections_us.add(round(paused_s * 1e6))


class Since:
    """What held up a watched loop since a moment, told when it has grown."""

    def __init__(self, lags_us: Maxima, collections_us: Maxima, end: Callable[[], None]) -> None:
        self._lags_us = lags_us
        self._collections_us = collections_us
        self._told: HeldUp | None = None
        self.end = end
        self.begin()

    def begin(self) -> None:
        """Forget what was before now."""
        self._lags_before = self._lags_us.count
        self._collections_before = self._collections_us.count

    def tell(self, signals: deque[Signal]) -> None:
        """Put what held the loop up before these signals, unless that has been told already."""
        held_up = HeldUp(
            self._lags_us.since(self._lags_before),
            self._collections_us.count - self._collections_before,
            self._collections_us.since(self._collections_before),
        )
        if held_up != self._told:
            self._told = held_up
            signals.appendleft(held_up)


def worse(one: Strain, other: Strain) -> Strain:
    """Join two stretches: the worse of both p99s and maxima, and all pauses."""
    return Strain(
        lag_p99_us=_larger(one.lag_p99_us, other.lag_p99_us),
        lag_max_us=_larger(one.lag_max_us, other.lag_max_us),
        gc_pauses=one.gc_pauses + other.gc_pauses,
        gc_longest_us=max(one.gc_longest_us, other.gc_longest_us),
    )


def percentile_us(seconds: Sequence[float], share: float) -> int | None:
    """Nearest-rank percentile in whole microseconds; None of nothing."""
    if not seconds:
        return None
    ordered = sorted(seconds)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1e6)


def _larger(one: int | None, other: int | None) -> int | None:
    known = [value for value in (one, other) if value is not None]
    return max(known, default=None)
