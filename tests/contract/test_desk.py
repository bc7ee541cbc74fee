"""The inbox of persons' events: taken in once each, whoever holds the log, whatever else lies there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import UUID, uuid4

import msgspec
import pytest

from daemon.desk.inbox import LARGEST_BYTES, DeskError, Inbox, Slip
from daemon.desk.recording import record
from daemon.desk.taking import keep_taking, take_in
from daemon.log import GroupCommitLog, LogFile, SqliteReader
from daemon.paths import DataPaths
from schemas.clocks import ManualClock, SystemClock
from schemas.events import (
    AttestationRecorded,
    Event,
    FirstToken,
    IntegrityDecided,
    IntegritySuspected,
    JudgmentRecorded,
    decode_event,
)
from schemas.events.judgments import Judge, Subject

SOURCE = "desk"
DECIDED = IntegrityDecided(
    case=UUID(int=1), measure="withhold", person="R. Novak", reason="looked at it", decision=UUID(int=2)
)

JUDGED = JudgmentRecorded(
    judgment=UUID(int=3),
    suite="rubric",
    subject=Subject(kind="criterion", id="made/task/en/one", sha256="0" * 64),
    judge=Judge(kind="model", name="mini", version="1"),
    verdict=True,
    reason="looked at it",
)


@pytest.fixture
def paths(tmp_path: Path) -> DataPaths:
    """Make a log with one event."""
    paths = DataPaths(tmp_path)
    with closing(LogFile(paths.log, source=SOURCE, clock=ManualClock(1))) as log:
        log.append(FirstToken(attempt=UUID(int=7), channel="answer", elapsed_us=1))
    return paths


@pytest.fixture
def reader(paths: DataPaths) -> Iterator[SqliteReader]:
    """Read it."""
    with closing(SqliteReader(paths.log)) as opened:
        yield opened


def events(reader: SqliteReader) -> list[Event | None]:
    return [decode_event(stored.envelope) for stored in reader.read_after(1, limit=100)]


def slip(event: Event = DECIDED, *, source: str = SOURCE, after: int = 1) -> Slip:
    data = msgspec.Raw(msgspec.json.encode(event))
    return Slip(source=source, after=after, type=event.TYPE, version=event.VERSION, data=data)


async def taken(paths: DataPaths, reader: SqliteReader) -> int:
    log = GroupCommitLog(paths.log, source=SOURCE, clock=SystemClock())
    try:
        return await take_in(Inbox(paths.inbox), log, reader)
    finally:
        await log.close()


async def test_without_a_daemon_the_command_appends(paths: DataPaths, reader: SqliteReader) -> None:
    """With nobody writing the log, the event is in it at once and nothing stays in the inbox."""
    stored = await record(paths, DECIDED, SystemClock())
    assert (stored.envelope.seq, events(reader)) == (2, [DECIDED])
    assert Inbox(paths.inbox).waiting() == []


async def test_while_another_writes_it_takes_in(paths: DataPaths, reader: SqliteReader) -> None:
    """While another holds the log, that one takes the event in, and the command sees it there."""
    log = GroupCommitLog(paths.log, source=SOURCE, clock=SystemClock())
    taking = asyncio.create_task(keep_taking(Inbox(paths.inbox), log, reader, period_s=0.01))
    try:
        assert (await record(paths, DECIDED, SystemClock())).envelope.seq == 2
    finally:
        taking.cancel()
        await log.close()
    assert events(reader) == [DECIDED]


async def test_what_nobody_takes_in_is_told_and_waits(paths: DataPaths, reader: SqliteReader) -> None:
    """With a writer that does not look, the command says where the event waits; the next look takes it in once."""
    with closing(LogFile(paths.log, source=SOURCE, clock=SystemClock())), pytest.raises(DeskError, match="not lost"):
        await record(paths, DECIDED, SystemClock(), patience_s=0.2)
    assert events(reader) == []
    assert await taken(paths, reader) == 1
    assert events(reader) == [DECIDED]


async def test_an_event_that_is_there_is_not_doubled(
    paths: DataPaths, reader: SqliteReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a process dies between appending and removing the file, the next one only removes the file."""
    Inbox(paths.inbox).put(uuid4(), slip())

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Inbox, "remove", dies)
    with pytest.raises(KeyboardInterrupt):
        await taken(paths, reader)
    monkeypatch.undo()
    assert (events(reader), len(Inbox(paths.inbox).waiting())) == ([DECIDED], 1)
    assert await taken(paths, reader) == 0
    assert (events(reader), Inbox(paths.inbox).waiting()) == ([DECIDED], [])


