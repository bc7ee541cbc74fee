"""Several runners over one topic and one store: whatever happens, the tables are those of a clean rebuild."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from made_events import NOON, MadeLog, endpoint
from memory_topic import MemoryCarrier, MemoryTopic
from msgspec import Raw

from projections.comparing import comparable
from projections.errors import (
    LostDeclarationError,
    QuarantineEntryError,
    QuarantineLimitError,
    SourceGapError,
    StoreError,
)
from projections.kafka.source import KafkaSource
from projections.limits import Limits
from projections.lost import LostRow, declare_lost, read_lost
from projections.migrations import TABLES
from projections.pace import Pace
from projections.quarantine import drop, read_quarantine, retry
from projections.rebuild import rebuild
from projections.registry import PROJECTIONS
from projections.retries import Again
from projections.runner import Runner
from projections.source import LogSource
from projections.spans import Span
from projections.stops import read_stops
from projections.store.clickhouse import ClickHouseStore
from projections.store.contract import Store
from schemas.definitions import Definitions
from schemas.errors import UnknownVersionError
from schemas.log import StoredEvent

pytestmark = pytest.mark.clickhouse

FOLDED = [table for table in TABLES if table.name not in {"migrations", "quarantine", "rebuilds", "stops", "lost"}]


def made(source: str, runs: int = 3) -> MadeLog:
    log = MadeLog(source)
    log.open(endpoint())
    for hour in range(runs):
        log.run(NOON + timedelta(hours=3 * hour), {}, {"failure_kind": "overloaded"})
    return log


async def content(store: Store) -> dict[str, list[str]]:
    """Everything in the tables, in a fixed order."""
    return {
        table.name: [str(row) for row in (await store.select(f"SELECT * FROM {table.name} FINAL ORDER BY ALL")).rows]
        for table in FOLDED
    }


async def clean(store: Store, *logs: MadeLog) -> dict[str, list[str]]:
    """Empty the tables, and fold each log from its beginning by itself."""
    for table in FOLDED:
        await store.execute(f"TRUNCATE TABLE {table.name}")
    for log in logs:
        runner = Runner(store, PROJECTIONS, Definitions())
        await runner.open()
        await runner.fold_available(LogSource(log))
    return await content(store)


async def reader(topic: MemoryTopic, group: str | None = "readers") -> KafkaSource:
    source = KafkaSource(MemoryCarrier(topic, group))
    await source.open()
    return source


def runner_over(store: Store, *, limits: Limits | None = None, batch: int = 7, again: Again | None = None) -> Runner:
    pace = Pace(batch_events=batch, slice_events=3)
    return Runner(store, PROJECTIONS, Definitions(), pace=pace, limits=limits, again=again)


async def fold(store: Store, topic: MemoryTopic, **given: Any) -> Runner:
    """Fold a topic as a member that joins and leaves."""
    source = await reader(topic)
    runner = runner_over(store, **given)
    try:
        await runner.fold_available(source)
    finally:
        await source.close()
    return runner


def poisoned(log: MadeLog) -> StoredEvent:
    """Append an event whose envelope can be read and whose data cannot."""
    return log.add_raw("run-planned", 1, Raw(msgspec.msgpack.encode({"run": "no identifier"})))


@pytest.mark.parametrize("seed", range(3))
async def test_rebalances_while_events_flow_change_nothing(store: ClickHouseStore, seed: int) -> None:
    """With 1, 3 and again 1 members joining and leaving while events are sent twice over, tables are a rebuild's."""
    moments = random.Random(seed)
    logs = [made(f"place-{number}") for number in range(6)]
    topic = MemoryTopic()
    stop = asyncio.Event()

    async def member(wait: asyncio.Event) -> None:
        source = await reader(topic)
        await runner_over(store).follow(source, wait, interval_s=0.001)
        await source.close()

    first = asyncio.create_task(member(stop))
    leave = [asyncio.Event(), asyncio.Event()]
    others: list[asyncio.Task[None]] = []
    for turn in range(0, 30, 3):
        for log in logs:
            again = max(0, turn - moments.randrange(4))
            topic.send_events(log.events[again : turn + 3])
        if turn == 6:
            others = [asyncio.create_task(member(event)) for event in leave]
        if turn == 18:
            leave[0].set()
        if turn == 24:
            leave[1].set()
        await asyncio.sleep(moments.random() * 0.05)
    for log in logs:
        topic.send_events(log.events[30:])
    await asyncio.gather(*others)
    stop.set()
    await first
    await fold(store, topic)
    shared = await content(store)
    assert shared == await clean(store, *logs)


