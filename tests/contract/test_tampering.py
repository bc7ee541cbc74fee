"""Whoever changes a stored log is found, and verification names the first position that is wrong."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from months_log import DECEMBER_NS, write_months

from daemon.log import LogFile, SqliteReader
from daemon.log.opening import verify_log
from daemon.log.published import Published
from daemon.log.segments import SegmentsReader, seal
from daemon.log.verify import Verified, verify
from daemon.paths import DataPaths
from schemas.chain import Frontier, leaf_hash
from schemas.clocks import ManualClock
from schemas.errors import LogDamagedError, LogError
from schemas.events import FirstToken
from schemas.log import StoredEvent

NOON_NS = 1_796_040_000_000_000_000
EVENTS = 26
TRIGGERS = (
    "events_no_update",
    "events_no_delete",
    "events_in_order",
    "leaves_no_update",
    "leaves_no_delete",
    "leaves_in_order",
)
positions = st.integers(1, EVENTS)
many = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def write(path: Path, count: int = 24, begin: int = 1) -> None:
    """Write so many small events with a checkpoint behind every tenth; the last ones are covered by none."""
    log = LogFile(path, source="here", clock=ManualClock(NOON_NS), checkpoint_every=10, random_bytes=bytes)
    for number in range(begin, begin + count):
        log.append(FirstToken(attempt=UUID(int=7), channel="answer", elapsed_us=number))
    log.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Bytes of a log's file, all of it in the database."""
    path = tmp_path_factory.mktemp("whole") / "log" / "events.sqlite3"
    write(path)
    return path.read_bytes()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where a changed copy goes."""
    return tmp_path / "events.sqlite3"


def put(place: Path, content: bytes) -> None:
    """Lay a file down, without what SQLite left beside the one before it."""
    for suffix in ("-wal", "-shm"):
        place.with_name(place.name + suffix).unlink(missing_ok=True)
    place.write_bytes(content)


def change(place: Path, content: bytes, *statements: tuple[str, tuple[object, ...]]) -> None:
    """Change a copy of the log as somebody would who has the file: drop what guards it first."""
    put(place, content)
    with closing(sqlite3.connect(place, isolation_level=None)) as connection:
        for trigger in TRIGGERS:
            connection.execute(f"DROP TRIGGER {trigger}")
        for statement, values in statements:
            connection.execute(statement, values)


def events(place: Path) -> Sequence[StoredEvent]:
    with closing(SqliteReader(place)) as reader:
        return reader.read_after(0, limit=1000)


def checked(place: Path, published: Sequence[Published] = ()) -> Verified:
    with closing(SqliteReader(place)) as reader:
        return verify(reader, published=published)


def first_wrong(place: Path, published: Sequence[Published] = ()) -> int:
    """Return the position that verification names."""
    with pytest.raises(LogDamagedError) as problem:
        checked(place, published)
    return problem.value.seq


def published_over(place: Path, size: int, *, subtrees: bool = True) -> Published:
    frontier = Frontier()
    for stored in events(place)[:size]:
        frontier.add(leaf_hash(stored.raw))
    return Published(size=size, root=frontier.root(), subtrees=frontier.subtrees if subtrees else ())


class TestFile:
    def test_unchanged(self, whole: bytes, place: Path) -> None:
        """Without a change, none is found."""
        put(place, whole)
        assert (checked(place).size, checked(place).uncovered) == (EVENTS, 4)

    def test_any_byte_of_the_file_that_holds_an_event(self, whole: bytes, place: Path) -> None:
        """Of whichever event a byte is changed in the file, that event is named."""
        put(place, whole)
        stored = events(place)
        for each in stored:
            begin = whole.index(each.raw)
            for at in range(begin + each.envelope.seq % 7, begin + len(each.raw), 7):
                put(place, whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
                assert first_wrong(place) == each.envelope.seq

    @many
    @given(positions, st.sampled_from(["raw", "id", "type"]), st.integers(0, 10_000), st.integers(1, 255))
    def test_any_byte_of_any_column(
        self, whole: bytes, place: Path, seq: int, column: str, at: int, mask: int
    ) -> None:
        """Whatever a byte of an event becomes, in any column and also where it still decodes, it is named."""
        put(place, whole)
        with closing(sqlite3.connect(place)) as connection:
            (value,) = connection.execute(
                f"SELECT CAST({column} AS BLOB) FROM events WHERE seq = ?", (seq,)
            ).fetchone()
        at %= len(value)
        changed = value[:at] + bytes([value[at] ^ mask]) + value[at + 1 :]
        kind = "TEXT" if column == "type" else "BLOB"
        change(place, whole, (f"UPDATE events SET {column} = CAST(? AS {kind}) WHERE seq = ?", (changed, seq)))
        assert first_wrong(place) == seq

    @pytest.mark.parametrize("seq", range(1, EVENTS + 1))
    def test_one_deleted(self, whole: bytes, place: Path, seq: int) -> None:
        """A deleted event is named, also the last one."""
        change(place, whole, ("DELETE FROM events WHERE seq = ?", (seq,)))
        assert first_wrong(place) == seq

    @many
    @given(st.lists(positions, min_size=2, max_size=2, unique=True), st.booleans())
    def test_two_swapped(self, whole: bytes, place: Path, pair: list[int], rows: bool) -> None:  # noqa: FBT001  # drawn by hypothesis
        """Of two events in each other's place, bytes alone or whole rows, the earlier place is named."""
        put(place, whole)
        one, other = (events(place)[seq - 1] for seq in pair)
        if rows:
            moves = [(0, pair[0]), (pair[0], pair[1]), (pair[1], 0)]
            statements = [("UPDATE events SET seq = ? WHERE seq = ?", move) for move in moves]
        else:
            swap = "UPDATE events SET raw = ? WHERE seq = ?"
            statements = [(swap, (one.raw, pair[1])), (swap, (other.raw, pair[0]))]
        change(place, whole, *statements)
        assert first_wrong(place) == min(pair)

    @pytest.mark.parametrize("kept", range(EVENTS))
    def test_events_cut_off(self, whole: bytes, place: Path, kept: int) -> None:
        """Of a log that lost its end, the first lost position is named, though no checkpoint covered it."""
        change(place, whole, ("DELETE FROM events WHERE seq > ?", (kept,)))
        assert first_wrong(place) == kept + 1

    def test_file_cut_off(self, tmp_path: Path) -> None:
        """Of a file that lost its last pages the first event that cannot be read is named, never one before it."""
        path = tmp_path / "log" / "events.sqlite3"
        write(path, 600)
        content, stored = path.read_bytes(), events(path)
        named = []
        for kept in range(len(content) // 4096 // 3, len(content) // 4096, 5):
            put(path, content[: kept * 4096])
            named.append(first_wrong(path))
            whole_before = [each.raw in content[: kept * 4096] for each in stored[: named[-1] - 1]]
            assert all(whole_before)
        assert named == sorted(named)
        assert len(set(named)) > 3

    def test_the_earlier_of_two(self, whole: bytes, place: Path) -> None:
        """Of a changed byte and a later event that does not even decode, the earlier is named."""
        put(place, whole)
        changed = events(place)[4].raw[:-1] + b"\x63"
        update = "UPDATE events SET raw = ? WHERE seq = ?"
        change(place, whole, (update, (changed, 5)), (update, (b"\xc1", 9)))
        assert first_wrong(place) == 5

    @pytest.mark.parametrize("seq", [1, 11, EVENTS])
    def test_the_hash_itself(self, whole: bytes, place: Path, seq: int) -> None:
        """A changed or removed hash beside an event names that event; the first one's absence alone does not."""
        change(place, whole, ("UPDATE leaves SET hash = ? WHERE seq = ?", (bytes(32), seq)))
        assert first_wrong(place) == seq
        change(place, whole, ("DELETE FROM leaves WHERE seq = ?", (seq,)))
        if seq > 1:
            assert first_wrong(place) == seq
        else:  # as in a log that was begun before hashes were kept
            assert checked(place).size == EVENTS


class TestWhoeverKnowsTheFormat:
    """Hashes are made again with the change. Then checkpoints, in the log and outside of it, are what remains."""

    def forged(self, whole: bytes, place: Path, seq: int) -> None:
        put(place, whole)
        raw = events(place)[seq - 1].raw[:-1] + b"\x63"
        change(
            place,
            whole,
            ("UPDATE events SET raw = ? WHERE seq = ?", (raw, seq)),
            ("UPDATE leaves SET hash = ? WHERE seq = ?", (leaf_hash(raw), seq)),
        )

    @pytest.mark.parametrize(("seq", "named"), [(3, 1), (8, 1), (9, 9), (10, 9), (12, 11), (20, 17)])
    def test_a_checkpoint_in_the_log(self, whole: bytes, place: Path, seq: int, named: int) -> None:
        """With its hash made again a change is named to the span that the next checkpoint allows."""
        self.forged(whole, place, seq)
        assert first_wrong(place) == named

    def test_behind_every_checkpoint(self, whole: bytes, place: Path) -> None:
        """Behind the last checkpoint such a change is not found, and the count of uncovered events says so."""
        self.forged(whole, place, 24)
        assert checked(place).uncovered == 4

    def test_the_end_with_its_hashes(self, whole: bytes, place: Path) -> None:
        """An end that was removed with its hashes is found by a checkpoint published from it, and by nothing else."""
        put(place, whole)
        told = published_over(place, 25)
        statements = [(f"DELETE FROM {table} WHERE seq > 19", ()) for table in ("events", "leaves")]
        change(place, whole, *statements)
        assert checked(place).size == 19
        assert first_wrong(place, [told]) == 20

    @pytest.mark.parametrize("number", [1, 7, 9, 13, 19])
    def test_a_log_written_anew(self, whole: bytes, place: Path, tmp_path: Path, number: int) -> None:
        """A whole other log is sound in itself; a published checkpoint tells, to the span that its subtrees allow."""
        put(place, whole)
        early, late = published_over(place, 6), published_over(place, 20)
        anew = tmp_path / "anew" / "events.sqlite3"
        write(anew, number - 1)
        write(anew, 25 - number, begin=100)
        assert checked(anew).size >= 20
        first = next(i for i, (a, b) in enumerate(zip(events(anew), events(place), strict=False), 1) if a != b)
        named = first_wrong(anew, [late, early])
        assert named <= first
        assert named == {True: 1 if first <= 4 else 5, False: 7 if first <= 16 else 17}[first <= 6]
        bare = [Published(size=each.size, root=each.root) for each in (early, late)]
        assert first_wrong(anew, bare) == (1 if first <= 6 else 7)

    def test_a_log_that_grew(self, whole: bytes, place: Path) -> None:
        """Every checkpoint ever told of a log is met by the log as it grew."""
        put(place, whole)
        told = [published_over(place, size) for size in range(1, EVENTS + 1)]
        assert checked(place, told).size == EVENTS

    def test_another_source(self, whole: bytes, place: Path) -> None:
        """A checkpoint of another source is no evidence against this log, and refused."""
        put(place, whole)
        with pytest.raises(LogError, match="is of source 'there'"):
            checked(place, [Published(size=3, root=bytes(32), source="there")])


class TestSegments:
    @pytest.fixture
    def directory(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """Seal three months, each event in a frame of its own."""
        monkeypatch.setattr("daemon.log.segments.sealing.BLOCK_BYTES", 1)
        paths = DataPaths(tmp_path)
        write_months(paths.log)
        with closing(SqliteReader(paths.log)) as reader:
            seal(reader, paths.sealed, now_ns=DECEMBER_NS)
        return paths.sealed

    @pytest.fixture
    def middle(self, directory: Path) -> Path:
        """Take the second of the segments, made writable."""
        path = sorted(directory.glob("*.segment"))[1]
        path.chmod(0o644)
        return path

    def named(self, directory: Path) -> int:
        with pytest.raises(LogDamagedError) as problem, closing(SegmentsReader(directory)) as reader:
            verify_log(reader)
        return problem.value.seq

    def frames(self, path: Path) -> list[tuple[int, int, int]]:
        """Position of each event, and where its frame begins and ends in the file."""
        with closing(SegmentsReader(path.parent)) as reader:
            (segment,) = [each for each in reader.segments if each.path == path]
        body = path.stat().st_size - segment.header.blocks[-1].offset - segment.header.blocks[-1].stored_bytes
        return [
            (each.first_seq, body + each.offset, body + each.offset + each.stored_bytes)
            for each in segment.header.blocks
        ]

    def test_any_byte_of_a_frame(self, middle: Path) -> None:
        """Of whichever frame a byte is changed, its first event is named."""
        content = middle.read_bytes()
        for seq, begin, end in self.frames(middle):
            for at in range(begin, end, 23):
                middle.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
                assert self.named(middle.parent) == seq

    def test_any_byte_of_a_header(self, middle: Path) -> None:
        """A changed header casts doubt on its segment from its first event on, or on an event in it, never before."""
        content = middle.read_bytes()
        frames = self.frames(middle)
        for at in range(0, frames[0][1], 17):
            middle.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
            assert frames[0][0] <= self.named(middle.parent) <= frames[-1][0] + 1

    @pytest.mark.parametrize("change", ["delete", "swap", "cut"])
    def test_frames_moved(self, middle: Path, change: str) -> None:
        """Of frames that were taken out, exchanged or cut off, the first one's event is named."""
        content, frames = middle.read_bytes(), self.frames(middle)
        (seq, begin, end), (_, after, last) = frames[2], frames[3]
        edits: dict[str, Callable[[], bytes]] = {
            "delete": lambda: content[:begin] + content[end:],
            "swap": lambda: content[:begin] + content[after:last] + content[begin:end] + content[last:],
            "cut": lambda: content[: end - 1],
        }
        middle.write_bytes(edits[change]())
        assert self.named(middle.parent) == seq

    def test_published(self, directory: Path) -> None:
        """Segments are held to published checkpoints as the file is."""
        with closing(SegmentsReader(directory)) as reader:
            raws = [stored.raw for stored in reader.read_after(0, limit=1000)]
            frontier = Frontier()
            for raw in raws[:9]:
                frontier.add(leaf_hash(raw))
            right = Published(size=9, root=frontier.root(), subtrees=frontier.subtrees)
            assert verify_log(reader, published=[right]).size == len(raws)
            with pytest.raises(LogDamagedError, match="published checkpoint over 10 events") as problem:
                verify_log(reader, published=[right, Published(size=10, root=bytes(32))])
            assert problem.value.seq == 10
