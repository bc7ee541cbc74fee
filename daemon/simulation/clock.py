"""The clock of a simulation: monotonic time is the loop's, wall time is laid over it."""

from __future__ import annotations

from daemon.simulation.loop import SimulatedLoop


class SimulatedClock:
    """A :class:`schemas.clocks.Clock` whose wall reads ``start_wall_ns`` at the moment it is made.

    Both readings move with the loop. A machine that sleeps, and a wall clock that is corrected, move the
    wall alone, as Linux has it.
    """

    def __init__(self, loop: SimulatedLoop, start_wall_ns: int, *, boot: str = "simulated") -> None:
        self._loop = loop
        self._wall_minus_mono_ns = start_wall_ns - loop.now_ns
        self._boot = boot

    @property
    def boot(self) -> str:
        """See :class:`schemas.clocks.Clock`."""
        return self._boot

    def wall_ns(self) -> int:
        """See :class:`schemas.clocks.Clock`."""
        return self._loop.now_ns + self._wall_minus_mono_ns

    def mono_ns(self) -> int:
        """See :class:`schemas.clocks.Clock`."""
        return self._loop.now_ns

    def sleep_machine(self, seconds: float) -> None:
        """Put the machine to sleep: the wall goes on, timers and the monotonic clock stand still."""
        if seconds < 0:
            raise ValueError(f"a machine sleeps forward; got {seconds} s (use step_wall for a corrected wall clock)")
        self.step_wall(round(seconds * 1e9))

    def step_wall(self, ns: int) -> None:
        """Correct the wall clock by ``ns`` (either sign), as NTP or an operator would."""
        self._wall_minus_mono_ns += ns

    def reboot(self, boot: str) -> None:
        """Start another boot: monotonic readings are comparable only within one."""
        self._boot = boot
