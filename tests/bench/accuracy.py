"""How wrong times are, measured against the truth: ``python -m tests.bench.accuracy [--quick]``.

A server in a process of its own sends 100 tokens, one every 10 ms, the first 200 ms after the request. Every
transport, and the official library as a peer where it is installed, reads 1, 10, 100 and 300 such streams at
once, plain and over TLS, while the event loop of this process is free, and while a second task blocks it 30 of
every 100 ms.

TTFT is compared as a duration from the request's arrival at the server, by the kernel's clock, so the way to
the server is part of the error, and a late server is not. A token's time is compared on the one monotonic
clock of this machine. Writes that took the server more than half a millisecond prove nothing, since it was
interrupted in the middle; they are left out and counted. Errors are absolute values.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from bisect import bisect_left
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from daemon.calibration.certificate import make_certificate
from daemon.console import configure_logging
from daemon.transport.choosing import make_transport
from daemon.transport.contract import Limits, PreparedRequest, Read, Sent, Transport
from daemon.transport.exchanging import trusting_tls
from daemon.transport.process_transport import ProcessTransport
from schemas.clocks import SystemClock
from tests.bench.paced_server import TOKENS, Stream, token

LIMITS = Limits(connect_s=30, first_byte_s=30, silence_s=30, total_s=60, response_bytes=2**24)
ROUNDS = {1: 10, 10: 3, 100: 2, 300: 1}
QUICK_ROUNDS = {1: 3, 10: 1, 100: 1}
INTERRUPTED_NS = 500_000
TOKEN_BYTES = len(token(0))
URL = "/v1/chat/completions"


class Seen(msgspec.Struct, frozen=True):
    """What a client noted of one stream: when it sent, and (time, bytes so far) of each read."""

    name: str
    sent_ns: int
    reads: list[tuple[int, int]]

    def token_ns(self, index: int) -> int:
        """Time of the read that brought a token's last byte."""
        at = bisect_left(self.reads, (index + 1) * TOKEN_BYTES, key=lambda read: read[1])
        return self.reads[at][0]


Client = Callable[[str, str], Awaitable[Seen]]


def body(name: str) -> bytes:
    return msgspec.json.encode({"model": "paced", "user": name, "stream": True, "messages": []})


def through(transport: Transport) -> Client:
    """Read through one of our transports."""

    async def client(base_url: str, name: str) -> Seen:
        request = PreparedRequest(method="POST", url=base_url + URL, headers=(), body=body(name), limits=LIMITS)
        sent_ns, total = 0, 0
        reads: list[tuple[int, int]] = []
        async with aclosing(transport.exchange(request)) as signals:
            async for signal in signals:
                if isinstance(signal, Read):
                    total += len(signal.data)
                    reads.append((signal.mono_ns, total))
                elif isinstance(signal, Sent):
                    sent_ns = signal.mono_ns
        return Seen(name, sent_ns, reads)

    return client


def through_openai(client: Any) -> Client:
    """Read as the official library does: a chunk has the time at which the library hands it out."""

    async def read(_: str, name: str) -> Seen:
        reads: list[tuple[int, int]] = []
        sent_ns = time.monotonic_ns()
        stream = await client.chat.completions.create(model="paced", messages=[], stream=True, user=name)
        async for chunk in stream:
            if chunk.choices and chunk.choices[0].delta.content:
                reads.append((time.monotonic_ns(), (len(reads) + 1) * TOKEN_BYTES))
        return Seen(name, sent_ns, reads)

    return read


@asynccontextmanager
async def our_client(name: str, authority: Path | None, _: str) -> AsyncIterator[tuple[Client, Callable[[], float]]]:
    transport = make_transport(name, SystemClock(), authority=authority)  # type: ignore[arg-type]  # from CLIENTS
    if isinstance(transport, ProcessTransport):
        await transport.start()
    try:
        yield through(transport), lambda: time.process_time() + child_cpu_s(transport)
    finally:
        await transport.close()


@asynccontextmanager
async def openai_client(
    _: str, authority: Path | None, base_url: str
) -> AsyncIterator[tuple[Client, Callable[[], float]]]:
    import openai  # noqa: PLC0415  # a peer, compared with when it is installed

    tls = trusting_tls(None if authority is None else str(authority))
    async with openai.DefaultAsyncHttpxClient(verify=tls) as http:  # its own defaults: 1,000 connections
        client = openai.AsyncOpenAI(api_key="none", base_url=base_url + "/v1", max_retries=0, http_client=http)
        yield through_openai(client), time.process_time


def child_cpu_s(transport: Transport) -> float:
    """Processor time of a measuring process so far."""
    pid = transport.pid if isinstance(transport, ProcessTransport) else None
    return 0.0 if pid is None else int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


OURS = ("user-space", "kernel", "process")
PEERS = ("openai",)


class Row(msgspec.Struct, frozen=True):
    """Errors of one client under one condition, over all its streams."""

    ttft_ms: list[float]
    token_ms: list[float]
    speed_percent: list[float]
    left_out: int
    cpu_s_per_1000: float


