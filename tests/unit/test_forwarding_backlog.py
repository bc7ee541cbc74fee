"""What waits to be forwarded: how it is counted, worded and warned of."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from short_log import write_log

from daemon.cli.forwarded import worded_backlog
from daemon.forwarding.backlog import DISK_RESERVE_BYTES, Backlog, backlog
from daemon.forwarding.marks import MarkFile, Standing, StandingFile
from daemon.forwarding.resuming import Mark
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from schemas.configuration import KafkaTable

TABLE = KafkaTable(bootstrap=("h:1",), backlog_warn_bytes=100)


async def test_a_backlog_is_what_the_log_has_after_the_mark(tmp_path: Path) -> None:
    """Events, bytes and the age of the oldest are counted from the mark; at the log's end nothing waits."""
    count, paths = await write_log(tmp_path), DataPaths(tmp_path)
    MarkFile(paths.forwarded).write(Mark(seq=count - 2))
    with closing(SqliteReader(paths.log)) as reader:
        found = backlog(paths, reader)
        rest = reader.read_after(count - 2, limit=10)
        assert (found.events, found.bytes) == (2, sum(len(each.raw) for each in rest))
        assert found.age_s(rest[0].envelope.wall_ns + 7_000_000_000) == 7
        MarkFile(paths.forwarded).write(Mark(seq=count))
        assert backlog(paths, reader).oldest_wall_ns is None


def test_warnings_come_for_a_long_backlog_and_for_a_disk_nearly_full() -> None:
    """More than backlog_warn_bytes, and less than the reserve on the disk, are each told with what to do."""
    quiet = Backlog(
        forwarded_seq=1, events=1, bytes=100, oldest_wall_ns=0, free_bytes=DISK_RESERVE_BYTES, standing=None
    )
    assert quiet.warnings(TABLE) == ()
    loud = Backlog(
        forwarded_seq=1, events=1, bytes=101, oldest_wall_ns=0, free_bytes=DISK_RESERVE_BYTES - 1, standing=None
    )
    long, full = loud.warnings(TABLE)
    assert "messwerk kafka check" in long
    assert "make room" in full


def test_status_words_why_nothing_is_forwarded() -> None:
    """A stopped forwarder is shown with since when and why, beside what waits."""
    standing = Standing(state="stopped", since_ns=0, reason="two of one name")
    found = Backlog(
        forwarded_seq=4, events=3, bytes=50, oldest_wall_ns=0, free_bytes=DISK_RESERVE_BYTES, standing=standing
    )
    lines = list(worded_backlog(found, TABLE, datetime(1970, 1, 1, 0, 1, tzinfo=UTC)))
    assert lines[0].endswith("up to 4; 3 events (50 bytes) wait, 60 s")
    assert lines[1].strip() == "stopped since 1970-01-01 00:00:00Z: two of one name"


def test_an_unreadable_mark_is_done_without(tmp_path: Path) -> None:
    """Files that hold nonsense count as absent; writing replaces them."""
    (tmp_path / "mark").write_bytes(b"\x00nonsense")
    assert MarkFile(tmp_path / "mark").read() == Mark()
    assert StandingFile(tmp_path / "none").read() is None
    MarkFile(tmp_path / "mark").write(Mark(seq=3))
    assert MarkFile(tmp_path / "mark").read().seq == 3
