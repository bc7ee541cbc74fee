"""How fast the log is: ``python tests/bench/log.py [DIR]``.

Appends of one task and of a hundred at once (an event of the size of a completed attempt), with the raw
fsync rate of the same disk beside them, and reading. DIR is where the log is written; it decides the disk.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec

from daemon.log import GroupCommitLog, InlineLog, SqliteReader
from daemon.log.verify import verify
from schemas.clocks import SystemClock
from schemas.events import AttemptCompleted, Event, decode_event
from schemas.jsonview import envelope_from_json
from schemas.timeline import Channel, TimelineRow, pack_timeline

EXAMPLE = Path(__file__).resolve().parents[2] / "schemas" / "examples" / "attempt-completed.v1.json"
READS = 1500
SPAN_S = 3.0


def attempt() -> Event:
    """Make a completed attempt with a timeline of 1,500 reads."""
    event = decode_event(envelope_from_json(EXAMPLE.read_bytes()))
    assert isinstance(event, AttemptCompleted)
    rows = (TimelineRow(400_000 + 20_000 * number, 280, Channel.ANSWER, 1) for number in range(READS))
    return msgspec.structs.replace(event, timeline=pack_timeline(rows))


def fsyncs_per_s(directory: Path) -> float:
    """Append 4 kB and fsync, over and over: the ceiling of a lone durable append."""
    count, start = 0, time.perf_counter()
    with (directory / "fsync").open("wb") as file:
        while time.perf_counter() - start < SPAN_S:
            file.write(bytes(4096))
            file.flush()
            os.fdatasync(file.fileno())
            count += 1
    return count / (time.perf_counter() - start)


async def appends_per_s(log: InlineLog | GroupCommitLog, tasks: int, event: Event) -> float:
    """Let so many tasks append one event at a time for a while."""
    start = time.perf_counter()

    async def append() -> int:
        count = 0
        while time.perf_counter() - start < SPAN_S:
            await log.append(event)
            count += 1
        return count

    counts = await asyncio.gather(*(append() for _ in range(tasks)))
    rate = sum(counts) / (time.perf_counter() - start)
    await log.close()
    return rate


def reads_per_s(reader: SqliteReader, *, decode: bool) -> float:
    """Read the log from its beginning, with or without step two of decoding."""
    start = time.perf_counter()
    after = 0
    while events := reader.read_after(after, limit=1000):
        if decode:
            for stored in events:
                decode_event(stored.envelope)
        after = events[-1].envelope.seq
    return after / (time.perf_counter() - start)


def verified_per_s(reader: SqliteReader) -> float:
    """Verify the whole log."""
    start = time.perf_counter()
    return verify(reader).size / (time.perf_counter() - start)


def main() -> None:
    """Measure and print."""
    event = attempt()
    where = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory(dir=where) as directory:
        root = Path(directory)
        ceiling = fsyncs_per_s(root)
        print(f"disk: write and fdatasync of 4 kB    {ceiling:>10,.0f} /s")

        def show(name: str, make: Callable[[], InlineLog | GroupCommitLog], tasks: int) -> None:
            rate = asyncio.run(appends_per_s(make(), tasks, event))
            print(f"{name:<36} {rate:>10,.0f} appends/s  {rate / ceiling:>6.2f} of the disk's rate")

        clock = SystemClock()
        show("inline, 1 task", lambda: InlineLog(root / "a.sqlite3", source="bench", clock=clock), 1)
        show("group commit, 1 task", lambda: GroupCommitLog(root / "b.sqlite3", source="bench", clock=clock), 1)
        show("group commit, 100 tasks", lambda: GroupCommitLog(root / "c.sqlite3", source="bench", clock=clock), 100)
        show(
            "inline, committing every 1,000",
            lambda: InlineLog(root / "d.sqlite3", source="bench", clock=clock, commit_every=1000),
            1,
        )
        with closing(SqliteReader(root / "d.sqlite3")) as reader:
            print(f"{'read, envelopes':<36} {reads_per_s(reader, decode=False):>10,.0f} events/s")
            print(f"{'read, decoded':<36} {reads_per_s(reader, decode=True):>10,.0f} events/s")
            print(f"{'verify':<36} {verified_per_s(reader):>10,.0f} events/s")


if __name__ == "__main__":
    main()
