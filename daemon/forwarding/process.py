"""Forwarding in a process of its own, so that compressing and sending never cost the measuring loop its time.

``python -m daemon.forwarding.process`` reads its :class:`Assignment` as one line of JSON and ends when its
standard input does: it outlives nobody. :func:`keep_forwarding` starts it, and starts it again.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import msgspec
import structlog

from daemon.console import LogFormat, LogLevel, configure_logging
from daemon.forwarding.access import client_arguments
from daemon.forwarding.forwarder import Forwarder
from daemon.forwarding.kafka_sink import KafkaSink
from daemon.forwarding.marks import MarkFile, Standing, StandingFile
from daemon.forwarding.resuming import SameSourceError
from daemon.log import SqliteReader
from daemon.log.lock import WriterLock
from daemon.paths import DataPaths
from schemas.clocks import SystemClock
from schemas.configuration import KafkaTable
from schemas.errors import MesswerkError
from schemas.kafka_clients import quiet_client

SAME_SOURCE_EXIT: Final = 3
"""Exit code that asks not to be started again: another daemon uses this source's name."""

_ENDING_S: Final = 8.0
_FIRST_AGAIN_S: Final = 1.0
_LONGEST_AGAIN_S: Final = 60.0

_log = structlog.get_logger(__name__)


class Assignment(msgspec.Struct, frozen=True, kw_only=True):
    """What a forwarding process is told. No password: it reads that itself, from where the table says."""

    table: KafkaTable
    directory: str
    data: str
    log_format: LogFormat
    log_level: LogLevel


async def keep_forwarding(assignment: Assignment) -> None:
    """Keep a forwarding process until cancelled. Returns when forwarding has ended for good, and why is logged."""
    again_s = _FIRST_AGAIN_S
    mark = MarkFile(DataPaths(Path(assignment.data)).forwarded)
    while True:
        begun_s, begun_at = asyncio.get_running_loop().time(), mark.read()
        code = await _one_life(assignment)
        if code == SAME_SOURCE_EXIT:
            return
        lived_s = asyncio.get_running_loop().time() - begun_s
        # A life that forwarded anything was a good one, however short.
        good = mark.read() != begun_at or lived_s > _LONGEST_AGAIN_S
        again_s = _FIRST_AGAIN_S if good else min(2 * again_s, _LONGEST_AGAIN_S)
        _log.warning("the forwarding process ended; measuring goes on", code=code, again_in_s=again_s)
        await asyncio.sleep(again_s)


async def _one_life(assignment: Assignment) -> int:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "daemon.forwarding.process", stdin=PIPE, start_new_session=True
    )
    assert process.stdin is not None
    try:
        process.stdin.write(msgspec.json.encode(assignment) + b"\n")
        with suppress(ConnectionError):
            await process.stdin.drain()
        return await process.wait()
    finally:
        if process.returncode is None:
            process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), _ENDING_S)
            except TimeoutError:
                process.kill()
                await process.wait()


async def forward(assignment: Assignment, stop: asyncio.Event) -> None:
    """Forward until ``stop``. Raises what only people can help with."""
    paths, table = DataPaths(Path(assignment.data)), assignment.table
    standing = StandingFile(paths.forwarding)
    clock = SystemClock()

    def tell(told: Standing) -> None:
        with suppress(OSError):  # a full disk is told by the log; this file is for people only
            standing.write(told)

    async def pause(seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), seconds)

    try:
        with closing(SqliteReader(paths.log)) as reader:
            sink = KafkaSink(
                client_arguments(table, Path(assignment.directory), os.environ),
                table.topic,
                message_bytes=table.message_bytes,
            )
            forwarder = Forwarder(reader, sink, MarkFile(paths.forwarded), clock=clock, pause=pause, tell=tell)
            await forwarder.run(stop.is_set)
    except MesswerkError as problem:
        tell(Standing(state="stopped", since_ns=clock.wall_ns(), reason=str(problem)))
        raise


async def _main() -> int:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    assignment = msgspec.json.decode(sys.stdin.buffer.readline(), type=Assignment)
    configure_logging(assignment.log_format, level=assignment.log_level)
    quiet_client()
    # The end of standard input is the end of whoever started this, however it ended.
    loop.add_reader(sys.stdin.fileno(), stop.set)
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    # Two forwarders of one log would send every event twice, and out of order.
    lock = WriterLock(DataPaths(Path(assignment.data)).forwarded)
    working = asyncio.create_task(forward(assignment, stop))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        # What is in flight may be waiting for brokers that are away; the topic will tell what arrived.
        await asyncio.wait_for(working, _ENDING_S / 2)
    except TimeoutError:
        return 0
    except SameSourceError:
        return SAME_SOURCE_EXIT
    except MesswerkError as problem:
        _log.error("forwarding failed", reason=str(problem))
        return 1
    finally:
        lock.release()
    return 0


if __name__ == "__main__":
    # The daemon's Ctrl-C is not this process's: it ends with its standard input, after the daemon's last event.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(asyncio.run(_main()))
