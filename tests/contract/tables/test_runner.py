"""The runner over real tables: what is folded twice, half or wrongly ends in the same rows, or in a clear stop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from made_events import NOON, MadeLog, endpoint
from msgspec import Raw

from projections.checkpoints import CHECKPOINTS
from projections.errors import FoldedOtherwiseError, LogReplacedError, SourceGapError, StoreError
from projections.migrations import TABLES
from projections.pace import GENTLE, Pace
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from projections.store.contract import Argument, Selection, Store
from projections.tables import Table
from schemas.definitions import Definitions
from schemas.errors import UnknownVersionError

pytestmark = pytest.mark.clickhouse

FOLDED = [table for table in TABLES if table.name != "migrations"]


def made(runs: int = 4) -> MadeLog:
    log = MadeLog()
    log.open(endpoint(), endpoint("deep", reasoning="hidden"))
    for hour in range(runs):
        log.run(NOON + timedelta(hours=3 * hour), {}, {"endpoint": "deep"}, {"failure_kind": "overloaded"})
    return log


class Failing(Store):
    """A store whose insert into one table fails a given number of times, before or after it took effect."""

    def __init__(self, inner: Store, table: str, *, times: int, after: bool = False) -> None:
        self.inner, self.table, self.times, self.after = inner, table, times, after

    async def select(self, sql: str, arguments: Any = None) -> Selection:
        return await self.inner.select(sql, arguments)

    async def execute(self, statement: str) -> None:
        await self.inner.execute(statement)

    async def insert(
        self, table: Table, rows: Sequence[msgspec.Struct], *, token: str, into: str | None = None
    ) -> None:
        failing = table.name == self.table and rows and self.times > 0
        if failing:
            self.times -= 1
            if not self.after:
                raise StoreError("pulled the plug")
        await self.inner.insert(table, rows, token=token, into=into)
        if failing:
            raise StoreError("pulled the plug afterwards")

    async def close(self) -> None:
        await self.inner.close()


async def runner_over(store: Store, definitions: Definitions | None = None, **pace: Any) -> Runner:
    runner = Runner(store, PROJECTIONS, definitions or Definitions(), pace=Pace(**pace))
    await runner.open()
    return runner


async def content(store: Store) -> dict[str, list[str]]:
    """Everything in the tables, in a fixed order."""
    return {
        table.name: [str(row) for row in (await store.select(f"SELECT * FROM {table.name} FINAL ORDER BY ALL")).rows]
        for table in FOLDED
    }


async def empty(store: Store) -> None:
    for table in FOLDED:
        await store.execute(f"TRUNCATE TABLE {table.name}")


async def test_a_restart_continues_where_it_stopped(store: ClickHouseStore) -> None:
    """A log that grows is folded over several restarts into the same tables as in one go."""
    log = made()
    await (await runner_over(store)).fold_available(LogSource(log))
    whole = await content(store)
    await empty(store)
    grown = MadeLog()
    total = 0
    for begin in range(0, len(log.events), 11):
        grown.events.extend(log.events[begin : begin + 11])
        total += await (await runner_over(store, batch_events=7, slice_events=2)).fold_available(LogSource(grown))
    assert await content(store) == whole
    assert total == len(log.events)


async def test_nothing_new_is_nothing_done(store: ClickHouseStore) -> None:
    """Folding again without new events folds no event and changes no row."""
    log = made()
    await (await runner_over(store)).fold_available(LogSource(log))
    before = await content(store)
    assert await (await runner_over(store)).fold_available(LogSource(log)) == 0
    assert await content(store) == before


@pytest.mark.parametrize("table", ["attempts", "runs", "events", "checkpoints"])
@pytest.mark.parametrize("after", [False, True], ids=["before it is stored", "after it is stored"])
async def test_a_crash_at_any_write_loses_and_doubles_nothing(
    store: ClickHouseStore,
    table: str,
    after: bool,  # noqa: FBT001  # a parametrised case
) -> None:
    """A crash between any two writes of a batch leaves tables that the next start completes to the same rows."""
    log = made(2)
    await (await runner_over(store)).fold_available(LogSource(log))
    whole = await content(store)
    await empty(store)
    crashing = await runner_over(Failing(store, table, times=1, after=after), batch_events=9)
    with pytest.raises(StoreError, match="pulled the plug"):
        await crashing.fold_available(LogSource(log))
    await (await runner_over(store, batch_events=11)).fold_available(LogSource(log))
    assert await content(store) == whole


async def test_a_failed_batch_can_be_repeated_by_the_same_runner(store: ClickHouseStore) -> None:
    """A runner whose insert failed has not moved on, and carries on when the store is back."""
    log = made()
    runner = await runner_over(Failing(store, "checkpoints", times=1), batch_events=6)
    with pytest.raises(StoreError):
        await runner.fold_available(LogSource(log))
    await runner.fold_available(LogSource(log))
    assert runner.positions == {"lab": len(log.events)}
    assert (await store.select("SELECT count() FROM attempts FINAL")).rows == ((12,),)


async def test_events_that_come_twice_count_once(store: ClickHouseStore) -> None:
    """A source that repeats what was folded already changes nothing."""

    class Repeating(LogSource):
        async def read_after(self, positions: Any, *, limit: int) -> Any:
            return await super().read_after({"lab": max(0, positions.get("lab", 0) - 3)}, limit=limit)

    log = made()
    runner = await runner_over(store, batch_events=7)
    while (await runner.step(Repeating(log))) > 0:
        pass
    assert runner.positions == {"lab": len(log.events)}
    assert (await store.select("SELECT count() FROM events FINAL")).rows == ((len(log.events),),)


async def test_a_gap_stops_with_what_came_before_it_kept(store: ClickHouseStore) -> None:
    """Batches before a gap are stored, the one with the gap is not, and the gap is named."""
    log = made()
    del log.events[9]
    runner = await runner_over(store, batch_events=4)
    with pytest.raises(SourceGapError, match="after position 9 of 'lab' comes 11"):
        await runner.fold_available(LogSource(log))
    assert runner.positions == {"lab": 8}
    assert (await store.select("SELECT max(seq) FROM events FINAL")).rows == ((8,),)


async def test_an_unknown_version_stops_the_reader(store: ClickHouseStore) -> None:
    """An event from the future stops the reader at its position, and the position does not move past it."""
    log = made(1)
    log.add_raw("run-planned", 9, Raw(b"\x80"))
    runner = await runner_over(store, batch_events=1)
    with pytest.raises(UnknownVersionError, match=f"event {len(log.events)} of 'lab'"):
        await runner.fold_available(LogSource(log))
    assert runner.positions == {"lab": len(log.events) - 1}


async def test_other_definitions_are_not_mixed_in(store: ClickHouseStore) -> None:
    """Tables folded under one definition refuse events under another, and say how to go on."""
    log = made(1)
    await (await runner_over(store)).fold_available(LogSource(log))
    with pytest.raises(FoldedOtherwiseError, match="messwerk rebuild"):
        await runner_over(store, Definitions(version="other", last_share=0.7))


async def test_another_version_of_a_projection_is_not_mixed_in(
    store: ClickHouseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A projection that now folds otherwise refuses to add to its old rows."""
    await (await runner_over(store)).fold_available(LogSource(made(1)))
    monkeypatch.setattr(type(PROJECTIONS[1]), "version", 2)
    with pytest.raises(FoldedOtherwiseError, match="messwerk rebuild runs"):
        await runner_over(store)


