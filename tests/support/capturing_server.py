"""A server that keeps the raw bytes of every request, and a proxy that keeps what it was asked for."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable

import msgspec

REFUSAL = (
    b"HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: 35\r\n\r\n"
    b'{"error": {"message": "not there"}}'
)


class Captured(msgspec.Struct, frozen=True, kw_only=True):
    """One request as it came: all of its bytes, from where, over which connection, and when its first bytes did."""

    data: bytes
    peer: str
    connection: int
    mono_ns: int


class CapturingServer:
    """Answers every request with a refusal that nobody repeats."""

    def __init__(self) -> None:
        self.captured: list[Captured] = []
        self.url = ""
        self._connections = 0
        self._listener = _Listener()

    async def start(self, tls: ssl.SSLContext | None = None) -> str:
        """Listen on loopback and return the address."""
        port = await self._listener.start(self._serve, tls)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
        return self.url

    async def close(self) -> None:
        """Stop."""
        await self._listener.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        number, peer = self._connections, writer.get_extra_info("peername")[0]
        while first := await reader.read(1):
            mono_ns = time.monotonic_ns()
            data = first + await request_from(reader)
            self.captured.append(Captured(data=data, peer=peer, connection=number, mono_ns=mono_ns))
            writer.write(REFUSAL)
            await writer.drain()


class CapturingProxy:
    """Tunnels what it is asked to CONNECT to, and passes on what has an absolute URL.

    open: nobody is let through before it is set. refusal: status line to refuse with, in place of letting through.
    """

    def __init__(self, *, refusal: bytes | None = None) -> None:
        self.asked: list[bytes] = []
        self.port = 0
        self.open = asyncio.Event()
        self.open.set()
        self.reached = asyncio.Event()
        self._refusal = refusal
        self._listener = _Listener()

    async def start(self) -> int:
        """Listen on loopback and return the port."""
        self.port = await self._listener.start(self._serve, None)
        return self.port

    async def close(self) -> None:
        """Stop."""
        await self._listener.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await request_from(reader)
        self.asked.append(asked)
        self.reached.set()
        await self.open.wait()
        if self._refusal is not None:
            writer.write(b"HTTP/1.1 " + self._refusal + b"\r\ncontent-length: 0\r\n\r\n")
            await writer.drain()
            return
        method, where, _ = asked.split(b"\r\n")[0].decode().split(" ")
        tunnel = method == "CONNECT"
        host, _, port = (where if tunnel else where.split("/")[2]).rpartition(":")
        inner_reader, inner_writer = await asyncio.open_connection(host, int(port))
        try:
            if tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                inner_writer.write(asked)
            await asyncio.gather(_pump(reader, inner_writer), _pump(inner_reader, writer))
        finally:
            inner_writer.transport.abort()


async def request_from(reader: asyncio.StreamReader) -> bytes:
    """Read head and body of one request."""
    head = await reader.readuntil(b"\r\n\r\n")
    lines = [line.lower() for line in head.split(b"\r\n")]
    length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
    return head + await reader.readexactly(length)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(2**16):
        writer.write(data)
        await writer.drain()
    writer.transport.abort()


class _Listener:
    """A server on loopback whose connections end with it."""

    def __init__(self) -> None:
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(
        self,
        serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
        tls: ssl.SSLContext | None,
    ) -> int:
        async def serving(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._tasks.add(task)
            try:
                await serve(reader, writer)
            except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass  # the client has what it wanted, or the test is over
            finally:
                self._tasks.discard(task)
                writer.transport.abort()

        self._server = await asyncio.start_server(serving, "127.0.0.1", 0, ssl=tls)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
