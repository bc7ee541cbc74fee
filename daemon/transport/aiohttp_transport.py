"""Exchanges over real sockets, on asyncio and aiohttp's HTTP parser.

aiohttp's client session is not used, only its parser: the session follows redirects, repeats requests on
stale connections, ends at 300 s, and does not tell when the first byte was written. Here nothing is hidden:
one request is written once, and what comes back is handed on with its times.

By default each exchange has a connection of its own, made ready before the clock starts and closed after:
figures then do not depend on what was measured before. With ``keep_alive`` a connection that ended cleanly
serves the next exchange with the same target. Either way the facts say ``reused``. Exchanges share nothing
while under way.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator

from daemon.transport.connecting import ConnectError, Connection, connect
from daemon.transport.contract import Connected, Ended, PreparedRequest, Sent, Signal, Written
from daemon.transport.deadlines import Deadlines
from daemon.transport.http_request import Target, request_bytes, target_of
from schemas.clocks import Clock
from schemas.events.attempts import ClockKind, ConnectionFacts

_MOST_IDLE = 32
_WRITTEN_POLL_S = 0.001
_NS_PER_S = 1_000_000_000


class AiohttpTransport:
    """A :class:`daemon.transport.contract.Transport` over TCP and TLS.

    ``tls`` replaces the system's trust, for servers with certificates of their own.
    """

    def __init__(self, clock: Clock, *, keep_alive: bool = False, tls: ssl.SSLContext | None = None) -> None:
        self._clock = clock
        self._keep_alive = keep_alive
        # Made now and not at the first request: loading the system's certificates takes tens of milliseconds.
        self._tls = tls if tls is not None else _default_tls()
        self._idle: list[Connection] = []
        self._active: set[Connection] = set()

    @property
    def name(self) -> str:
        """See the contract."""
        return "aiohttp"

    @property
    def clock_kind(self) -> ClockKind:
        """Times are read in this process, when the event loop has the bytes in hand."""
        return "user-space"

    async def exchange(self, request: PreparedRequest) -> AsyncGenerator[Signal, None]:
        """See the contract. Raises :class:`ValueError` for a request that HTTP cannot carry."""
        target, data = target_of(request), request_bytes(request)
        try:
            connection = await self._connection(target, request.limits.connect_s)
        except ConnectError as problem:
            yield Ended(self._clock.mono_ns(), problem.cause, str(problem))
            return
        self._active.add(connection)
        keep = False
        try:
            yield Connected(connection.facts)
            response = connection.protocol
            response.begin(request.limits.response_bytes)
            sent = Sent(self._clock.wall_ns(), self._clock.mono_ns())
            connection.write(data)  # before the signal: whoever takes it may be busy for a while
            deadlines = Deadlines(request.limits, sent.mono_ns)
            written = self._written(connection)
            yield sent
            if written is None:
                written = await self._wait_until_written(connection, deadlines)
            if written is not None:
                yield written
            while True:
                while response.signals:
                    signal = response.signals.popleft()
                    if not isinstance(signal, Ended) and deadlines.past_total(signal):
                        break
                    keep = isinstance(signal, Ended) and signal.cause == "complete" and connection.usable
                    yield signal
                    if isinstance(signal, Ended):
                        return
                due = deadlines.next(response.first_byte_ns, response.last_byte_ns)
                now_ns = self._clock.mono_ns()
                if now_ns >= due.mono_ns:
                    yield Ended(now_ns, due.cause, due.message)
                    return
                await response.changed((due.mono_ns - now_ns) / _NS_PER_S)
        finally:
            self._active.discard(connection)
            self._release(connection, keep=keep)

    async def close(self) -> None:
        """Close idle connections and abort those under way."""
        connections = [*self._idle, *self._active]
        self._idle.clear()
        for connection in connections:
            connection.abort()
        await asyncio.sleep(0)  # lets the event loop close the sockets

    async def _connection(self, target: Target, timeout_s: float) -> Connection:
        for connection in [idle for idle in self._idle if idle.target == target]:
            self._idle.remove(connection)
            if connection.usable:
                facts = connection.facts
                connection.facts = ConnectionFacts(
                    reused=True, peer=facts.peer, http_version=facts.http_version, tls_version=facts.tls_version
                )
                return connection
            connection.abort()
        return await connect(target, self._clock, self._tls, timeout_s)

    def _release(self, connection: Connection, *, keep: bool) -> None:
        for idle in [idle for idle in self._idle if not idle.usable]:
            self._idle.remove(idle)
            idle.abort()
        if keep and self._keep_alive and len(self._idle) < _MOST_IDLE:
            self._idle.append(connection)
        else:
            connection.abort()

    def _written(self, connection: Connection) -> Written | None:
        return None if connection.unsent_bytes else Written(self._clock.mono_ns())

    async def _wait_until_written(self, connection: Connection, deadlines: Deadlines) -> Written | None:
        """Look every millisecond whether the socket has taken a long request; None if an answer came first."""
        while not connection.protocol.signals and self._clock.mono_ns() < deadlines.earliest_ns:
            written = self._written(connection)
            if written is not None:
                return written
            await asyncio.sleep(_WRITTEN_POLL_S)
        return None


def _default_tls() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context
