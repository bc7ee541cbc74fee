"""A connection whose reads are ours, so that each has the kernel's time of arrival; plain or with TLS on top.

TLS runs over memory: records are put together here from what the socket gave, and decrypted bytes get the
time of the read that completed their record.
"""

from __future__ import annotations

import asyncio
import socket
import ssl

from daemon.transport.connecting import Connection
from daemon.transport.contract import Route, Sent
from daemon.transport.http_request import Target
from daemon.transport.kernel_times import ANCILLARY_BYTES, Arrival, Arrivals, WallOffset, want_kernel_times
from daemon.transport.response import ResponseProtocol
from schemas.clocks import Clock

_READ_BYTES = 16 * 1024
_ENCRYPT_BYTES = 256 * 1024


class KernelConnection(Connection):
    """One non-blocking socket, watched by the event loop and read with ``recvmsg``.

    turns: shared by connections that are read by one event loop. A step of a handshake takes a millisecond of
        arithmetic; a hundred that became possible at the same moment would keep everybody's tokens waiting.
    """

    def __init__(
        self,
        target: Target,
        loop: asyncio.AbstractEventLoop,
        clock: Clock,
        offset: WallOffset,
        turns: asyncio.Lock,
        route: Route,
    ) -> None:
        super().__init__(target, ResponseProtocol(loop, clock), route)
        self._loop = loop
        self._turns = turns
        self._clock = clock
        self._arrivals = Arrivals(offset)
        self._socket: socket.socket | None = None
        self._tls: _Tls | None = None
        self._unsent = memoryview(b"")  # for the socket, encrypted where TLS is spoken
        self._unencrypted = memoryview(b"")

    @property
    def open(self) -> bool:
        """See the base class."""
        return self._socket is not None

    @property
    def unsent_bytes(self) -> int:
        """See the base class."""
        return len(self._unsent) + len(self._unencrypted)

    async def take(self, connected: socket.socket, *, secured: bool) -> None:
        """See the base class."""
        self._socket = connected
        connected.setblocking(False)  # noqa: FBT003  # the socket's own signature
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        want_kernel_times(connected)
        if not secured:
            self._loop.add_reader(connected, self._readable)

    async def secure(self, tls: ssl.SSLContext) -> str | None:
        """See the base class."""
        assert self._socket is not None
        self._tls = _Tls(tls, self.target.host)
        while not await self._shaken(self._tls):
            await self._loop.sock_sendall(self._socket, self._tls.take_encrypted())
            data = await self._loop.sock_recv(self._socket, _READ_BYTES)
            if not data:
                raise ConnectionResetError("the connection was closed")
            self._tls.give(data)
        await self._loop.sock_sendall(self._socket, self._tls.take_encrypted())
        self._loop.add_reader(self._socket, self._readable)
        return self._tls.version

    async def _shaken(self, tls: _Tls) -> bool:
        async with self._turns:
            shaken = tls.shaken()
            await asyncio.sleep(0)  # the loop looks at all sockets before the next step of anybody's handshake
        return shaken

    def write(self, data: bytes) -> Sent:
        """See the base class."""
        if self._tls is None:
            self._unsent = memoryview(data)
        else:
            self._unencrypted = memoryview(data)
            self._encrypt(self._tls)  # before the clock is read
        sent = Sent(self._clock.wall_ns(), self._clock.mono_ns())
        self._send()
        return sent

    def abort(self) -> None:
        """See the base class."""
        if self._socket is not None:
            self._release()
            self._loop.call_soon(self.protocol.connection_lost, None)

    def _readable(self) -> None:
        """Read once, so that the loop comes back to the other connections; more makes the socket readable again."""
        assert self._socket is not None
        try:
            data, ancillary, _, _ = self._socket.recvmsg(_READ_BYTES, ANCILLARY_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as problem:
            self._lose(problem)
            return
        if not data:
            self._lose(None)
            return
        arrival = self._arrivals.of(ancillary)
        if self._tls is None:
            self.protocol.received(data, arrival.mono_ns, user_space=arrival.user_space)
        else:
            self._decrypt(self._tls, data, arrival)

    def _decrypt(self, tls: _Tls, data: bytes, arrival: Arrival) -> None:
        problem: ssl.SSLError | None = None
        closed = False
        tls.give(data)
        try:
            data, closed = tls.decrypt()
        except ssl.SSLError as broken:
            data, problem = b"", broken
        if data:
            self.protocol.received(data, arrival.mono_ns, user_space=arrival.user_space)
        if problem is not None or closed:
            self._lose(problem)
        elif tls.has_to_say and not self.unsent_bytes:
            self._encrypt(tls)
            self._send()

    def _encrypt(self, tls: _Tls) -> None:
        """Encrypt a piece of what is waiting, and have something for the socket when there is anything."""
        piece, self._unencrypted = self._unencrypted[:_ENCRYPT_BYTES], self._unencrypted[_ENCRYPT_BYTES:]
        self._unsent = memoryview(tls.encrypt(piece))

    def _send(self) -> None:
        """Send until the socket takes no more, then go on when it does."""
        while self._socket is not None and self._unsent:
            try:
                taken = self._socket.send(self._unsent)
            except (BlockingIOError, InterruptedError):
                self._loop.add_writer(self._socket, self._send)
                return
            except OSError:
                break  # reading tells what became of the connection, after what the server may have said before
            self._unsent = self._unsent[taken:]
            if not self._unsent and self._tls is not None and self._unencrypted:
                self._encrypt(self._tls)
        if self._socket is not None:
            self._loop.remove_writer(self._socket)

    def _lose(self, problem: Exception | None) -> None:
        self._release()
        self.protocol.connection_lost(problem)

    def _release(self) -> None:
        if self._socket is not None:
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
            self._socket.close()
            self._socket = None


class _Tls:
    """TLS over memory: encrypted bytes in and out, no socket."""

    def __init__(self, context: ssl.SSLContext, host: str) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._object = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)

    @property
    def version(self) -> str | None:
        return self._object.version()

    @property
    def has_to_say(self) -> bool:
        """Whether TLS itself wants to send something, such as new keys."""
        return self._outgoing.pending > 0

    def shaken(self) -> bool:
        """Go on with the handshake; True when it is done."""
        try:
            self._object.do_handshake()
        except ssl.SSLWantReadError:
            return False
        return True

    def give(self, data: bytes) -> None:
        self._incoming.write(data)

    def take_encrypted(self) -> bytes:
        return self._outgoing.read()

    def encrypt(self, data: memoryview) -> bytes:
        """Return the records of these bytes, after anything that TLS itself had to say."""
        while data:
            data = data[self._object.write(data) :]
        return self._outgoing.read()

    def decrypt(self) -> tuple[bytes, bool]:
        """Return what the complete records hold, and whether the server has closed. Raises :class:`ssl.SSLError`."""
        pieces: list[bytes] = []
        closed = False
        while not closed and (self._incoming.pending or self._object.pending()):
            try:
                piece = self._object.read(_READ_BYTES)
            except ssl.SSLWantReadError:
                break
            except ssl.SSLZeroReturnError:
                piece = b""
            closed = not piece
            pieces.append(piece)
        return b"".join(pieces), closed
