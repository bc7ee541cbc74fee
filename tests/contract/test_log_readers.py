"""What every way to read a log holds to: the SQLite file, its sealed segments, its backup's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from uuid import UUID

import pytest
from months_log import DECEMBER_NS, write_months

from daemon.log import SqliteReader
from daemon.log.browsable import BrowsableLog
from daemon.log.opening import open_log_at
from daemon.log.segments import SegmentsReader, seal
from daemon.log.verify import verify
from daemon.paths import DataPaths
from projections.source import LogSource
from schemas.chain import merkle_root
from schemas.errors import LogError
from schemas.events import CalibrationCompleted, LogCheckpointed
from schemas.log import StoredEvent

Make = Callable[[DataPaths], BrowsableLog]


def _sqlite(paths: DataPaths) -> BrowsableLog:
    return SqliteReader(paths.log)


def _sealed(paths: DataPaths) -> BrowsableLog:
    with closing(SqliteReader(paths.log)) as reader:
        seal(reader, paths.sealed, now_ns=DECEMBER_NS, force=True)
    return SegmentsReader(paths.sealed)


def _only_segments(paths: DataPaths) -> BrowsableLog:
    """Open a data directory whose SQLite file is gone."""
    _sealed(paths).close()
    paths.log.unlink()
    return open_log_at(paths.root)


@pytest.fixture
def paths(tmp_path: Path) -> DataPaths:
    """Write the log."""
    paths = DataPaths(tmp_path)
    write_months(paths.log)
    return paths


@pytest.fixture
def stored(paths: DataPaths) -> list[StoredEvent]:
    """Everything that was written."""
    with closing(SqliteReader(paths.log)) as reader:
        return list(reader.read_after(0, limit=10_000))


@pytest.fixture(
    params=[(_sqlite, 0), (_sealed, 1024 * 1024), (_sealed, 1), (_sealed, 700), (_only_segments, 1024 * 1024)],
    ids=["sqlite", "segments", "one event a frame", "several frames", "data directory without its SQLite file"],
)
def reader(
    request: pytest.FixtureRequest, paths: DataPaths, stored: list[StoredEvent], monkeypatch: pytest.MonkeyPatch
) -> Iterator[BrowsableLog]:
    """Open the log each way."""
    assert stored
    make, block_bytes = request.param
    monkeypatch.setattr("daemon.log.segments.sealing.BLOCK_BYTES", block_bytes)
    with ExitStack() as opened:
        yield opened.enter_context(closing(make(paths)))


class TestEveryReader:
    def test_same_events(self, reader: BrowsableLog, stored: list[StoredEvent]) -> None:
        """Every event comes with the very bytes that were stored, in order, from the same source."""
        assert reader.source == "here"
        assert reader.last_seq() == len(stored)
        assert list(reader.read_after(0, limit=10_000)) == stored

    @pytest.mark.parametrize("limit", [1, 3, 25, 1000])
    def test_paging(self, reader: BrowsableLog, stored: list[StoredEvent], limit: int) -> None:
        """Reading in pages of any size gives every event once, and an empty page at the end."""
        found: list[StoredEvent] = []
        while page := reader.read_after(found[-1].envelope.seq if found else 0, limit=limit):
            assert len(page) <= limit
            found += page
        assert found == stored

    def test_behind_the_end(self, reader: BrowsableLog) -> None:
        """Behind the last event there is nothing, and that is no error."""
        assert list(reader.read_after(reader.last_seq(), limit=5)) == []
        assert list(reader.read_after(10**9, limit=5)) == []

    def test_single_events(self, reader: BrowsableLog, stored: list[StoredEvent]) -> None:
        """Each event is found by its position and by its id; others are not."""
        assert [reader.get(each.envelope.seq) for each in stored] == stored
        assert [reader.find(each.envelope.id) for each in stored] == stored
        assert [reader.get(0), reader.get(len(stored) + 1), reader.find(UUID(int=5))] == [None] * 3

    @pytest.mark.parametrize("kind", [LogCheckpointed.TYPE, CalibrationCompleted.TYPE, "no-such-type"])
    def test_by_type(self, reader: BrowsableLog, stored: list[StoredEvent], kind: str) -> None:
        """Events of one type come in order, behind a position, and no more than asked for."""
        wanted = [each for each in stored if each.envelope.type == kind]
        assert list(reader.of_type(kind, limit=100)) == wanted
        assert list(reader.of_type(kind, limit=1)) == wanted[:1]
        assert list(reader.of_type(kind, after=12, limit=100)) == [e for e in wanted if e.envelope.seq > 12]

    @pytest.mark.parametrize("limit", [0, 1, 7, 1000])
    def test_tail(self, reader: BrowsableLog, stored: list[StoredEvent], limit: int) -> None:
        """The newest events come oldest first, all of them or of one type."""
        assert list(reader.tail(limit)) == stored[len(stored) - min(limit, len(stored)) :]
        marks = [each for each in stored if each.envelope.type == LogCheckpointed.TYPE]
        wanted = marks[len(marks) - min(limit, len(marks)) :]
        assert list(reader.tail(limit, kind=LogCheckpointed.TYPE)) == wanted

    def test_verified(self, reader: BrowsableLog, stored: list[StoredEvent]) -> None:
        """Verifying gives the same root from everywhere, and every checkpoint is met."""
        verified = verify(reader)
        assert verified.root == merkle_root(each.raw for each in stored)
        assert verified.checkpoints == sum(each.envelope.type == LogCheckpointed.TYPE for each in stored)

    async def test_a_source_for_projections(self, reader: BrowsableLog, stored: list[StoredEvent]) -> None:
        """Projections read it as they read any log: events behind positions, ends, identifiers."""
        source = LogSource(reader)
        assert list(await source.read_after({"here": 20}, limit=3)) == stored[20:23]
        assert await source.ends() == {"here": len(stored)}
        assert await source.identify("here", 3) == stored[2].envelope.id

    def test_closed(self, reader: BrowsableLog) -> None:
        """Reading after closing is an error that names what was read."""
        reader.close()
        with pytest.raises(LogError, match="is closed"):
            reader.read_after(0, limit=1)