async def test_two_that_fold_the_same_end_in_the_same_rows(store: ClickHouseStore) -> None:
    """Two runners that both take themselves for the owner leave the rows of one, and the greater checkpoint."""
    log = made("lab")
    topic = MemoryTopic()
    topic.send_events(log.events)
    slow, quick = runner_over(store, batch=4), runner_over(store, batch=9)
    slow_source, quick_source = await reader(topic, None), await reader(topic, None)
    await slow.step(slow_source)
    await quick.fold_available(quick_source)
    await slow.step(slow_source)
    found = await store.select("SELECT DISTINCT seq FROM checkpoints FINAL")
    assert found.rows == ((len(log.events),),)
    assert await content(store) == await clean(store, log)


async def test_a_gap_stops_that_source_alone(store: ClickHouseStore) -> None:
    """Behind a gap nothing of that source is folded, everything of the others is, and the missing event heals it."""
    whole, broken = made("whole"), made("broken")
    topic = MemoryTopic(1)
    topic.send_events([*broken.events[:9], *broken.events[10:], *whole.events])
    runner = await fold(store, topic)
    assert runner.positions == {"whole": len(whole.events), "broken": 9}
    assert isinstance(runner.stopped["broken"], SourceGapError)
    topic = MemoryTopic(1)
    topic.send_events([*broken.events, *whole.events])
    healed = await fold(store, topic)
    assert healed.stopped == {}
    assert await content(store) == await clean(store, whole, broken)


async def test_versions_and_types_from_the_future(store: ClickHouseStore) -> None:
    """An unknown type is passed over; an unknown version of a known type stops its source, and goes to nobody."""
    newer, plain = made("newer"), made("plain")
    newer.add_raw("event-of-tomorrow", 1, Raw(b"\x80"))
    known = len(newer.events)
    newer.add_raw("run-planned", 9, Raw(b"\x80"))
    topic = MemoryTopic(1)
    topic.send_events([*newer.events, *plain.events])
    runner = await fold(store, topic)
    assert runner.positions == {"newer": known, "plain": len(plain.events)}
    assert isinstance(runner.stopped["newer"], UnknownVersionError)
    assert await read_quarantine(store) == []


async def test_two_daemons_under_one_name_are_noticed(store: ClickHouseStore) -> None:
    """Two different events at one position stop that name before any of the second daemon's is folded."""
    ours, other = made("twin"), MadeLog("twin")
    other.new_id()
    other.open(endpoint())
    other.run(NOON, {})
    topic = MemoryTopic(1)
    topic.send_events([*ours.events[:6], *other.events, *ours.events[6:]])
    runner = await fold(store, topic)
    assert "two daemons have that name" in str(runner.stopped["twin"])
    assert runner.positions.get("twin", 0) <= 6
    again = await fold(store, topic)
    assert "twin" in again.stopped


async def test_a_poison_event_is_put_aside(store: ClickHouseStore) -> None:
    """An event with unreadable data is kept in quarantine, its position passed, from the topic as from the log."""
    log = made("lab", 1)
    poison = poisoned(log)
    log.run(NOON + timedelta(days=1), {})
    topic = MemoryTopic()
    topic.send_events(log.events)
    runner = await fold(store, topic)
    assert runner.positions == {"lab": len(log.events)}
    (entry,) = await read_quarantine(store)
    assert (entry.source, entry.seq, entry.type) == ("lab", poison.envelope.seq, "run-planned")
    assert bytes.fromhex(entry.bytes) == poison.raw
    assert entry.state == "held"
    folded = await content(store)
    assert folded == await clean(store, log)
    assert len(await read_quarantine(store)) == 1


async def test_bytes_without_an_envelope_never_vanish(store: ClickHouseStore) -> None:
    """Garbage is kept with its place and key, and what it was not in the way of goes on."""
    log = made("lab")
    topic = MemoryTopic()
    topic.send_events(log.events[:5])
    topic.send("lab", b"\xc1 garbage")
    topic.send_events(log.events[5:])
    await fold(store, topic)
    (entry,) = await read_quarantine(store)
    assert (entry.topic, entry.offset, entry.source, entry.seq) == ("memory", 5, "lab", None)
    assert bytes.fromhex(entry.bytes) == b"\xc1 garbage"
    assert await content(store) == await clean(store, log)


