"""When bytes arrived, as the kernel says, on the monotonic clock. The arithmetic is pure; clocks are given.

With ``SO_TIMESTAMPNS`` Linux tells with each read when the newest of its bytes came in from the network. That is
a wall time. Both clocks run at the same rate, so their distance is constant until somebody steps the wall
clock; it is measured anew at every read, and a read during which it changed has no trustworthy kernel time.
Such a read keeps the time at which it was made, and says so.
"""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Sequence
from typing import Final

import msgspec

from schemas.clocks import Clock
from schemas.errors import ConfigurationError

ANCILLARY_BYTES: Final = 128
"""Room for what ``recvmsg`` may say beside the bytes."""

# <asm-generic/socket.h>; Python's socket module names neither. The kernel answers under the number that was set.
# This one carries 64-bit seconds on every architecture, since Linux 5.1.
_SO_TIMESTAMPNS_NEW: Final = 64
_TIMESPEC: Final = struct.Struct("=qq")
_NS_PER_S: Final = 1_000_000_000
_SLACK_NS: Final = 50_000
_LOOKS: Final = 5

Ancillary = Sequence[tuple[int, int, bytes]]


def want_kernel_times(sock: socket.socket) -> None:
    """Ask the kernel to note when bytes arrive on a socket. Raises :class:`OSError` where it cannot."""
    if sys.platform != "linux":
        raise OSError("only Linux has them")
    sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS_NEW, 1)


class ArrivalClock:
    """Keeps the kernel noting arrivals for as long as it is open.

    The kernel begins to note the times of packets a moment after the first socket asks for it, so one that is
    never used asks at the start and stays open. Raises :class:`ConfigurationError` where that is impossible.
    """

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            want_kernel_times(self._socket)
        except OSError as problem:
            self._socket.close()
            raise ConfigurationError(
                f"this machine gives no arrival times from the kernel ({problem.strerror or problem}); "
                'measure with the transport "user-space"'
            ) from problem

    def close(self) -> None:
        """Let the kernel stop, if nobody else asks."""
        self._socket.close()


def kernel_times_available() -> bool:
    """Tell whether this machine gives arrival times from the kernel."""
    try:
        ArrivalClock().close()
    except ConfigurationError:
        return False
    return True


class WallOffset:
    """How far the wall clock is ahead of the monotonic one; ``epoch`` counts the steps that were noticed."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.epoch = 0
        self.ns, self._width_ns, _ = min((self._pair() for _ in range(_LOOKS)), key=lambda pair: pair[1])

    def look(self) -> int:
        """Compare the clocks once more and return the monotonic time now.

        A wall reading between two monotonic ones gives the distance to within half of theirs, so a process
        that was interrupted in between proves nothing and the better value of before stands.
        """
        ns, width_ns, now_ns = self._pair()
        if abs(ns - self.ns) > (width_ns + self._width_ns) // 2 + _SLACK_NS:
            self.epoch += 1
            self.ns, self._width_ns = ns, width_ns
        elif width_ns < self._width_ns:
            self.ns, self._width_ns = ns, width_ns
        return now_ns

    def _pair(self) -> tuple[int, int, int]:
        before_ns = self._clock.mono_ns()
        wall_ns = self._clock.wall_ns()
        after_ns = self._clock.mono_ns()
        return wall_ns - (before_ns + after_ns) // 2, after_ns - before_ns, after_ns


class Arrival(msgspec.Struct, frozen=True):
    """When bytes arrived, or, with ``user_space``, when they were read."""

    mono_ns: int
    user_space: bool


class Arrivals:
    """Times of one connection's reads, in order; they never go back.

    Segments that overtook others on the way bear earlier times than those before them in the stream, but
    nobody could have had them before the gap was filled.

    not_before_ns: no byte can have arrived earlier; default: now. A connection that was accepted may have
        brought bytes before.
    """

    def __init__(self, offset: WallOffset, *, not_before_ns: int | None = None) -> None:
        self._offset = offset
        now_ns = offset.look()
        self._last_ns = self._opened_ns = now_ns if not_before_ns is None else not_before_ns
        self._epoch = offset.epoch

    def of(self, ancillary: Ancillary) -> Arrival:
        """Return the time of a read that was made just now."""
        now_ns = self._offset.look()
        stepped = self._epoch != self._offset.epoch
        self._epoch = self._offset.epoch
        wall_ns = _stamp(ancillary)
        if wall_ns is None or stepped:
            return self._user_space(now_ns)
        mono_ns = wall_ns - self._offset.ns
        if not self._opened_ns - _SLACK_NS <= mono_ns <= now_ns + _SLACK_NS:
            return self._user_space(now_ns)
        self._last_ns = max(self._last_ns, min(mono_ns, now_ns))
        return Arrival(self._last_ns, user_space=False)

    def _user_space(self, now_ns: int) -> Arrival:
        self._last_ns = max(self._last_ns, now_ns)
        return Arrival(self._last_ns, user_space=True)


def _stamp(ancillary: Ancillary) -> int | None:
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == _SO_TIMESTAMPNS_NEW and len(data) == _TIMESPEC.size:
            seconds, nanoseconds = _TIMESPEC.unpack(data)
            return int(seconds) * _NS_PER_S + int(nanoseconds) or None
    return None
