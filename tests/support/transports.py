"""Which transports over sockets this machine has, so that tests can go through every one of them."""

from __future__ import annotations

from daemon.transport.kernel_times import kernel_times_available
from schemas.configuration import TransportChoice


def socket_transports() -> list[TransportChoice]:
    """Names of the transports that can be tried here; kernel times are Linux's alone."""
    return ["user-space", "kernel", "process"] if kernel_times_available() else ["user-space"]