async def test_dropping_with_a_position_declares_it_lost(store: ClickHouseStore) -> None:
    """Garbage in an event's place stops its source until it is dropped as exactly that position."""
    log = made("lab")
    topic = MemoryTopic()
    topic.send_events(log.events[:5])
    topic.send("lab", b"garbage")
    topic.send_events(log.events[6:])
    assert (await fold(store, topic)).positions == {"lab": 5}
    (entry,) = await read_quarantine(store)
    await drop(store, entry.name, reason="disk of the broker", now_ns=7, position=("lab", 7))
    assert "lab" in (await fold(store, topic)).stopped
    await drop(store, entry.name, reason="disk of the broker", now_ns=8, position=("lab", 6))
    runner = await fold(store, topic)
    assert (runner.stopped, runner.positions) == ({}, {"lab": len(log.events)})
    (entry,) = await read_quarantine(store)
    assert (entry.state, entry.decision, entry.seq) == ("dropped", "disk of the broker", 6)


async def test_decisions_outlive_being_found_again(store: ClickHouseStore) -> None:
    """Finding a dropped entry again, in a rebuild or by another member, does not undo the decision."""
    log = made("lab", 1)
    poisoned(log)
    topic = MemoryTopic()
    topic.send_events(log.events)
    await fold(store, topic)
    (entry,) = await read_quarantine(store)
    await drop(store, entry.name, reason="known", now_ns=9)
    await clean(store, log)
    (after,) = await read_quarantine(store)
    assert (after.state, after.decision) == ("dropped", "known")


