"""The event log's contract, held by every way to write one and by its reader."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from msgspec import structs

from daemon.log import GroupCommitLog, InlineLog, SqliteReader, laid_out
from daemon.log.verify import verify
from schemas.chain import merkle_root
from schemas.clocks import ManualClock
from schemas.errors import LogDamagedError, LogError, LogLockedError
from schemas.events import FirstToken, LogCheckpointed, decode_event

NOON_NS = 1_796_040_000_000_000_000

Writer = InlineLog | GroupCommitLog
Open = Callable[..., Writer]
Read = Callable[[], SqliteReader]


def token(elapsed_us: int = 1) -> FirstToken:
    """Make a small event."""
    return FirstToken(attempt=UUID(int=7), channel="answer", elapsed_us=elapsed_us)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the log under test lies."""
    return tmp_path / "log" / "events.sqlite3"


@pytest.fixture
def clock() -> ManualClock:
    """Stop the clock at noon."""
    return ManualClock(NOON_NS)


@pytest.fixture(params=[InlineLog, GroupCommitLog])
def open_log(request: pytest.FixtureRequest, path: Path, clock: ManualClock) -> Open:
    """Open the log with each of the writers."""

    def open_(**options: object) -> Writer:
        writer: Writer = request.param(path, **{"source": "here", "clock": clock} | options)
        return writer

    return open_


@pytest.fixture
def read(path: Path) -> Iterator[Read]:
    """Open the log for reading; closed with the test."""
    with ExitStack() as opened:

        def read_() -> SqliteReader:
            return opened.enter_context(closing(SqliteReader(path)))

        yield read_


async def fill(open_log: Open, count: int, **options: object) -> None:
    """Write a log of so many events and close it."""
    log = open_log(**options)
    for number in range(1, count + 1):
        await log.append(token(number))
    await log.close()


def write_elsewhere(path: Path) -> subprocess.CompletedProcess[str]:
    """Try to open the log for writing in another process."""
    program = (
        "import sys; from pathlib import Path; from daemon.log import LogFile; "
        "from schemas.clocks import SystemClock; LogFile(Path(sys.argv[1]), source='here', clock=SystemClock())"
    )
    return subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)


def stored_files(path: Path) -> tuple[bytes, bytes]:
    """Bytes of the database and of its WAL."""
    return path.read_bytes(), path.with_name(path.name + "-wal").read_bytes()


def tamper(path: Path, *statements: str) -> None:
    """Change a log as somebody would who has the file: drop what guards it first."""
    connection = sqlite3.connect(path, isolation_level=None)
    for trigger in ("events_no_update", "events_no_delete", "events_in_order"):
        connection.execute(f"DROP TRIGGER {trigger}")
    for statement in statements:
        connection.execute(statement)
    connection.close()


