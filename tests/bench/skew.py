"""How far apart paired requests go out: ``python -m tests.bench.skew [--pairs N] [--transport NAME]``.

Pairs go through a rendezvous to a server on loopback that notes when each request's first byte came. Prints the skew
by the moments that the transport tells, and by the server's, over plain http with short and long prompts.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
from collections import defaultdict
from contextlib import aclosing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from capturing_server import CapturingServer
from transports import socket_transports

from daemon.transport.choosing import make_transport
from daemon.transport.contract import Limits, PreparedRequest, Rendezvous, Route, Sent, Transport
from schemas.clocks import SystemClock

LIMITS = Limits(connect_s=10, first_byte_s=10, silence_s=10, total_s=20, response_bytes=2**20)
SIZES = {"1k tokens": 4_000, "100k tokens": 400_000}


def party(url: str, pair: str, place: int, size: int) -> PreparedRequest:
    return PreparedRequest(
        method="POST",
        url=f"{url}/{pair}",
        headers=(),
        body=b"x" * size,
        limits=LIMITS,
        rendezvous=Rendezvous(id=pair, parties=2, place=place, wait_s=10),
        route=Route(name=f"account {place}"),
    )


async def sent_ns(transport: Transport, request: PreparedRequest) -> int:
    moment = 0
    async with aclosing(transport.exchange(request)) as exchange:
        async for signal in exchange:
            if isinstance(signal, Sent):
                moment = signal.mono_ns
    return moment


async def measure(transport: Transport, pairs: int, size: int) -> tuple[list[float], list[float]]:
    """Skews of so many pairs in microseconds: as told by the transport, and as seen by the server."""
    server = CapturingServer()
    url, told = await server.start(), []
    try:
        for number in range(pairs):
            places = [0, 1]
            random.shuffle(places)
            requests = [party(url, f"pair-{number}", place, size) for place in places]
            first, second = await asyncio.gather(*(sent_ns(transport, request) for request in requests))
            told.append(abs(first - second) / 1000)
    finally:
        await server.close()
    seen: defaultdict[bytes, list[int]] = defaultdict(list)
    for captured in server.captured:
        seen[captured.data.split(b" ")[1]].append(captured.mono_ns)
    return told, [(max(moments) - min(moments)) / 1000 for moments in seen.values()]


def worded(skews_us: list[float]) -> str:
    """Word a distribution."""
    ordered = sorted(skews_us)
    middle, high = ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100]
    return f"P50 {middle:7.0f} µs, P99 {high:7.0f} µs, largest {ordered[-1]:7.0f} µs"


async def run(names: list[str], pairs: int) -> None:
    for name in names:
        transport = make_transport(name, SystemClock())  # type: ignore[arg-type]  # from socket_transports
        try:
            for size_name, size in SIZES.items():
                told, seen = await measure(transport, pairs, size)
                print(f"{name:10} {size_name:11} told {worded(told)}")
                print(f"{'':22} seen {worded(seen)}")
        finally:
            await transport.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--transport", choices=socket_transports())
    asked = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start; {asked.pairs} pairs each")
    asyncio.run(run([asked.transport] if asked.transport else list(socket_transports()), asked.pairs))


if __name__ == "__main__":
    main()