async def test_a_retry_tells_what_this_build_can_read(
    store: ClickHouseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a build can decode becomes readable, the rest stays held."""
    log = made("lab", 1)
    poisoned(log)
    topic = MemoryTopic()
    topic.send_events(log.events)
    topic.send("lab", b"garbage")
    await fold(store, topic)
    assert [row.state for row in await retry(store, (), now_ns=1)] == ["held", "held"]
    monkeypatch.setattr("projections.quarantine.decode_event", lambda _: None)
    assert sorted(row.state for row in await retry(store, (), now_ns=2)) == ["held", "readable"]
    with pytest.raises(QuarantineEntryError, match="messwerk quarantine list"):
        await retry(store, ["nothing"], now_ns=3)


@pytest.mark.parametrize("limits", [Limits(consecutive=3), Limits(consecutive=99, share=0.003)])
async def test_too_much_of_it_stops_the_reader(store: ClickHouseStore, limits: Limits) -> None:
    """Above either limit the reader stops, with everything kept; dropped entries no longer count."""
    log = made("lab")
    topic = MemoryTopic()
    for _ in range(4):
        topic.send("lab", b"garbage")
    topic.send_events(log.events)
    with pytest.raises(QuarantineLimitError, match=r"\[project\]"):
        await fold(store, topic, limits=limits)
    rows = await read_quarantine(store)
    assert len(rows) == 4
    with pytest.raises(QuarantineLimitError):
        await fold(store, topic, limits=limits)
    for row in rows:
        await drop(store, row.name, reason="a test sent them", now_ns=5)
    assert (await fold(store, topic, limits=limits)).positions == {"lab": len(log.events)}


async def test_a_wiped_topic_shows_as_a_gap(store: ClickHouseStore) -> None:
    """When the topic was made anew and begins later than the checkpoints, the source stops; filled up, it goes on."""
    log = made("lab")
    topic = MemoryTopic()
    topic.send_events(log.events[:8])
    await fold(store, topic)
    wiped = MemoryTopic()
    wiped.remembered = topic.remembered
    wiped.send_events(log.events[10:])
    assert isinstance((await fold(store, wiped)).stopped["lab"], SourceGapError)
    filled = MemoryTopic()
    filled.remembered = wiped.remembered
    filled.send_events(log.events)
    assert (await fold(store, filled)).positions == {"lab": len(log.events)}
    assert await content(store) == await clean(store, log)


@pytest.mark.parametrize("stray", [slice(9, 12), slice(3, 5)], ids=["far ahead", "near"])
async def test_a_log_sent_again_after_a_stray_batch_is_folded_from_its_start(
    store: ClickHouseStore, stray: slice
) -> None:
    """Where a batch from the middle lies before the whole log, as in a topic made anew, a fresh reader folds all."""
    log, other = made("lab"), made("other")
    topic = MemoryTopic(1)
    topic.send_events([*log.events[stray], *other.events[:4], *log.events, *other.events[4:]])
    runner = await fold(store, topic)
    assert runner.stopped == {}
    assert runner.positions == {"lab": len(log.events), "other": len(other.events)}
    assert await content(store) == await clean(store, log, other)


async def test_what_lies_behind_a_shown_gap_is_read_again_once_it_is_filled(store: ClickHouseStore) -> None:
    """A member that stopped a source at a gap goes on with it when it opens again and the rest has come."""
    log = made("lab")
    topic = MemoryTopic(1)
    topic.send_events([*log.events[:5], *log.events[8:]])
    source = await reader(topic)
    runner = runner_over(store)
    await runner.fold_available(source)
    assert isinstance(runner.stopped["lab"], SourceGapError)
    topic.send_events(log.events[3:])
    await runner.open()
    await runner.fold_available(source)
    await source.close()
    assert runner.stopped == {}
    assert await content(store) == await clean(store, log)


async def test_a_stopped_source_is_tried_again_by_itself(store: ClickHouseStore) -> None:
    """A member that stays in its group takes a source up again once the gap is filled, and says so in the store."""
    log, other = made("lab"), made("other")
    topic = MemoryTopic(1)
    topic.send_events([*log.events[:5], *log.events[8:], *other.events])
    source = await reader(topic)
    runner = runner_over(store, again=Again(first_s=0.0, longest_s=0.0))
    await runner.fold_available(source)
    await runner.fold_available(source)
    assert isinstance(runner.stopped["lab"], SourceGapError)
    assert runner.retries(0.0)["lab"].tries >= 1
    (stop,) = await read_stops(store)
    assert (stop.source, stop.kind, stop.seq, stop.gap_first, stop.gap_last) == ("lab", "gap", 5, 6, 8)
    assert "messwerk rebuild --from" in stop.reason
    topic.send_events(log.events[4:])
    await runner.fold_available(source)
    await runner.fold_available(source)
    await source.close()
    assert (runner.stopped, await read_stops(store)) == ({}, [])
    assert await content(store) == await clean(store, log, other)


async def test_a_stop_is_one_row_however_often_it_is_tried(store: ClickHouseStore) -> None:
    """Tries in vain write nothing, also by a process that comes after."""
    log = made("lab")
    topic = MemoryTopic(1)
    topic.send_events([*log.events[:5], *log.events[8:]])
    for _ in range(3):
        await fold(store, topic, again=Again(first_s=0.0, longest_s=0.0))
    assert (await store.select("SELECT count() FROM stops")).rows == ((1,),)


async def test_two_daemons_under_one_name_stay_stopped_when_tried_again(store: ClickHouseStore) -> None:
    """Trying again never folds the second daemon's events behind the first one's."""
    ours, other = made("twin"), MadeLog("twin")
    other.new_id()
    other.open(endpoint())
    for hour in range(9):
        other.run(NOON + timedelta(hours=hour), {})
    topic = MemoryTopic(1)
    topic.send_events([*ours.events[:6], *other.events, *ours.events[6:]])
    source = await reader(topic)
    runner = runner_over(store, again=Again(first_s=0.0, longest_s=0.0))
    for _ in range(5):
        await runner.fold_available(source)
        assert runner.positions.get("twin", 0) <= 6
        assert "two daemons have that name" in str(runner.stopped["twin"])
    await source.close()


async def test_a_gap_that_a_person_declares_lost_is_passed(store: ClickHouseStore) -> None:
    """Only the whole gap, declared with a name and a reason, lets a source go on, and rebuilds pass it as well."""
    log = made("lab")
    topic = MemoryTopic(1)
    topic.send_events([*log.events[:5], *log.events[8:]])
    source = await reader(topic)
    runner = runner_over(store, again=Again(first_s=0.0, longest_s=0.0))
    await runner.fold_available(source)

    async def declare(span: Span, source: str = "lab", person: str = "Ada", reason: str = "disk gone") -> LostRow:
        return await declare_lost(store, source, span, person=person, reason=reason, now_ns=7)

    for wrong, says in (
        (declare(Span(6, 9)), "stands at a gap of positions 6 to 8, and positions 6 to 9 are not all of that gap"),
        (declare(Span(6, 8), source="other"), "does not stand at a gap"),
        (declare(Span(6, 8), person=" "), "--person"),
        (declare(Span(6, 8), reason=""), "--reason"),
    ):
        with pytest.raises(LostDeclarationError, match=says):
            await wrong
    await declare(Span(6, 7))
    await runner.fold_available(source)
    assert "lab" in runner.stopped
    await declare(Span(8, 8))
    await runner.fold_available(source)
    await runner.fold_available(source)
    await source.close()
    assert (runner.stopped, runner.positions) == ({}, {"lab": len(log.events)})
    assert await read_stops(store) == []
    assert [(row.first, row.last, row.person) for row in await read_lost(store)] == [(6, 7, "Ada"), (8, 8, "Ada")]
    before = (await content(store))["attempts"]
    again = await reader(topic, None)
    await rebuild(store, again, PROJECTIONS, Definitions())
    await again.close()
    assert (await content(store))["attempts"] == before


async def test_what_is_over_the_limit_is_told_and_judged_anew_each_time(store: ClickHouseStore) -> None:
    """A runner over the limit neither reads past what is undecodable nor counts it twice; once dropped it goes on."""
    log = made("lab")
    topic = MemoryTopic(1)
    topic.send_events(log.events[:3])
    for _ in range(4):
        topic.send("lab", b"garbage")
    topic.send_events(log.events[3:])
    source = await reader(topic)
    runner = runner_over(store, limits=Limits(consecutive=3, share=0.9, window=6))
    for _ in range(5):
        with pytest.raises(QuarantineLimitError, match="4 undecodable records came one after the other"):
            await runner.fold_available(source)
    (stop,) = await read_stops(store)
    assert (stop.source, stop.kind) == ("lab", "undecodable")
    for row in await read_quarantine(store):
        await drop(store, row.name, reason="a test sent them", now_ns=5)
    await runner.fold_available(source)
    await source.close()
    assert (runner.positions, await read_stops(store)) == ({"lab": len(log.events)}, [])


async def test_a_rebuild_names_the_source_that_keeps_it_from_its_end(store: ClickHouseStore) -> None:
    """A rebuild over a topic with a gap says whose events are missing, and ends once they have come."""
    log, other = made("lab"), made("other")
    topic = MemoryTopic(1)
    topic.send_events([*other.events, *log.events])
    await fold(store, topic)
    before = (await content(store))["attempts"]
    holed = MemoryTopic(1)
    holed.send_events([*other.events, *log.events[:5], *log.events[8:]])
    source = await reader(holed)
    with pytest.raises(StoreError, match=r"because lab stopped: .*after position 5 of 'lab' comes 9"):
        await rebuild(store, source, PROJECTIONS, Definitions())
    await source.close()
    assert (await content(store))["attempts"] == before
    holed.send_events(log.events[5:])
    source = await reader(holed)
    compared = await rebuild(store, source, PROJECTIONS, Definitions())
    await source.close()
    assert all(comparison.same for comparison in compared)
    assert (await content(store))["attempts"] == before


async def test_a_rebuild_of_what_had_stopped_compares_what_both_have(store: ClickHouseStore) -> None:
    """Where the tables in place stood at the same gap, the rebuild ends once it is filled and calls nothing lost."""
    log, other = made("lab"), made("other")
    topic = MemoryTopic(1)
    topic.send_events([*other.events, *log.events[:5], *log.events[8:]])
    assert "lab" in (await fold(store, topic)).stopped
    source = await reader(topic)
    with pytest.raises(StoreError, match=r"rebuilt as far as events are there.*lab stopped"):
        await rebuild(store, source, PROJECTIONS, Definitions())
    await source.close()
    topic.send_events(log.events[5:])
    source = await reader(topic)
    compared = await rebuild(store, source, PROJECTIONS, Definitions())
    await source.close()
    assert all(comparison.same for comparison in compared)
    assert await content(store) == await clean(store, log, other)


def test_a_comparison_goes_as_far_as_both_could() -> None:
    """What others folded meanwhile is no difference; what is gone from the events counts as far as it is in place."""
    live = {"moved-on": 12, "same": 7, "shorter-log": 9, "gone": 4}
    rebuilt = {"moved-on": 10, "same": 7, "shorter-log": 6}
    ends = {"moved-on": 13, "same": 7, "shorter-log": 6}
    assert comparable(live, rebuilt, ends) == {"moved-on": 10, "same": 7, "shorter-log": 9, "gone": 4}
