"""One exchange over one connection, from the request's bytes to its end, whatever the connection is made of.

The request is written once, and what comes back is handed on with its times: nothing is redirected, repeated
or decompressed. By default each exchange has a connection of its own, made ready before the clock starts and
closed after: figures then do not depend on what was measured before. With ``keep_alive`` a connection that
ended cleanly serves the next exchange with the same target by the same route. Either way the facts say
``reused``. Exchanges share nothing while under way but the moment of a rendezvous. How connections are opened, read
and timed is each transport's own.
"""

from __future__ import annotations

import asyncio
import ssl
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec

from daemon.transport.connecting import ConnectError, Connection
from daemon.transport.contract import Connected, Ended, PreparedRequest, Read, Route, Sent, Signal, Written
from daemon.transport.deadlines import Deadlines
from daemon.transport.http_request import Target, request_bytes, target_of
from daemon.transport.rendezvous import Meetings
from daemon.transport.strain import Since, StrainWatch
from schemas.clocks import Clock
from schemas.events.attempts import ClockKind

_MOST_IDLE = 32
_WRITTEN_POLL_S = 0.001
_NS_PER_S = 1_000_000_000


class SocketTransport(ABC):
    """What the transports over real sockets have in common.

    gather_s: how long reads may gather before they are handed on together. It costs no accuracy, because each
        read keeps its own time, and saves a wake-up for each of them.
    """

    def __init__(self, clock: Clock, *, keep_alive: bool = False, gather_s: float = 0.0) -> None:
        self._clock = clock
        self._keep_alive = keep_alive
        self._gather_s = gather_s
        self._idle: list[Connection] = []
        self._active: set[Connection] = set()
        self._meetings = Meetings()
        self.strain = StrainWatch()

    @property
    @abstractmethod
    def name(self) -> str:
        """See the contract."""

    @property
    @abstractmethod
    def clock_kind(self) -> ClockKind:
        """See the contract."""

    @abstractmethod
    async def _connect(self, target: Target, route: Route, timeout_s: float) -> Connection:
        """Open a connection. Raises :class:`ConnectError`."""

    async def exchange(self, request: PreparedRequest) -> AsyncGenerator[Signal, None]:
        """See the contract. Raises :class:`ValueError` for a request that HTTP cannot carry."""
        target, data = target_of(request), request_bytes(request)
        with self._meetings.join(request.rendezvous) as party:
            try:
                connection = await self._connection(target, request.route, request.limits.connect_s)
            except ConnectError as problem:
                party.leave()
                yield Ended(self._clock.mono_ns(), problem.cause, str(problem))
                return
            self._active.add(connection)
            keep = False
            strain = self.strain.watch()
            try:
                yield Connected(connection.facts)
                response = connection.protocol

                def write() -> Sent:
                    response.begin(request.limits.response_bytes)
                    strain.begin()
                    return connection.write(data)

                try:
                    sent = await party.write(write)  # before the signal: whoever takes it may be busy for a while
                except asyncio.CancelledError:
                    if party.sent is not None:  # written just now, together with the others
                        yield party.sent
                    raise
                deadlines = Deadlines(request.limits, sent.mono_ns)
                written = self._written(connection)
                yield sent
                if written is None:
                    written = await self._wait_until_written(connection, deadlines)
                if written is not None:
                    yield written
                async with aclosing(self._received(connection, deadlines, strain)) as signals:
                    async for signal in signals:
                        keep = isinstance(signal, Ended) and signal.cause == "complete" and connection.usable
                        yield signal
            finally:
                strain.end()
                self._active.discard(connection)
                self._release(connection, keep=keep)

    async def _received(
        self, connection: Connection, deadlines: Deadlines, strain: Since
    ) -> AsyncGenerator[Signal, None]:
        """Yield what comes back, to the end of it or of the time that it may take."""
        response = connection.protocol
        while True:
            strain.tell(response.signals)
            while response.signals:
                signal = response.signals.popleft()
                if not isinstance(signal, Ended) and deadlines.past(signal):
                    break
                yield signal
                if isinstance(signal, Ended):
                    return
            due = deadlines.next(response.first_byte_ns, response.last_byte_ns)
            now_ns = self._clock.mono_ns()
            if now_ns >= due.mono_ns:
                yield Ended(now_ns, due.cause, due.message)
                return
            await response.changed((due.mono_ns - now_ns) / _NS_PER_S)
            if self._gather_s and response.signals and isinstance(response.signals[-1], Read):
                await asyncio.sleep(self._gather_s)

    async def close(self) -> None:
        """Close idle connections and abort those under way."""
        connections = [*self._idle, *self._active]
        self._idle.clear()
        for connection in connections:
            connection.abort()
        await asyncio.sleep(0)  # lets the event loop close the sockets

    async def _connection(self, target: Target, route: Route, timeout_s: float) -> Connection:
        for connection in [idle for idle in self._idle if (idle.target, idle.route) == (target, route)]:
            self._idle.remove(connection)
            if connection.usable:
                connection.facts = msgspec.structs.replace(
                    connection.facts, reused=True, dns_us=None, connect_us=None, tls_us=None
                )
                return connection
            connection.abort()
        return await self._connect(target, route, timeout_s)

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


def trusting_tls(authority: str | None = None) -> ssl.SSLContext:
    """Return the client's side of TLS; ``authority`` is a PEM file that replaces the system's trust."""
    context = ssl.create_default_context(cafile=authority)
    context.set_alpn_protocols(["http/1.1"])
    return context
