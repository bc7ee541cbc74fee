"""What holds up an event loop that measures: how late it wakes, and how long garbage collection takes.

Kernel times do not suffer from it until tokens arrive faster than the loop comes back; user-space times do at
once. So it is recorded while measuring, beside what was measured.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections import deque
from collections.abc import Sequence
from typing import Final, Self

import msgspec

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


class StrainWatch:
    """Samples the running event loop, as a context."""

    def __init__(self) -> None:
        self._late_s: deque[float] = deque(maxlen=_MOST_SAMPLES)
        self._pauses_s: deque[float] = deque(maxlen=_MOST_SAMPLES)
        self._collecting_since_s = 0.0
        self._sampling: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin to sample; harmless when it has begun."""
        if self._sampling is None:
            gc.callbacks.append(self._collecting)
            self._sampling = asyncio.get_running_loop().create_task(self._sample(), name="event loop lag")

    def stop(self) -> None:
        """Stop sampling; what was seen stays."""
        if self._sampling is not None:
            self._sampling.cancel()
            self._sampling = None
            gc.callbacks.remove(self._collecting)

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

    async def _sample(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due_s = loop.time() + _EVERY_S
            await asyncio.sleep(_EVERY_S)
            self._late_s.append(max(0.0, loop.time() - due_s))

    def _collecting(self, phase: str, _: dict[str, int]) -> None:
        now_s = time.perf_counter()
        if phase == "start":
            self._collecting_since_s = now_s
        else:
            self._pauses_s.append(now_s - self._collecting_since_s)


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
