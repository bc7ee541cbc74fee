"""Time as an injected thing: wall clocks place, monotonic clocks measure.

A :class:`Clock` gives both readings and the boot identifier under which monotonic readings are comparable.
Waiting is not here: code that waits uses the event loop, and a simulated event loop waits in no time.
"""

from __future__ import annotations

import time
import uuid
from pathlib import Path
from typing import Protocol

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Clock(Protocol):
    """Both readings of "now"."""

    @property
    def boot(self) -> str:
        """Name of the span in which ``mono_ns`` readings may be subtracted from one another."""

    def wall_ns(self) -> int:
        """Nanoseconds since 1970-01-01T00:00Z; may jump, so never subtract two of them for a duration."""

    def mono_ns(self) -> int:
        """Nanoseconds since an arbitrary start; never goes back within one ``boot``."""


class SystemClock:
    """The machine's own clocks. On Linux ``boot`` is the kernel's boot id, elsewhere one per process."""

    def __init__(self) -> None:
        self._boot = _kernel_boot_id() or uuid.uuid4().hex

    @property
    def boot(self) -> str:
        """See :class:`Clock`."""
        return self._boot

    def wall_ns(self) -> int:
        """See :class:`Clock`."""
        return time.time_ns()

    def mono_ns(self) -> int:
        """See :class:`Clock`."""
        return time.monotonic_ns()


class ManualClock:
    """A clock that moves only when told to; wall and monotonic time can be moved apart."""

    def __init__(self, wall_ns: int, *, mono_ns: int = 1_000_000_000, boot: str = "manual") -> None:
        self._wall_ns = wall_ns
        self._mono_ns = mono_ns
        self._boot = boot

    @property
    def boot(self) -> str:
        """See :class:`Clock`."""
        return self._boot

    def wall_ns(self) -> int:
        """See :class:`Clock`."""
        return self._wall_ns

    def mono_ns(self) -> int:
        """See :class:`Clock`."""
        return self._mono_ns

    def advance(self, ns: int) -> None:
        """Let ``ns`` nanoseconds pass on both clocks."""
        if ns < 0:
            raise ValueError(f"time passes forward; got {ns} ns (use step_wall for a corrected wall clock)")
        self._wall_ns += ns
        self._mono_ns += ns

    def step_wall(self, ns: int) -> None:
        """Correct the wall clock by ``ns`` (either sign), as NTP or an operator would."""
        self._wall_ns += ns


def _kernel_boot_id() -> str | None:
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:  # not Linux, or a sandbox without /proc: the caller has another source
        return None
