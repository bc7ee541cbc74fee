"""A reference server: scripts written to real sockets at their true moments, with a record of the truth.

Each part is due at an absolute moment counted from the arrival of the request's first byte (by the kernel, on
Linux), so lateness of this process, or of one part, does not move the next. asyncio's timers may be up to a
millisecond late; the record says when a part really went out, and that is what measurements are compared with.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable

from daemon.reference.arrivals import StampedListener, stamped_listener
from daemon.reference.favouring import seen_client
from daemon.reference.http import LAST_CHUNK, BadRequestError, Request, RequestReader, chunk, response_head
from daemon.reference.script import error_script
from daemon.reference.service import Answer, ReferenceService
from daemon.reference.text import sentences
from daemon.reference.truth import TrueWrite, TruthEnding, TruthRecord
from schemas.clocks import Clock
from schemas.errors import MesswerkError

_BACKLOG = 1024

TruthSink = Callable[[TruthRecord], None]


class ReferenceServerError(MesswerkError):
    """A reference server could not do its work."""


class ReferenceServer:
    """Carries a :class:`ReferenceService` over TCP, with TLS when a context is given.

    truth: called with the record of each request as it ends.
    """

    def __init__(
        self,
        service: ReferenceService,
        clock: Clock,
        *,
        truth: TruthSink = lambda _: None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._service = service
        self._clock = clock
        self._truth = truth
        self._tls = tls
        self._connections: set[_Connection] = set()
        self._server: asyncio.Server | None = None
        self._listener: StampedListener | None = None

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> str:
        """Listen and return the base URL. Port 0 takes a free one. Raises :class:`ReferenceServerError`."""
        sentences()  # made now, lest the first request wait for it
        loop = asyncio.get_running_loop()
        try:
            self._listener = stamped_listener(host, port, self._clock)
            where = {"host": host, "port": port} if self._listener is None else {"sock": self._listener}
            self._server = await loop.create_server(
                lambda: _Connection(self), **where, ssl=self._tls, backlog=_BACKLOG
            )
        except OSError as problem:
            raise ReferenceServerError(
                f"the reference server cannot listen on {host} port {port}: {problem.strerror}; "
                "choose another port, or 0 for a free one"
            ) from problem
        bound = self._server.sockets[0].getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        return f"{'https' if self._tls else 'http'}://{shown}:{bound}"

    async def close(self) -> None:
        """Stop listening and drop what is open."""
        if self._server is None:
            return
        self._server.close()
        for connection in tuple(self._connections):
            connection.abort()
        await self._server.wait_closed()
        self._server = None

    def mono_ns(self) -> int:
        """Read the clock of all true times."""
        return self._clock.mono_ns()

    def arrived_ns(self, descriptor: int) -> int:
        """When the latest read of a connection arrived; the time now where the kernel does not say."""
        known = None if self._listener is None else self._listener.arrived_ns(descriptor)
        return self.mono_ns() if known is None else known

    def opened(self, connection: _Connection) -> None:
        """Keep a connection until it is lost."""
        self._connections.add(connection)

    def lost(self, connection: _Connection) -> None:
        """Forget a connection."""
        self._connections.discard(connection)

    def begin(self, request: Request, address: str | None) -> Answer:
        """Answer a request whose bytes are complete, from this address."""
        return self._service.begin(
            request.method,
            request.path,
            body=request.body,
            client=seen_client(request.headers.items(), address),
            wall_ns=self._clock.wall_ns(),
        )

    def finish(self, answer: Answer, record: TruthRecord) -> None:
        """Count a request out and keep its truth."""
        self._service.finish(answer)
        self._truth(record)


class _Connection(asyncio.Protocol):
    """One client connection: one request after the other."""

    def __init__(self, server: ReferenceServer) -> None:
        self._server = server
        self._reader = RequestReader()
        self._received_ns: int | None = None
        self._taken: asyncio.Handle | None = None
        self._response: _Response | None = None
        self._transport: asyncio.Transport
        self._descriptor: int
        self._address: str | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # create_server makes stream transports
        # asyncio has already switched Nagle's algorithm off (TCP_NODELAY) on every TCP transport.
        self._transport = transport
        self._descriptor = transport.get_extra_info("socket").fileno()
        peer = transport.get_extra_info("peername")
        self._address = peer[0] if isinstance(peer, tuple) else None
        self._server.opened(self)

    def data_received(self, data: bytes) -> None:
        if self._received_ns is None:
            self._received_ns = self._server.arrived_ns(self._descriptor)
        self._reader.feed(data)
        if self._response is None and self._taken is None:
            self._take_request()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # asyncio's signature
        if self._response is not None:
            self._response.end("client-closed")
            self._response = None
        if self._taken is not None:
            self._taken.cancel()
        self._server.lost(self)

    def abort(self) -> None:
        """Drop the connection at once."""
        self._transport.abort()

    def _take_request(self) -> None:
        try:
            request = self._reader.next_request()
        except BadRequestError as problem:
            script = error_script("chatcmpl-bad", 400, "invalid_request_error", str(problem))
            head = response_head(script.status, script.headers, keep_alive=False)
            self._transport.write(head + chunk(script.parts[0].data) + LAST_CHUNK)
            self._transport.close()
            return
        if request is None:
            return
        received_ns = self._received_ns or self._server.mono_ns()
        self._received_ns = None
        # Writing a script takes a while; requests that came at the same moment get their time before it.
        self._taken = asyncio.get_running_loop().call_soon(self._answer, request, received_ns)

    def _answer(self, request: Request, received_ns: int) -> None:
        self._taken = None
        answer = self._server.begin(request, self._address)
        self._response = _Response(self._transport, self._server, answer, received_ns, self._responded)
        self._response.start(keep_alive=request.keeps_alive)

    def _responded(self, keep_alive: bool) -> None:  # noqa: FBT001  # a callback's one argument
        self._response = None
        if not keep_alive:
            self._transport.close()
        elif self._reader.pending:
            self._take_request()


class _Response:
    """Writes one script, part by part, each at its moment."""

    def __init__(
        self,
        transport: asyncio.Transport,
        server: ReferenceServer,
        answer: Answer,
        received_ns: int,
        done: Callable[[bool], None],
    ) -> None:
        self._transport = transport
        self._server = server
        self._answer = answer
        self._script = answer.script
        self._received_ns = received_ns
        self._done = done
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._keep_alive = True
        self._next = 0
        self._head_ns: int | None = None
        self._writes: list[TrueWrite] = []

    def start(self, *, keep_alive: bool) -> None:
        """Set the first timer; the rest follows from the script."""
        self._keep_alive = keep_alive
        self._at(self._script.head_offset_ns, self._write_head)

    def end(self, ending: TruthEnding) -> None:
        """Stop writing and keep the record."""
        if self._timer is not None:
            self._timer.cancel()
        self._server.finish(
            self._answer,
            TruthRecord(
                response_id=self._script.response_id,
                profile=self._answer.profile,
                status=self._script.status,
                received_ns=self._received_ns,
                head_ns=self._head_ns,
                in_flight=self._answer.in_flight,
                ending=ending,
                writes=tuple(self._writes),
            ),
        )

    def _at(self, offset_ns: int, call: Callable[[], None]) -> None:
        # The loop's time is CLOCK_MONOTONIC in seconds; only the difference is used, so no precision is lost.
        delay_s = (self._received_ns + offset_ns - self._server.mono_ns()) / 1e9
        self._timer = self._loop.call_later(max(0.0, delay_s), call)

    def _write_head(self) -> None:
        self._head_ns = self._server.mono_ns()
        head = response_head(self._script.status, self._script.headers, keep_alive=self._keep_alive)
        self._transport.write(head)
        self._write_due()

    def _write_due(self) -> None:
        parts = self._script.parts
        while self._next < len(parts):
            part = parts[self._next]
            if self._received_ns + part.offset_ns > self._server.mono_ns():
                self._at(part.offset_ns, self._write_due)
                return
            framed = chunk(part.data)
            now_ns = self._server.mono_ns()
            self._transport.write(framed)
            queued = self._transport.get_write_buffer_size() > 0
            self._writes.append(TrueWrite(now_ns, len(part.data), part.channel, part.tokens, queued))
            self._next += 1
        self._finish()

    def _finish(self) -> None:
        self._timer = None
        if self._script.ending == "stall":
            return  # the client's patience or the server's end closes it; connection_lost keeps the record
        if self._script.ending == "cut":
            # An orderly close without HTTP's last chunk: a reset could destroy bytes that are still under way.
            self.end("cut")
            self._done(False)  # noqa: FBT003  # the same
            return
        self._transport.write(LAST_CHUNK)
        self.end("complete")
        self._done(self._keep_alive)
