"""What becomes of exchanges, daemon and measuring process when one of the two dies or is held up."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path

import pytest
from transports import socket_transports

from daemon.transport.contract import Ended, Limits, PreparedRequest, Read, Signal
from daemon.transport.process_transport import ProcessTransport
from schemas.clocks import SystemClock

pytestmark = pytest.mark.skipif("process" not in socket_transports(), reason="kernel times are Linux's alone")

LIMITS = Limits(connect_s=10, first_byte_s=20, silence_s=20, total_s=40, response_bytes=2**20)
HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
PIECES = 20


class Pieces:
    """A server in a thread that sends a piece every 10 ms, and ends the response when told to."""

    def __init__(self) -> None:
        self.sent = threading.Event()
        self.ending = threading.Event()
        self._writers: list[asyncio.StreamWriter] = []
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/"
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
            self._loop.run_until_complete(asyncio.wait([task]))
        for writer in self._writers:
            writer.transport.abort()
        self._loop.run_until_complete(asyncio.sleep(0.01))  # lets the loop close the sockets
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(HEAD)
            for _ in range(PIECES):
                writer.write(b"1\r\nx\r\n")
                await asyncio.sleep(0.01)
            self.sent.set()
            while not self.ending.is_set():  # noqa: ASYNC110  # set by another thread
                await asyncio.sleep(0.01)
            writer.write(b"0\r\n\r\n")
        finally:
            writer.close()


@pytest.fixture
def pieces() -> Iterator[Pieces]:
    """Provide the server."""
    server = Pieces()
    yield server
    server.ending.set()
    server.close()


@pytest.fixture
async def transport() -> AsyncIterator[ProcessTransport]:
    """Provide a transport whose process runs."""
    transport = ProcessTransport(SystemClock())
    await transport.start()
    yield transport
    await transport.close()


def request(url: str) -> PreparedRequest:
    headers = (("authorization", "Bearer secret-0001"),)
    return PreparedRequest(method="GET", url=url, headers=headers, body=b"", limits=LIMITS)


async def take(transport: ProcessTransport, url: str) -> list[Signal]:
    async with aclosing(transport.exchange(request(url))) as exchange:
        return [signal async for signal in exchange]


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and is waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def shown_by(pid: int | None) -> bytes:
    """Everything about a process that others may look at."""
    return b"".join(Path(f"/proc/{pid}/{name}").read_bytes() for name in ("cmdline", "environ"))


async def test_killed_in_mid_exchange(transport: ProcessTransport, pieces: Pieces) -> None:
    """An exchange whose process is killed ends as a crash with what had come, and the next one has a new process."""
    first = transport.pid
    assert first is not None
    signals: list[Signal] = []
    async with aclosing(transport.exchange(request(pieces.url))) as exchange:
        async for seen in exchange:
            signals.append(seen)
            if isinstance(seen, Read) and transport.pid == first:
                os.kill(first, signal.SIGKILL)
    assert isinstance(signals[-1], Ended)
    assert signals[-1].cause == "crash"
    assert any(isinstance(seen, Read) for seen in signals)
    assert transport.pid is None
    pieces.ending.set()
    again = await take(transport, pieces.url)
    assert isinstance(again[-1], Ended)
    assert again[-1].cause == "complete"
    assert transport.pid not in {None, first}


async def test_killed_while_nothing_is_under_way(transport: ProcessTransport, pieces: Pieces) -> None:
    """A process that died between two exchanges is replaced without a word in either of them."""
    first = transport.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    while transport.pid is not None:  # noqa: ASYNC110  # another process's end
        await asyncio.sleep(0.01)
    pieces.ending.set()
    signals = await take(transport, pieces.url)
    assert isinstance(signals[-1], Ended)
    assert signals[-1].cause == "complete"


async def test_signals_to_the_group_do_not_end_it(transport: ProcessTransport, pieces: Pieces) -> None:
    """A service manager's SIGTERM and a terminal's SIGINT leave the exchange to the daemon's own wind-down."""
    assert transport.pid is not None
    exchange = asyncio.create_task(take(transport, pieces.url))
    while not pieces.sent.is_set():  # noqa: ASYNC110  # set by another thread
        await asyncio.sleep(0.01)
    os.kill(transport.pid, signal.SIGTERM)
    os.kill(transport.pid, signal.SIGINT)
    pieces.ending.set()
    (*_, last) = await exchange
    assert isinstance(last, Ended)
    assert last.cause == "complete"


async def test_a_blocked_daemon_moves_no_time(transport: ProcessTransport, pieces: Pieces) -> None:
    """While this process does something else, every piece still has an arrival of its own, before that ended."""
    woke_ns = 0
    reads: list[int] = []
    async with aclosing(transport.exchange(request(pieces.url))) as exchange:
        async for seen in exchange:
            if isinstance(seen, Read):
                reads.append(seen.mono_ns)
            elif not woke_ns:
                pieces.sent.wait(20)
                woke_ns = time.monotonic_ns()
                pieces.ending.set()
    assert len(set(reads)) > PIECES // 2  # not one: a busy machine may let the kernel join a few
    assert max(reads) < woke_ns


async def test_credentials_stay_in_the_pipe(pieces: Pieces, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the process's arguments nor its environment hold a credential, nor keys that this process has."""
    monkeypatch.setenv("SOME_PROVIDER_KEY", "secret-0002")
    transport = ProcessTransport(SystemClock())
    pieces.ending.set()
    await take(transport, pieces.url)
    shown = shown_by(transport.pid)
    await transport.close()
    assert b"PATH=" in shown
    assert b"secret" not in shown


def test_killed_parent_leaves_no_process(pieces: Pieces) -> None:
    """When the daemon is killed in mid-exchange, its measuring process ends by itself."""
    program = (
        "import asyncio, sys\n"
        "from contextlib import aclosing\n"
        "from daemon.transport.contract import Read\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from test_measuring_process import ProcessTransport, SystemClock, request\n"
        "async def main():\n"
        "    transport = ProcessTransport(SystemClock())\n"
        "    async with aclosing(transport.exchange(request(sys.argv[1]))) as exchange:\n"
        "        async for seen in exchange:\n"
        "            if isinstance(seen, Read):\n"
        "                print(transport.pid, flush=True)\n"
        "asyncio.run(main())\n"
    )
    here = Path(__file__).parent
    support = os.pathsep.join([str(here.parent / "support"), os.environ.get("PYTHONPATH", "")])
    parent = subprocess.Popen(
        [sys.executable, "-c", program, pieces.url, str(here)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": support},
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert alive(child)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    while alive(child):
        time.sleep(0.01)


async def test_what_cannot_be_set_up_is_told(tmp_path: Path, pieces: Pieces) -> None:
    """Without the authority that it was told to trust the process does not start, and the exchange says why."""
    transport = ProcessTransport(SystemClock(), authority=tmp_path / "missing.pem")
    (ended,) = await take(transport, pieces.url)
    assert isinstance(ended, Ended)
    assert ended.cause == "crash"
    assert "FileNotFoundError" in ended.message
    await transport.close()
