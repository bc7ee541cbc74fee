"""When a request reached this machine, by the kernel, rather than when this process got round to reading it.

The zero of true durations must not depend on how busy the server is, or its lateness is taken for an error of
whoever measures it. asyncio owns the sockets, so they are of a kind that notes the time as it is read from.
Where the kernel gives no times there is none to be had here either.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import Any
from weakref import WeakValueDictionary

from daemon.transport.kernel_times import (
    ANCILLARY_BYTES,
    Arrivals,
    WallOffset,
    kernel_times_available,
    want_kernel_times,
)
from schemas.clocks import Clock


class StampedSocket(socket.socket):
    """A connection that knows when the bytes of its latest read arrived."""

    arrivals: Arrivals
    arrived_ns: int

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Receive as a socket does."""
        data, ancillary, _, _ = self.recvmsg(size, ANCILLARY_BYTES, flags)
        self.arrived_ns = self.arrivals.of(ancillary).mono_ns
        return data

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:  # noqa: ANN401  # any writable buffer
        """Receive as a socket does."""
        view = memoryview(buffer)[: nbytes or None]
        size, ancillary, _, _ = self.recvmsg_into([view], ANCILLARY_BYTES, flags)
        self.arrived_ns = self.arrivals.of(ancillary).mono_ns
        return size


class StampedListener(socket.socket):
    """A listening socket whose connections are :class:`StampedSocket`."""

    offset: WallOffset
    since_ns: int
    accepted: WeakValueDictionary[int, StampedSocket]

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept as a socket does."""
        plain, peer = super().accept()
        stamped = StampedSocket(plain.family, plain.type, plain.proto, fileno=plain.detach())
        stamped.arrivals = Arrivals(self.offset, not_before_ns=self.since_ns)
        stamped.arrived_ns = 0
        self.accepted[stamped.fileno()] = stamped
        return stamped, peer

    def arrived_ns(self, descriptor: int) -> int | None:
        """Monotonic time of the latest read of a connection; None when it is not known."""
        stamped = self.accepted.get(descriptor)
        return None if stamped is None else stamped.arrived_ns or None


def stamped_listener(host: str, port: int, clock: Clock) -> StampedListener | None:
    """Return a listener that is bound and not yet listening.

    None where the kernel gives no times, or when ``host`` is a name and not an address. Raises
    :class:`OSError` when the address cannot be had.
    """
    try:
        version = ipaddress.ip_address(host).version
    except ValueError:
        return None
    if not kernel_times_available():
        return None
    listener = StampedListener(socket.AF_INET if version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
    try:
        listener.offset = WallOffset(clock)
        listener.since_ns = clock.mono_ns()
        listener.accepted = WeakValueDictionary()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        want_kernel_times(listener)  # connections inherit it
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener
