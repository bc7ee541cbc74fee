"""What the log does when the disk under it is full or failing."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from daemon.log import GroupCommitLog, InlineLog, SqliteReader
from daemon.log.verify import verify
from schemas.clocks import ManualClock
from schemas.errors import LogError, LogFullError
from schemas.events import AttestationRecorded, FirstToken

NOON_NS = 1_796_040_000_000_000_000

Writer = InlineLog | GroupCommitLog
Open = Callable[..., Writer]


def bulky() -> AttestationRecorded:
    """Make an event of some 8 kB, so that a small disk fills within a few."""
    return AttestationRecorded(endpoint="e", statement="x" * 8000, by="somebody")


def token() -> FirstToken:
    """Make a small event."""
    return FirstToken(attempt=UUID(int=7), channel="answer", elapsed_us=1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the log under test lies."""
    return tmp_path / "log" / "events.sqlite3"


@pytest.fixture(params=[InlineLog, GroupCommitLog])
def open_log(request: pytest.FixtureRequest) -> Open:
    """Open a log with each of the writers."""

    def open_(path: Path, **options: object) -> Writer:
        writer: Writer = request.param(path, **{"source": "here", "clock": ManualClock(NOON_NS)} | options)
        return writer

    return open_


def fill(disk: Path) -> Path:
    """Write until the disk takes no further byte."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    assert ballast.stat().st_size > 100_000
    return ballast


async def append_until_refused(log: Writer) -> tuple[int, LogFullError]:
    """Append until the log refuses; return the last acknowledged position and the refusal."""
    acknowledged = 0
    for _ in range(2000):
        try:
            envelopes = await log.append(bulky())
        except LogFullError as refusal:
            return acknowledged, refusal
        acknowledged = envelopes[-1].seq
    raise AssertionError("the disk never filled")


class _Connection:
    """The writer's connection with a COMMIT that fails on demand."""

    def __init__(self, real: sqlite3.Connection, fail: Callable[[], None]) -> None:
        self._real = real
        self._fail = fail

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        if statement == "COMMIT":
            self._fail()
        return self._real.execute(statement, *values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def io_error(*, after_commit: sqlite3.Connection | None = None) -> None:
    """Fail as SQLite does when an fsync fails; the commit itself may have come through before."""
    if after_commit is not None:
        after_commit.execute("COMMIT")
    problem = sqlite3.OperationalError("disk I/O error")
    problem.sqlite_errorcode = sqlite3.SQLITE_IOERR
    problem.sqlite_errorname = "SQLITE_IOERR_FSYNC"
    raise problem


class TestFull:
    async def test_full_file_system(self, open_log: Open, small_disk: Path) -> None:
        """On a file system that is really full, appends stop with the cause, and nothing acknowledged is lost."""
        path = small_disk / "log" / "events.sqlite3"
        log = open_log(path)
        acknowledged, refusal = await append_until_refused(log)
        await log.close()
        assert acknowledged > 10
        assert "disk full; measuring stops" in str(refusal)
        assert f"up to seq {acknowledged} are safe; free space and restart" in str(refusal)
        subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)  # noqa: ASYNC221  # space is freed
        with closing(SqliteReader(path)) as reader:
            assert verify(reader).size == acknowledged
        log = open_log(path)
        (envelope,) = await log.append(bulky())
        await log.close()
        assert envelope.seq == acknowledged + 1

    async def test_full_database(self, open_log: Open, path: Path) -> None:
        """SQLite's own SQLITE_FULL stops every later append, also a small one and a checkpoint."""
        log = open_log(path)
        log._file._connection.execute("PRAGMA max_page_count = 60")
        acknowledged, refusal = await append_until_refused(log)
        assert acknowledged > 3
        for attempt in (log.append(token()), log.checkpoint(), log.append(bulky())):
            with pytest.raises(LogFullError, match="disk full; measuring stops") as caught:
                await attempt
            assert caught.value is not refusal
        assert isinstance(log.failed, LogFullError)
        await log.close()
        with closing(SqliteReader(path)) as reader:
            assert verify(reader).size == acknowledged

    async def test_everyone_who_waits_is_told(self, path: Path) -> None:
        """All tasks that wait when the disk fills get the error; positions acknowledged to others are all there."""
        log = GroupCommitLog(path, source="here", clock=ManualClock(NOON_NS))
        log._file._connection.execute("PRAGMA max_page_count = 120")

        async def append() -> int:
            return (await log.append(bulky()))[0].seq

        waves = [await asyncio.gather(*(append() for _ in range(7)), return_exceptions=True) for _ in range(8)]
        answers = [answer for wave in waves for answer in wave]
        await log.close()
        acknowledged = [answer for answer in answers if isinstance(answer, int)]
        refused = [answer for answer in answers if not isinstance(answer, int)]
        assert acknowledged
        assert refused
        assert all(isinstance(answer, LogFullError) for answer in refused)
        with closing(SqliteReader(path)) as reader:
            assert verify(reader).size == max(acknowledged) == len(acknowledged)

    async def test_the_daemon_hears_of_it_once(self, path: Path) -> None:
        """The failure callback is called once, with the error."""
        heard: list[LogError] = []
        log = GroupCommitLog(path, source="here", clock=ManualClock(NOON_NS), on_failure=heard.append)
        log._file._connection.execute("PRAGMA max_page_count = 40")
        await append_until_refused(log)
        with pytest.raises(LogFullError):
            await log.append(token())
        await log.close()
        assert [type(error) for error in heard] == [LogFullError]


class TestFailing:
    async def test_commit_that_did_not_arrive(self, open_log: Open, path: Path) -> None:
        """An I/O error says that the append may or may not be there; here it is not, and the log goes on after it."""
        log = open_log(path)
        await log.append(token())
        log._file._connection = _Connection(log._file._connection, io_error)  # type: ignore[assignment]  # a stand-in
        with pytest.raises(LogFullError, match=r"SQLITE_IOERR_FSYNC.*up to seq 1 are safe.*may or may not be there"):
            await log.append(token())
        with pytest.raises(LogFullError):
            await log.append(token())
        await log.close()
        log = open_log(path)
        assert (await log.append(token()))[0].seq == 2
        await log.close()

    async def test_commit_that_arrived_all_the_same(self, open_log: Open, path: Path) -> None:
        """When the failed append did reach the disk, reopening finds it and goes on after it, hashes included."""
        log = open_log(path)
        await log.append(token())
        real = log._file._connection
        log._file._connection = _Connection(real, lambda: io_error(after_commit=real))  # type: ignore[assignment]  # a stand-in
        with pytest.raises(LogFullError, match="may or may not be there"):
            await log.append(token())
        await log.close()
        log = open_log(path)
        assert (await log.append(token()))[0].seq == 3
        await log.checkpoint()
        await log.close()
        with closing(SqliteReader(path)) as reader:
            assert verify(reader).size == 4

    async def test_a_defect_does_not_hang(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Even an error that nobody foresaw reaches whoever waits, and every later append."""
        log = GroupCommitLog(path, source="here", clock=ManualClock(NOON_NS))

        def break_(_drafts: object) -> None:
            raise ZeroDivisionError("a defect")

        monkeypatch.setattr(log._file, "stage", break_)
        for _ in range(2):
            with pytest.raises(LogError, match="ZeroDivisionError"):
                await log.append(token())
        await log.close()

    def test_real_write_error(self, path: Path) -> None:
        """When the kernel refuses a write (file size limit), acknowledged events are safe and the rest is refused."""
        program = """
import asyncio, json, resource, sys
from pathlib import Path
from daemon.log import GroupCommitLog
from schemas.clocks import SystemClock
from schemas.errors import LogFullError
from schemas.events import AttestationRecorded

async def main():
    log = GroupCommitLog(Path(sys.argv[1]), source="here", clock=SystemClock())
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
    acknowledged = 0
    try:
        while True:
            acknowledged = (await log.append(AttestationRecorded(endpoint="e", statement="x" * 8000, by="b")))[0].seq
    except LogFullError as refusal:
        print(json.dumps([acknowledged, str(refusal)]))
    await log.close()

asyncio.run(main())
"""
        child = subprocess.run(
            [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True, env=os.environ
        )
        acknowledged, message = json.loads(child.stdout)
        assert acknowledged > 10
        assert "SQLITE_IOERR" in message
        assert f"up to seq {acknowledged} are safe" in message
        with closing(SqliteReader(path)) as reader:
            assert verify(reader).size in (acknowledged, acknowledged + 1)


class TestOpening:
    def test_without_room_for_a_new_log(self, open_log: Open, small_disk: Path) -> None:
        """A log that cannot even be made says so as a log's error, and can be made once there is room."""
        ballast = fill(small_disk)
        path = small_disk / "log" / "events.sqlite3"
        for _ in range(2):
            with pytest.raises(LogError, match="cannot open the log"):
                open_log(path)
        ballast.unlink()
        asyncio.run(open_log(path).close())
