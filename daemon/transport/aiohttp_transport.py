"""Exchanges over asyncio's own sockets, timed in user space; the transport for every platform.

aiohttp's client session is not used, only its HTTP parser: the session follows redirects, repeats requests on
stale connections, ends at 300 s, and does not tell when the first byte was written. The course of an exchange
is :mod:`daemon.transport.exchanging`; here is what carries it.
"""

from __future__ import annotations

import asyncio
import socket
import ssl

from daemon.transport.connecting import Connection, connect
from daemon.transport.contract import Route, Sent
from daemon.transport.exchanging import SocketTransport, trusting_tls
from daemon.transport.http_request import Target
from daemon.transport.response import ResponseProtocol
from schemas.clocks import Clock
from schemas.events.attempts import ClockKind


class AiohttpTransport(SocketTransport):
    """A :class:`daemon.transport.contract.Transport` over TCP and TLS.

    ``tls`` replaces the system's trust, for servers with certificates of their own.
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
        # Made now and not at the first request: loading the system's certificates takes tens of milliseconds.
        self._tls = tls if tls is not None else trusting_tls()

    @property
    def name(self) -> str:
        """See the contract."""
        return "aiohttp"

    @property
    def clock_kind(self) -> ClockKind:
        """Times are read in this process, when the event loop has the bytes in hand."""
        return "user-space"

    async def _connect(self, target: Target, route: Route, timeout_s: float) -> Connection:
        loop = asyncio.get_running_loop()
        return await connect(_AsyncioConnection(target, loop, self._clock, route), self._clock, self._tls, timeout_s)


class _AsyncioConnection(Connection):
    def __init__(self, target: Target, loop: asyncio.AbstractEventLoop, clock: Clock, route: Route) -> None:
        super().__init__(target, ResponseProtocol(loop, clock), route)
        self._loop = loop
        self._clock = clock
        self._socket_transport: asyncio.Transport | None = None
        self._transport: asyncio.Transport | None = None

    @property
    def open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    @property
    def unsent_bytes(self) -> int:
        if self._transport is None or self._socket_transport is None:
            return 0
        return self._socket_transport.get_write_buffer_size() + self._transport.get_write_buffer_size()

    async def take(self, connected: socket.socket, *, secured: bool) -> None:
        protocol = asyncio.Protocol() if secured else self.protocol
        self._socket_transport, _ = await self._loop.create_connection(lambda: protocol, sock=connected)
        self._transport = self._socket_transport

    async def secure(self, tls: ssl.SSLContext) -> str | None:
        # TLS is started on a transport of our own, because only that one tells when bytes reached the socket.
        assert self._socket_transport is not None
        transport = await self._loop.start_tls(
            self._socket_transport, self.protocol, tls, server_hostname=self.target.host
        )
        if transport is None:
            raise ConnectionResetError("the connection was closed")
        self._transport = transport
        self.protocol.connection_made(transport)
        version: str | None = transport.get_extra_info("ssl_object").version()
        return version

    def write(self, data: bytes) -> Sent:
        assert self._transport is not None
        sent = Sent(self._clock.wall_ns(), self._clock.mono_ns())
        self._transport.write(data)
        return sent

    def abort(self) -> None:
        for transport in (self._transport, self._socket_transport):
            if transport is not None:
                transport.abort()
