"""The child's half of :mod:`daemon.reference.child`: say where it listens, and stay until it is told to go."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import msgspec

from daemon.reference.child import Ready


async def announce_until_stopped(base_url: str, output: BinaryIO, *, exit_with_parent: bool) -> None:
    """Write the ready line, then wait for SIGTERM, SIGINT or, if so wanted, the end of standard input."""
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    if exit_with_parent:
        loop.add_reader(sys.stdin.fileno(), _watch_stdin, stopping)
    output.write(msgspec.json.encode(Ready(base_url=base_url, pid=os.getpid())) + b"\n")
    output.flush()
    await stopping.wait()


@contextmanager
def chatter_on_stderr() -> Iterator[BinaryIO]:
    """Give the true standard output, and send to standard error what native code writes to descriptor 1.

    A library's line before the ready line would be taken for it, and one after it might fill a pipe that
    nobody reads.
    """
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with os.fdopen(kept, "wb", closefd=False) as output:
            yield output
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _watch_stdin(stopping: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        stopping.set()
