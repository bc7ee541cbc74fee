"""Exchanges whose arrival times come from the Linux kernel.

A read says when its bytes came in from the network, not when this process got round to them. TCP joins
segments that wait and keeps the newest one's time, so a loop that comes back more rarely than tokens arrive
sees several of them at the last one's time: such a loop belongs in a process that does nothing else, which is
:mod:`daemon.transport.process_transport`.
"""

from __future__ import annotations

import asyncio
import ssl

from daemon.transport.connecting import Connection, connect
from daemon.transport.contract import Route
from daemon.transport.exchanging import SocketTransport, trusting_tls
from daemon.transport.http_request import Target
from daemon.transport.kernel_connection import KernelConnection
from daemon.transport.kernel_times import ArrivalClock, WallOffset
from schemas.clocks import Clock
from schemas.events.attempts import ClockKind


class KernelTransport(SocketTransport):
    """A :class:`daemon.transport.contract.Transport` over TCP and TLS, on Linux.

    ``tls`` replaces the system's trust. Raises :class:`schemas.errors.ConfigurationError` where the kernel
    gives no times.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        keep_alive: bool = False,
        tls: ssl.SSLContext | None = None,
        gather_s: float = 0.0,
    ) -> None:
        super().__init__(clock, keep_alive=keep_alive, gather_s=gather_s)
        self._arrival_clock = ArrivalClock()
        self._offset = WallOffset(clock)
        self._turns = asyncio.Lock()
        self._tls = tls if tls is not None else trusting_tls()

    @property
    def name(self) -> str:
        """See the contract."""
        return "kernel"

    @property
    def clock_kind(self) -> ClockKind:
        """Times are the kernel's; reads that had to do without say so themselves."""
        return "kernel"

    async def close(self) -> None:
        """See the contract."""
        await super().close()
        self._arrival_clock.close()

    async def _connect(self, target: Target, route: Route, timeout_s: float) -> Connection:
        loop = asyncio.get_running_loop()
        connection = KernelConnection(target, loop, self._clock, self._offset, self._turns, route)
        return await connect(connection, self._clock, self._tls, timeout_s)