def compare(seen: Sequence[Seen], truth: dict[str, Stream], cpu_s: float) -> Row:
    ttft, tokens, speeds, left_out = [], [], [], 0
    for stream in seen:
        true = truth[stream.name]
        sound = [write.after_ns - write.before_ns <= INTERRUPTED_NS for write in true.writes]
        left_out += sound.count(False)
        times = [stream.token_ns(index) for index in range(TOKENS)]
        tokens += [
            abs(time_ns - write.before_ns) / 1e6
            for time_ns, write, kept in zip(times, true.writes, sound, strict=True)
            if kept
        ]
        first, last = true.writes[0].before_ns, true.writes[-1].before_ns
        if sound[0]:
            ttft.append(abs((times[0] - stream.sent_ns) - (first - true.received_ns)) / 1e6)
        if sound[0] and sound[-1] and times[-1] > times[0]:
            speeds.append(abs((last - first) / (times[-1] - times[0]) - 1) * 100)
    return Row(ttft, tokens, speeds, left_out, cpu_s / (len(seen) * TOKENS) * 1000)


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


async def block() -> None:
    """Block the event loop 30 of every 100 ms."""
    while True:
        time.sleep(0.03)  # noqa: ASYNC251  # the point of it
        await asyncio.sleep(0.07)


async def measure(name: str, streams: int, rounds: int, *, tls: bool, blocked: bool, directory: Path) -> Row:
    certificate = make_certificate(directory) if tls else None
    truth = directory / "truth.json"
    server = subprocess.Popen(  # noqa: ASYNC220  # nothing else runs yet
        [sys.executable, "-m", "tests.bench.paced_server", str(truth), *map(str, certificate or ())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdout is not None
    assert server.stdin is not None
    base_url = f"{'https' if tls else 'http'}://127.0.0.1:{int(server.stdout.readline())}"
    make = openai_client if name in PEERS else our_client
    seen: list[Seen] = []
    async with make(name, certificate and certificate[0], base_url) as (client, cpu_s):
        await asyncio.gather(*(client(base_url, f"warm-{index}") for index in range(min(streams, 10))))
        gc.collect()
        blocking = asyncio.create_task(block()) if blocked else None
        begun_s = cpu_s()
        for number in range(rounds):
            seen += await asyncio.gather(*(client(base_url, f"{number}-{index}") for index in range(streams)))
        used_s = cpu_s() - begun_s
        if blocking is not None:
            blocking.cancel()
            with suppress(asyncio.CancelledError):
                await blocking
    server.stdin.close()
    server.wait()
    server.stdout.close()
    known = {stream.name: stream for stream in msgspec.json.decode(truth.read_bytes(), type=list[Stream])}
    return compare(seen, known, used_s)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, and no 300 streams")
    parser.add_argument("--client", choices=(*OURS, *PEERS), action="append", help="only these")
    parser.add_argument("--streams", type=int, action="append", help="only so many at once")
    parser.add_argument("--plain", action="store_true", help="without TLS only")
    parser.add_argument("--tls", action="store_true", help="with TLS only")
    parser.add_argument("--free", action="store_true", help="without the blocked loop only")
    asked = parser.parse_args()
    configure_logging(level="warning")
    rounds = QUICK_ROUNDS if asked.quick else ROUNDS
    clients = asked.client or [*OURS, *(peer for peer in PEERS if importlib.util.find_spec(peer))]
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start; errors as absolute values")
    print(
        f"{'client':12}{'':6}{'loop':9}{'streams':>7}{'TTFT p50':>10}{'p99 ms':>9}{'token p50':>11}{'p99 ms':>9}"
        f"{'speed p50':>11}{'p99 %':>9}{'CPU s/1000':>12}{'left out':>10}"
    )
    for tls in (False,) if asked.plain else (True,) if asked.tls else (False, True):
        for blocked in (False,) if asked.free else (False, True):
            for streams in asked.streams or rounds:
                for name in clients:
                    with tempfile.TemporaryDirectory(prefix="messwerk-accuracy-") as directory:
                        row = asyncio.run(
                            measure(
                                name,
                                streams,
                                rounds.get(streams, 1),
                                tls=tls,
                                blocked=blocked,
                                directory=Path(directory),
                            )
                        )
                    print(line(row, name, streams, tls=tls, blocked=blocked), flush=True)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


def line(row: Row, name: str, streams: int, *, tls: bool, blocked: bool) -> str:
    return (
        f"{name:12}{'TLS' if tls else 'plain':6}{'blocked' if blocked else 'free':9}{streams:>7}"
        f"{percentile(row.ttft_ms, 0.5):>10.3f}{percentile(row.ttft_ms, 0.99):>9.3f}"
        f"{percentile(row.token_ms, 0.5):>11.3f}{percentile(row.token_ms, 0.99):>9.3f}"
        f"{percentile(row.speed_percent, 0.5):>11.4f}{percentile(row.speed_percent, 0.99):>9.4f}"
        f"{row.cpu_s_per_1000:>12.3f}{row.left_out:>10}"
    )


if __name__ == "__main__":
    main()