async def test_another_log_is_not_mixed_in(store: ClickHouseStore) -> None:
    """A log that has other events where the tables have folded, or fewer, is noticed before anything is added."""
    log = made(2)
    await (await runner_over(store)).fold_available(LogSource(log))
    other = MadeLog()
    other.new_id()
    other.open()
    for hour in range(9):
        other.run(NOON + timedelta(hours=hour), {})
    for wrong in (other, made(1)):
        with pytest.raises(LogReplacedError, match="not the log that the tables came from"):
            await (await runner_over(store)).fold_available(LogSource(wrong))


async def reached(runner: Runner, seq: int) -> None:
    while runner.positions.get("lab") != seq:  # noqa: ASYNC110  # a runner tells nobody when it moves
        await asyncio.sleep(0.01)


async def test_following_picks_up_what_is_appended(store: ClickHouseStore) -> None:
    """A following runner folds events that are appended while it waits, and ends when it is told to."""
    log = made(1)
    runner = Runner(store, PROJECTIONS, Definitions(), pace=GENTLE)
    await runner.open()
    stop = asyncio.Event()
    following = asyncio.create_task(runner.follow(LogSource(log), stop, interval_s=0.01))
    await reached(runner, len(log.events))
    log.run(NOON + timedelta(days=1), {})
    await reached(runner, len(log.events))
    stop.set()
    await following
    assert (await store.select("SELECT count() FROM attempts FINAL")).rows == ((4,),)


async def test_one_checkpoint_a_projection_and_source(store: ClickHouseStore) -> None:
    """However often a runner moves on, one checkpoint stands for each projection and source."""
    await (await runner_over(store, batch_events=9)).fold_available(LogSource(made()))
    arguments: dict[str, Argument] = {}
    found = await store.select(f"SELECT projection, count() FROM {CHECKPOINTS.name} FINAL GROUP BY ALL", arguments)
    assert sorted(found.rows) == sorted((projection.name, 1) for projection in PROJECTIONS)