async def test_the_same_decided_again_later_is_another_event(paths: DataPaths, reader: SqliteReader) -> None:
    """Equal bytes that were in the log before a file was written are not that file's."""
    await record(paths, DECIDED, SystemClock())
    await record(paths, DECIDED, SystemClock())
    assert events(reader) == [DECIDED, DECIDED]


WRONG: dict[str, bytes] = {
    "no JSON": b"\xff{",
    "half": msgspec.json.encode(slip())[:40],
    "a measurement": msgspec.json.encode(slip(FirstToken(attempt=UUID(int=7), channel="answer", elapsed_us=1))),
    "another type's data": msgspec.json.encode(msgspec.structs.replace(slip(), type="attestation-recorded")),
    "a version to come": msgspec.json.encode(msgspec.structs.replace(slip(), version=9)),
    "another log's": msgspec.json.encode(slip(source="elsewhere")),
    "a longer log's": msgspec.json.encode(slip(after=99)),
    "a time that no table holds": msgspec.json.encode(slip(msgspec.structs.replace(DECIDED, until_ns=2**63))),
    "a number that no event holds": msgspec.json.encode(slip(msgspec.structs.replace(DECIDED, until_ns=10**30))),
    "a context of nothing": msgspec.json.encode(
        slip(AttestationRecorded(endpoint="mini", statement="as sold", by="Amber", context_tokens=-1))
    ),
    "a model's judgment": msgspec.json.encode(slip(JUDGED)),
    "a verdict without a reason": msgspec.json.encode(
        slip(msgspec.structs.replace(JUDGED, judge=Judge(kind="person", name="anna", version="1"), reason=" "))
    ),
    "a window that ends before it begins": msgspec.json.encode(
        slip(
            IntegritySuspected(
                case=UUID(int=1),
                endpoint="mini",
                workload="all",
                account="main",
                compared_with="guest",
                window_start_ns=2,
                window_end_ns=1,
                evidence=(),
                definition="d",
                person="R. Novak",
                reason="looked at it",
            )
        )
    ),
    "no reason": msgspec.json.encode(slip(msgspec.structs.replace(DECIDED, reason=" \n"))),
    "too large": b" " * (LARGEST_BYTES + 1),
}


@pytest.mark.parametrize("name", WRONG)
async def test_what_is_no_event_is_set_aside(paths: DataPaths, reader: SqliteReader, name: str) -> None:
    """A file that cannot be appended is moved aside with its reason, and what came after it is taken in."""
    inbox = Inbox(paths.inbox)
    inbox.open()
    wrong = paths.inbox / "0-wrong.json"
    wrong.write_bytes(WRONG[name])
    inbox.put(uuid4(), slip())
    assert await taken(paths, reader) == 1
    assert events(reader) == [DECIDED]
    assert inbox.waiting() == []
    assert (inbox.refused / wrong.name).read_bytes() == WRONG[name]
    assert "record it" in (inbox.refusal(wrong) or "")


async def test_a_directory_in_the_inbox_is_set_aside_too(paths: DataPaths, reader: SqliteReader) -> None:
    """Whatever lies there, the others are taken in."""
    inbox = Inbox(paths.inbox)
    (paths.inbox / "0-directory").mkdir(parents=True)
    inbox.put(uuid4(), slip())
    assert await taken(paths, reader) == 1
    assert (inbox.refused / "0-directory").is_dir()


async def test_the_command_is_told_of_a_refusal(
    paths: DataPaths, reader: SqliteReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command whose file is set aside says so at once, with the reason."""
    monkeypatch.setattr(GroupCommitLog, "source", "another")
    log = GroupCommitLog(paths.log, source=SOURCE, clock=SystemClock())
    taking = asyncio.create_task(keep_taking(Inbox(paths.inbox), log, reader, period_s=0.01))
    try:
        with pytest.raises(DeskError, match="not recorded: it was meant for"):
            await record(paths, DECIDED, SystemClock())
    finally:
        taking.cancel()
        await log.close()


async def test_a_directory_that_cannot_be_written_is_told(paths: DataPaths) -> None:
    """Where the inbox cannot be written, nothing was recorded, and the command says as whom to try."""
    paths.inbox.write_text("a file where the directory should be")
    with pytest.raises(DeskError, match="nothing was recorded: run this as the user"):
        await record(paths, DECIDED, SystemClock())


async def test_what_no_log_can_hold_never_reaches_the_inbox(paths: DataPaths) -> None:
    """A command refuses what cannot be written, and leaves nothing that would stand in the way of others."""
    for wrong in (
        msgspec.structs.replace(DECIDED, until_ns=10**30),
        msgspec.structs.replace(DECIDED, reason="half a letter: \udcff"),
    ):
        with pytest.raises(DeskError):
            await record(paths, wrong, SystemClock())
    assert Inbox(paths.inbox).waiting() == ()