def forget_hashes(path: Path) -> None:
    """Take the hashes beside the events away, as a log that was begun without them has none."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DROP TABLE leaves")
    connection.close()


class TestLog:
    async def test_positions(self, open_log: Open, read: Read) -> None:
        """Positions are 1, 2, 3 … over all appends, and envelopes carry source, boot and both times."""
        log = open_log()
        first = await log.append(token(), token())
        second = await log.append(token())
        await log.close()
        assert [envelope.seq for envelope in (*first, *second)] == [1, 2, 3]
        assert {(e.source, e.boot, e.wall_ns, e.mono_ns) for e in first} == {("here", "manual", NOON_NS, 10**9)}
        assert [stored.envelope for stored in read().read_after(0, limit=9)] == [*first, *second]

    async def test_nothing(self, open_log: Open, read: Read) -> None:
        """Appending nothing stores nothing."""
        log = open_log()
        assert list(await log.append()) == []
        await log.close()
        assert read().last_seq() == 0

    async def test_all_or_none(self, open_log: Open, read: Read) -> None:
        """When one event of an append cannot be encoded, none of it is stored and the log goes on."""
        log = open_log()
        with pytest.raises(OverflowError):
            await log.append(token(), token(2**70))
        (envelope,) = await log.append(token(5))
        await log.close()
        assert envelope.seq == 1
        assert read().last_seq() == 1

    async def test_concurrent_appends(self, open_log: Open, read: Read) -> None:
        """Fifty tasks at once lose nothing, share no position, and each append's events stay together."""
        log = open_log()

        async def append(number: int) -> list[int]:
            return [envelope.seq for envelope in await log.append(*[token(number)] * 3)]

        seqs = await asyncio.gather(*(append(number) for number in range(50)))
        await log.close()
        assert sorted(seq for three in seqs for seq in three) == list(range(1, 151))
        assert all(three == [three[0], three[0] + 1, three[0] + 2] for three in seqs)
        assert verify(read()).size == 150

    async def test_durable_before_acknowledged(self, open_log: Open, read: Read) -> None:
        """What was acknowledged is visible to a reader opened at once."""
        log = open_log()
        for number in range(1, 4):
            await log.append(token(number))
            assert read().last_seq() == number
        await log.close()

    async def test_paging(self, open_log: Open, read: Read) -> None:
        """Reading in pages of any size gives every event once, in order, and an empty page at the end."""
        await fill(open_log, 10)
        reader = read()
        seqs: list[int] = []
        while page := reader.read_after(seqs[-1] if seqs else 0, limit=3):
            assert len(page) <= 3
            seqs += [stored.envelope.seq for stored in page]
        assert seqs == list(range(1, 11))

    async def test_reader_while_writing(self, open_log: Open, read: Read) -> None:
        """A reader that is already open sees what is appended later."""
        log = open_log()
        reader = read()
        assert reader.read_after(0, limit=5) == []
        await log.append(token())
        assert len(reader.read_after(0, limit=5)) == 1
        await log.close()

    async def test_reopen(self, open_log: Open, clock: ManualClock, read: Read) -> None:
        """After a restart positions go on, and ids still increase although the wall clock went back an hour."""
        await fill(open_log, 3)
        clock.step_wall(-3_600_000_000_000)
        await fill(open_log, 2)
        events = read().read_after(0, limit=9)
        ids = [stored.envelope.id for stored in events]
        assert [stored.envelope.seq for stored in events] == [1, 2, 3, 4, 5]
        assert ids == sorted(set(ids))

    async def test_checkpoints(self, open_log: Open, read: Read) -> None:
        """Checkpoints come by themselves and carry the root over exactly the events before them."""
        await fill(open_log, 25, checkpoint_every=10)
        events = read().read_after(0, limit=99)
        checkpoints = [
            (stored.envelope.seq, event)
            for stored in events
            if isinstance(event := decode_event(stored.envelope), LogCheckpointed)
        ]
        assert [seq for seq, _ in checkpoints] == [11, 22]
        for seq, event in checkpoints:
            assert event.size == seq - 1
            assert event.root == merkle_root(stored.raw for stored in events[: event.size])

    async def test_checkpoints_go_on_after_reopening(self, open_log: Open, read: Read) -> None:
        """A reopened log continues the tree of the old one, and asks for no checkpoint over nothing new."""
        await fill(open_log, 7, checkpoint_every=5)
        log = open_log(checkpoint_every=5)
        checkpoint = await log.checkpoint()
        assert checkpoint is not None
        assert await log.checkpoint() is None
        await log.append(token())
        await log.close()
        verified = verify(read())
        assert (verified.size, verified.checkpoints, verified.uncovered) == (10, 2, 1)

    async def test_second_writer_in_process(self, open_log: Open) -> None:
        """A second writer in the same process is refused until the first has closed."""
        log = open_log()
        with pytest.raises(LogLockedError, match=r"process \d+, since 20\d\d-.*one writer"):
            open_log()
        await log.close()
        await open_log().close()

    async def test_second_writer_in_another_process(self, open_log: Open, path: Path) -> None:
        """A writer in another process is refused, and told which process holds the log."""
        log = open_log()
        child = write_elsewhere(path)
        await log.close()
        assert child.returncode != 0
        assert "LogLockedError" in child.stderr
        assert f"process {os.getpid()}," in child.stderr

    async def test_other_source(self, open_log: Open) -> None:
        """A log of another source is refused with the cause and the way out, and stays usable by its owner."""
        await fill(open_log, 1)
        with pytest.raises(LogError, match=r"log of source 'here', not of 'there'.*choose another data_dir"):
            open_log(source="there")
        await open_log().close()

    async def test_closed(self, open_log: Open) -> None:
        """Appending to a closed log is an error, closing it again is not."""
        log = open_log()
        await log.close()
        await log.close()
        with pytest.raises(LogError, match="closed"):
            await log.append(token())

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE events SET raw = x'00' WHERE seq = 1",
            "DELETE FROM events WHERE seq = 2",
            "INSERT INTO events SELECT 9, type, id, raw FROM events WHERE seq = 1",
            "INSERT OR REPLACE INTO events SELECT seq, type, id, x'00' FROM events WHERE seq = 1",
            "UPDATE leaves SET hash = x'00' WHERE seq = 1",
            "DELETE FROM leaves",
            "INSERT OR REPLACE INTO leaves VALUES (2, x'00')",
            "UPDATE meta SET value = 'there'",
            "DELETE FROM meta",
        ],
    )
    async def test_append_only(self, open_log: Open, path: Path, statement: str) -> None:
        """The database itself refuses to change, remove, replace or skip an event, whoever asks."""
        await fill(open_log, 2)
        connection = sqlite3.connect(path)
        with pytest.raises(sqlite3.IntegrityError, match=r"append-only|keeps its source"):
            connection.execute(statement)
        connection.close()

    async def test_gap(self, open_log: Open, path: Path, read: Read) -> None:
        """A missing event stops the reader, which names its position."""
        await fill(open_log, 5)
        tamper(path, "DELETE FROM events WHERE seq = 3")
        with pytest.raises(LogDamagedError, match="event 3 is missing") as caught:
            read().read_after(1, limit=9)
        assert caught.value.seq == 3

    async def test_undecodable(self, open_log: Open, path: Path, read: Read) -> None:
        """Bytes that are no envelope stop the reader, which names their position."""
        await fill(open_log, 5)
        tamper(path, "UPDATE events SET raw = CAST(x'c1' || raw AS BLOB) WHERE seq = 4")
        with pytest.raises(LogDamagedError, match="event 4") as caught:
            read().read_after(0, limit=9)
        assert caught.value.seq == 4

    async def test_swapped(self, open_log: Open, path: Path, read: Read) -> None:
        """An event stored at another one's position stops the reader."""
        await fill(open_log, 5)
        tamper(path, "UPDATE events SET raw = (SELECT raw FROM events WHERE seq = 5) WHERE seq = 2")
        with pytest.raises(LogDamagedError, match="calls itself first-token 5") as caught:
            read().read_after(0, limit=9)
        assert caught.value.seq == 2

    async def test_one_changed_byte(self, open_log: Open, path: Path, read: Read) -> None:
        """A changed byte that still decodes is found by its hash, or else within the span the checkpoints allow."""
        await fill(open_log, 12, checkpoint_every=10)
        sound = verify(read())
        assert (sound.size, sound.checkpoints, sound.uncovered) == (13, 1, 2)
        # Event 9 ends in its microseconds; 9 becomes 8.
        tamper(path, "UPDATE events SET raw = CAST(substr(raw, 1, length(raw) - 1) || x'08' AS BLOB) WHERE seq = 9")
        assert decode_event(read().read_after(8, limit=1)[0].envelope) == token(8)
        with pytest.raises(LogDamagedError, match="event 9: not the bytes that were appended") as caught:
            verify(read())
        assert caught.value.seq == 9
        forget_hashes(path)
        with pytest.raises(LogDamagedError, match="events 9 to 10") as caught:
            verify(read())
        assert caught.value.seq == 9

    async def test_finding(self, open_log: Open, read: Read) -> None:
        """Events are found by position, by id and by type; what is not there is None or empty."""
        await fill(open_log, 12, checkpoint_every=10)
        reader = read()
        third = reader.get(3)
        assert third is not None
        assert reader.find(third.envelope.id) == third
        assert [stored.envelope.seq for stored in reader.of_type("log-checkpointed", limit=9)] == [11]
        assert [stored.envelope.seq for stored in reader.of_type("first-token", after=9, limit=2)] == [10, 12]
        assert [stored.envelope.seq for stored in reader.tail(2)] == [12, 13]
        assert [stored.envelope.seq for stored in reader.tail(2, kind="first-token")] == [12, 13]
        assert (reader.get(99), reader.find(uuid4()), list(reader.tail(0))) == (None, None, [])

    async def test_unknown_events(self, open_log: Open, read: Read) -> None:
        """Events of unknown types and versions are kept, hashed and counted; they are no damage."""
        log = open_log()
        draft = log._file.draft(token())
        log._file.stage([structs.replace(draft, type="from-the-future"), structs.replace(draft, v=2), draft])
        await log.append(token())
        await log.checkpoint()
        await log.close()
        verified = verify(read())
        assert (verified.size, verified.unknown, verified.uncovered) == (5, 2, 0)

    async def test_how_sqlite_is_set(self, open_log: Open) -> None:
        """The writer fsyncs every commit and writes ahead; positions lie in a STRICT table."""
        log = open_log()
        ask = log._file._connection.execute
        assert ask("PRAGMA journal_mode").fetchone() == ("wal",)
        assert ask("PRAGMA synchronous").fetchone() == (2,)
        assert ask("SELECT strict FROM pragma_table_list WHERE name = 'events'").fetchone() == (1,)
        await log.close()

    async def test_cancelled_append(self, open_log: Open, read: Read) -> None:
        """Cancelling a task that waits for its append leaves the log whole and working."""
        log = open_log()
        task = asyncio.ensure_future(log.append(token(1)))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await log.append(token(2))
        await log.close()
        assert verify(read()).size == 2


