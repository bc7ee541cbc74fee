"""Which transport measures: by the operator's choice, or the most accurate that this machine has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from daemon.transport.aiohttp_transport import AiohttpTransport
from daemon.transport.contract import Transport
from daemon.transport.exchanging import trusting_tls
from daemon.transport.kernel_times import kernel_times_available
from daemon.transport.kernel_transport import KernelTransport
from daemon.transport.process_transport import ProcessTransport
from daemon.transport.strain import Strain
from schemas.clocks import Clock
from schemas.configuration import TransportChoice


def make_transport(
    choice: TransportChoice,
    clock: Clock,
    *,
    keep_alive: bool = False,
    authority: Path | None = None,
    strained: Callable[[Strain], None] = lambda _: None,
) -> Transport:
    """Return the transport of this name.

    authority: PEM file that replaces the system's trust.
    strained: hears what holds up a measuring process; the others share this process's event loop.
    Raises :class:`schemas.errors.ConfigurationError` for a kernel transport where there are no kernel times.
    """
    if choice == "auto":
        choice = "process" if kernel_times_available() else "user-space"
    if choice == "process":
        return ProcessTransport(clock, keep_alive=keep_alive, authority=authority, strained=strained)
    tls = trusting_tls(None if authority is None else str(authority))
    if choice == "kernel":
        return KernelTransport(clock, keep_alive=keep_alive, tls=tls)
    return AiohttpTransport(clock, keep_alive=keep_alive, tls=tls)
