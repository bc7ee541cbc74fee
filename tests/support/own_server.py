"""A ClickHouse server that is not Messwerk's own: other users, another database, behind a proxy that can go wrong.

The engine is the child's; whoever uses it knows only address, names and passwords, as with an operator's
server. The proxy speaks TLS if it is given a certificate, and can refuse, cut off or hold back on command.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, Self

import pytest

from projections.layout import Layout
from projections.store import child
from projections.store.child import ChildServer
from projections.store.login import Login
from projections.store.settings import Secret, users_configuration

LAB = Layout(database="lab_tables")
WRITER, READER = "measurer", "looker"


def foreign_users(secret: Secret) -> str:
    """Return the child's users under other names, with rights on another database."""
    text = users_configuration(secret)
    for ours, theirs in (("messwerk", WRITER), ("reader", READER)):
        text = text.replace(f"<{ours}>", f"<{theirs}>").replace(f"</{ours}>", f"</{theirs}>")
    return text.replace("GRANT SELECT ON messwerk.*", f"GRANT SELECT ON {LAB.database}.*")


@contextmanager
def foreign_server(directory: Path) -> Iterator[ChildServer]:
    """Run the engine over ``directory`` with users of somebody else's choosing."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(child, "users_configuration", foreign_users)
        server = asyncio.run(ChildServer.start(directory))
    yield server
    asyncio.run(server.stop())


def login_to(server: ChildServer, port: int | None = None, *, ca_file: Path | None = None) -> Login:
    """How to reach it, directly or through a proxy's port."""
    return Login(
        host="127.0.0.1",
        port=port or server.address.http_port,
        secure=ca_file is not None,
        ca_file=None if ca_file is None else str(ca_file),
        user=WRITER,
        password=server.secret.owner,
        reader=READER,
        reader_password=server.secret.reader,
        layout=LAB,
    )


Fault = Literal["cut before", "cut after"] | int
"""A connection cut before or after the server did the work, or an error code of ClickHouse in its place."""


class Proxy:
    """Passes requests on, one connection at a time to the server, and makes the next ones fail as told.

    ``faults`` are used up, one for each request in whose head or body ``during`` is found.
    """

    def __init__(self, target_port: int, context: ssl.SSLContext | None = None) -> None:
        self._target = target_port
        self._context = context
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.faults: list[Fault] = []
        self.during = rb"INSERT"
        self.seen = 0
        self.port = 0

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=self._context)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        pending = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _message(reader)) is not None:
                fault = self._next_fault(request)
                if fault == "cut before":
                    return
                if isinstance(fault, int):
                    writer.write(_refusal(fault))
                    await writer.drain()
                    continue
                answer = await self._passed_on(request)
                if fault == "cut after":
                    return
                writer.write(answer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return  # the client went away, which is its right
        finally:
            writer.close()

    def _next_fault(self, request: bytes) -> Fault | None:
        if re.search(self.during, request) is None:
            return None
        self.seen += 1
        return self.faults.pop(0) if self.faults else None

    async def _passed_on(self, request: bytes) -> bytes:
        head, _, body = request.partition(b"\r\n\r\n")
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        reader, writer = await asyncio.open_connection("127.0.0.1", self._target)
        writer.write(b"\r\n".join([*lines, b"Connection: close"]) + b"\r\n\r\n" + body)
        await writer.drain()
        answer = await reader.read()
        while more := await reader.read():
            answer += more
        writer.close()
        return answer


async def _message(reader: asyncio.StreamReader) -> bytes | None:
    """One request, whole: head and body by its length or in chunks."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    lines = (line.partition(b":") for line in head.split(b"\r\n")[1:])
    fields = {name.strip().lower(): value.strip() for name, _, value in lines}
    if b"content-length" in fields:
        return head + await reader.readexactly(int(fields[b"content-length"]))
    if fields.get(b"transfer-encoding") != b"chunked":
        return head
    body = b""
    while True:
        size = await reader.readuntil(b"\r\n")
        body += size + await reader.readexactly(int(size, 16) + 2)
        if int(size, 16) == 0:
            return head + body


def _refusal(code: int) -> bytes:
    text = f"Code: {code}. DB::Exception: refused by a test. (TEST)".encode()
    return (
        b"HTTP/1.1 500 Internal Server Error\r\nX-ClickHouse-Exception-Code: %d\r\nContent-Length: %d\r\n\r\n"
        % (code, len(text))
    ) + text


async def no_sleep(_: float) -> None:
    """Wait for nothing."""
