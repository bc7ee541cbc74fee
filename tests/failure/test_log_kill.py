"""kill -9 of the process that writes the log."""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from daemon.log import InlineLog, SqliteReader
from daemon.log.verify import verify
from schemas.clocks import SystemClock

ROUNDS = 6

# Five tasks append as fast as they can; each position goes to stdout once it is acknowledged.
WRITER = """
import asyncio, os, sys
from pathlib import Path
from uuid import UUID
from daemon.log import GroupCommitLog
from schemas.clocks import SystemClock
from schemas.events import FirstToken

async def append(log, number):
    while True:
        event = FirstToken(attempt=UUID(int=number), channel="answer", elapsed_us=number)
        envelopes = await log.append(*[event] * (number + 1))
        os.write(1, b"".join(b"%d\\n" % envelope.seq for envelope in envelopes))

async def main():
    log = GroupCommitLog(Path(sys.argv[1]), source="here", clock=SystemClock(), checkpoint_every=50)
    await asyncio.gather(*(append(log, number) for number in range(5)))

asyncio.run(main())
"""


def write_until_killed(path: Path, lines: int) -> list[int]:
    """Start a writer, kill it after so many acknowledgements, and return all positions it acknowledged."""
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        told = b"".join(child.stdout.readline() for _ in range(lines))
        child.kill()
        told += child.stdout.read()
    whole = told[: told.rfind(b"\n") + 1]
    return [int(line) for line in whole.split()]


@pytest.mark.timeout(120)
async def test_kill_loses_nothing_acknowledged(tmp_path: Path) -> None:
    """After each of several kills at random moments every acknowledged event is there and the chain holds."""
    path = tmp_path / "log" / "events.sqlite3"
    moments = random.Random(9)
    acknowledged: set[int] = set()
    for _ in range(ROUNDS):
        fresh = write_until_killed(path, moments.randrange(1, 400))
        assert fresh
        assert not acknowledged & set(fresh), "a position was given out twice"
        acknowledged |= set(fresh)
        with closing(SqliteReader(path)) as reader:
            assert verify(reader).size >= max(acknowledged)
    log = InlineLog(path, source="here", clock=SystemClock())
    checkpoint = await log.checkpoint()
    await log.close()
    assert checkpoint is None or checkpoint.seq > max(acknowledged)
    with closing(SqliteReader(path)) as reader:
        assert verify(reader).uncovered == 0