class TestGroupCommit:
    async def test_shared_commit(self, path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
        """Everything that arrives during one commit goes into the next one, however many tasks it comes from."""
        log = GroupCommitLog(path, source="here", clock=clock)
        commit, commits = log._file.commit, []
        entered, release = threading.Event(), threading.Event()

        def held_commit() -> None:
            entered.set()
            release.wait()
            commits.append(log._file.last_seq)
            commit()

        monkeypatch.setattr(log._file, "commit", held_commit)
        first = asyncio.ensure_future(log.append(token()))
        await asyncio.to_thread(entered.wait)
        others = [asyncio.ensure_future(log.append(token())) for _ in range(99)]
        await asyncio.sleep(0)
        release.set()
        await asyncio.gather(first, *others)
        await log.close()
        assert commits == [1, 100]

    def test_two_event_loops(self, path: Path, clock: ManualClock, read: Read) -> None:
        """A log serves several event loops, and outlives one that closed before its answer came."""
        log = GroupCommitLog(path, source="here", clock=clock)

        async def leave() -> None:
            waiting = asyncio.ensure_future(log.append(token(1)))
            await asyncio.sleep(0)
            waiting.cancel()

        asyncio.run(leave())
        assert len(asyncio.run(log.append(token(2)))) == 1
        asyncio.run(log.close())
        assert verify(read()).size == 2


class TestReader:
    def test_absent(self, path: Path, read: Read) -> None:
        """Reading where no log is says so, and creates nothing."""
        with pytest.raises(LogError, match="no log at"):
            read()
        assert not path.exists()

    async def test_a_log_that_is_only_begun(self, path: Path, clock: ManualClock) -> None:
        """A file that its writer has not laid out yet counts as no log, and the next writer makes one of it."""
        path.parent.mkdir()
        assert not laid_out(path)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            assert not laid_out(path)
            with pytest.raises(LogError, match="no Messwerk log"):
                SqliteReader(path)
        log = InlineLog(path, source="here", clock=clock)
        assert laid_out(path)
        await log.append(token())
        await log.close()

    def test_foreign_database(self, path: Path, clock: ManualClock, read: Read) -> None:
        """A database that is no log is refused by reader and writer and stays as it was."""
        path.parent.mkdir()
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE theirs (x)")
        connection.close()
        before = path.read_bytes()
        with pytest.raises(LogError, match="no Messwerk log"):
            read()
        with pytest.raises(LogError, match="no Messwerk log"):
            InlineLog(path, source="here", clock=clock)
        assert path.read_bytes() == before

    def test_no_database(self, path: Path, clock: ManualClock) -> None:
        """A file that is no database is refused by the writer with SQLite's own words."""
        path.parent.mkdir()
        path.write_bytes(b"not a database, but long enough to look like something" * 40)
        with pytest.raises(LogError, match="not a database"):
            InlineLog(path, source="here", clock=clock)

    async def test_future_format(self, path: Path, clock: ManualClock, read: Read) -> None:
        """A log of a later format is refused, with the advice to use a newer build."""
        await InlineLog(path, source="here", clock=clock).close()
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version = 2")
        connection.close()
        with pytest.raises(LogError, match="log format 2"):
            read()

    async def test_never_checkpoints(self, path: Path, clock: ManualClock, read: Read) -> None:
        """A reader that closes last leaves the WAL to the writer: it never moves pages into the database."""
        log = InlineLog(path, source="here", clock=clock)
        await log.append(token())
        reader = read()
        await log.close()
        before = stored_files(path)
        assert reader.last_seq() == 1
        reader.close()
        assert stored_files(path) == before

    async def test_contradicting_checkpoint(self, path: Path, clock: ManualClock, read: Read) -> None:
        """A writer refuses to go on from a checkpoint whose root does not follow from its subtrees."""
        log = InlineLog(path, source="here", clock=clock, checkpoint_every=4)
        await log.append(*[token()] * 4)
        await log.close()
        stored = read().read_after(4, limit=1)[0]
        event = decode_event(stored.envelope)
        assert isinstance(event, LogCheckpointed)
        changed = stored.raw.replace(event.root, bytes(32), 1)
        tamper(path, f"UPDATE events SET raw = x'{changed.hex()}' WHERE seq = 5")
        with pytest.raises(LogDamagedError, match="checkpoint 5 contradicts itself"):
            InlineLog(path, source="here", clock=clock)
        forget_hashes(path)
        with pytest.raises(LogDamagedError, match="does not follow from its subtrees"):
            verify(read())


class TestCommitEvery:
    async def test_held_back(self, path: Path, clock: ManualClock, read: Read) -> None:
        """With commit_every, appends become visible every so many events, at flush and at close."""
        log = InlineLog(path, source="here", clock=clock, commit_every=3)
        reader = read()
        seen = []
        for _ in range(4):
            await log.append(token())
            seen.append(reader.last_seq())
        await log.flush()
        seen.append(reader.last_seq())
        await log.append(token())
        await log.close()
        seen.append(reader.last_seq())
        assert seen == [0, 0, 3, 3, 4, 5]
