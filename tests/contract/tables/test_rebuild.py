"""Rebuilding: the same log gives the same tables, another definition gives other figures and says so."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from made_events import NOON, MadeLog, endpoint, rows

from projections.checkpoints import forget_checkpoints
from projections.exchanging import tidy
from projections.pace import Pace
from projections.queries.registry import run_query
from projections.rebuild import RebuildProgress, rebuild
from projections.rebuilds import read_rebuilds
from projections.registry import PROJECTIONS, projections_named
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from projections.tables import create_statement
from schemas.definitions import Definitions
from schemas.timeline import Channel

pytestmark = pytest.mark.clickhouse

# 50 tokens at once, then nine chunks of 11 to 19 tokens every 0.1 s: each share of the chunks has a speed of its own.
HIDDEN = rows((10.0, Channel.ANSWER, 50), *((10.0 + n / 10, Channel.ANSWER, 10 + n) for n in range(1, 10)))
SEVENTY = Definitions(version="seventy", last_share=0.7)


def made() -> MadeLog:
    log = MadeLog()
    log.open(endpoint(), endpoint("deep", reasoning="hidden"))
    for hour in range(4):
        log.run(NOON + timedelta(hours=3 * hour), {}, {"endpoint": "deep", "timeline_rows": HIDDEN})
    return log


async def folded(store: ClickHouseStore, log: MadeLog, definitions: Definitions | None = None) -> None:
    runner = Runner(store, PROJECTIONS, definitions or Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))


async def names(store: ClickHouseStore) -> set[str]:
    found = await store.select("SELECT name FROM system.tables WHERE database = 'messwerk'")
    return {row[0] for row in found.rows}


async def test_the_same_log_gives_the_same_tables(store: ClickHouseStore) -> None:
    """A rebuild under the same definitions finds every table equal, and leaves nothing behind but the tables."""
    log = made()
    await folded(store, log)
    before = await names(store)
    seen: list[RebuildProgress] = []
    compared = await rebuild(
        store, LogSource(log), PROJECTIONS, Definitions(), pace=Pace(batch_events=7), progress=seen.append, old="drop"
    )
    assert all(comparison.same for comparison in compared), compared
    assert {comparison.table for comparison in compared if comparison.rows_after} >= {"attempts", "events", "runs"}
    assert seen[0].folded == 0
    assert seen[-1] == RebuildProgress(folded=len(log.events), total=len(log.events))
    assert await names(store) == before
    assert {row["seq"] for row in (await run_query(store, "positions")).dicts()} == {len(log.events)}


async def test_another_definition_gives_other_figures_from_the_same_bytes(store: ClickHouseStore) -> None:
    """A changed share in the last-80 % rule changes speeds of hidden reasoning, and no byte of the log."""
    log = made()
    stored = [event.raw for event in log.events]
    await folded(store, log)
    end = NOON + timedelta(days=1)
    old = await run_query(store, "leaderboard", end=end, endpoint="deep")
    compared = await rebuild(store, LogSource(log), PROJECTIONS, SEVENTY)
    new = await run_query(store, "leaderboard", end=end, endpoint="deep")
    assert old.column("output_speed_p50") == [pytest.approx(sum(range(13, 20)) / 0.7)]
    assert new.column("output_speed_p50") == [pytest.approx(sum(range(14, 20)) / 0.6)]
    assert (old.column("definition"), new.column("definition")) == ([Definitions().id], [SEVENTY.id])
    attempts = next(comparison for comparison in compared if comparison.table == "attempts")
    assert set(attempts.sums) == {"output_speed"}
    assert any("output_speed was" in difference for difference in attempts.differences)
    assert all(comparison.same for comparison in compared if comparison.table == "timelines")
    assert [event.raw for event in log.events] == stored
    await folded(store, log, SEVENTY)


async def test_one_projection_alone(store: ClickHouseStore) -> None:
    """A rebuild of one projection touches its tables and no others, and keeps the old ones when asked to."""
    log = made()
    await folded(store, log)
    compared = await rebuild(store, LogSource(log), projections_named(["runs"]), Definitions(), old="keep")
    assert [comparison.table for comparison in compared] == ["runs", "planned_attempts"]
    assert {"runs_before", "planned_attempts_before"} <= await names(store)
    assert "attempts_before" not in await names(store)
    assert (await store.select("SELECT count() FROM runs_before FINAL")).rows == ((4,),)


async def test_what_was_damaged_is_found_and_mended(store: ClickHouseStore) -> None:
    """A lost row and a falsified one are named by the comparison and are right again after the rebuild."""
    log = made()
    await folded(store, log)
    await store.execute("ALTER TABLE attempts DELETE WHERE seq = 5 SETTINGS mutations_sync = 2")
    await store.execute("ALTER TABLE runs UPDATE task = 'forged' WHERE seq = 3 SETTINGS mutations_sync = 2")
    compared = {c.table: c for c in await rebuild(store, LogSource(log), PROJECTIONS, Definitions())}
    assert (compared["attempts"].rows_before, compared["attempts"].rows_after) == (7, 8)
    assert "event 5 of 'lab' has a row after only" in compared["attempts"].differences
    assert compared["runs"].differences == ("event 3 of 'lab': task was 'forged', is 'explain'",)
    again = await rebuild(store, LogSource(log), PROJECTIONS, Definitions())
    assert all(comparison.same for comparison in again)


async def test_an_interrupted_rebuild_starts_again(store: ClickHouseStore) -> None:
    """Shadow tables and checkpoints of a rebuild that was cut off do not mislead the next one."""
    log = made()
    await folded(store, log)
    for projection in PROJECTIONS:
        for table in projection.tables:
            await store.execute(create_statement(table, f"{table.name}_rebuilt"))
    cut_off = Runner(
        store,
        PROJECTIONS,
        SEVENTY,
        pace=Pace(batch_events=5),
        prefix="rebuild:",
        tables={table.name: f"{table.name}_rebuilt" for projection in PROJECTIONS for table in projection.tables},
    )
    await cut_off.open()
    await cut_off.step(LogSource(log))
    compared = await rebuild(store, LogSource(log), PROJECTIONS, Definitions())
    assert all(comparison.same for comparison in compared), compared


async def test_another_process_may_fold_meanwhile(store: ClickHouseStore) -> None:
    """A runner that follows the log through a rebuild ends with the same rows as one alone."""
    log = made()
    following = Runner(store, PROJECTIONS, Definitions(), pace=Pace(batch_events=30))
    await following.open()
    await following.fold_available(LogSource(log))
    log.run(NOON + timedelta(days=1), {})
    await following.fold_available(LogSource(log))
    await rebuild(store, LogSource(log), PROJECTIONS, Definitions())
    log.run(NOON + timedelta(days=2), {})
    await following.fold_available(LogSource(log))
    counted = await store.select("SELECT count(), max(seq) FROM events FINAL")
    assert counted.rows == ((len(log.events), len(log.events)),)
    again = await rebuild(store, LogSource(log), PROJECTIONS, Definitions())
    assert all(comparison.same for comparison in again)


async def test_an_interrupted_rebuild_goes_on_where_it_was(store: ClickHouseStore) -> None:
    """Events that an interrupted rebuild folded are not folded again under the same definitions, else they are."""
    log = made()
    await folded(store, log)

    class Interrupted(Exception):  # noqa: N818  # it is no error
        pass

    def stop(progress: RebuildProgress) -> None:
        if progress.folded >= 10:
            raise Interrupted

    for definitions, resumed in ((Definitions(), 10), (SEVENTY, 0)):
        with pytest.raises(Interrupted):
            await rebuild(
                store, LogSource(log), PROJECTIONS, Definitions(), pace=Pace(batch_events=10), progress=stop
            )
        seen: list[RebuildProgress] = []
        compared = await rebuild(store, LogSource(log), PROJECTIONS, definitions, progress=seen.append)
        assert (seen[0].resumed, seen[0].folded) == (resumed, resumed)
        assert seen[-1].folded == len(log.events)
        assert all(comparison.same for comparison in compared) == (definitions == Definitions())


async def test_old_tables_are_kept_for_a_day(store: ClickHouseStore) -> None:
    """What a rebuild replaced can be asked for a day, and is dropped by whoever tidies after that."""
    log = made()
    await folded(store, log)
    await rebuild(store, LogSource(log), projections_named(["runs"]), Definitions(), now_ns=lambda: 10**18)
    written = (await read_rebuilds(store))["runs"].change
    day_ns = 86_400 * 10**9
    assert await tidy(store, written + day_ns - 1) == []
    assert (await store.select("SELECT count() FROM runs_before FINAL")).rows == ((4,),)
    assert await tidy(store, written + day_ns) == ["planned_attempts_before", "runs_before"]
    assert "runs_before" not in await names(store)


async def test_whoever_folds_finishes_a_rebuild_that_was_killed_after_the_exchange(store: ClickHouseStore) -> None:
    """New tables that lack what others had folded into the old ones get it from the next process that folds."""
    log = made()
    await folded(store, log)
    short = MadeLog()
    short.events = log.events[:12]
    following = Runner(store, PROJECTIONS, Definitions())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Runner, "fold_available", killed)
        with pytest.raises(KilledHereError):
            await rebuild(store, LogSource(short), PROJECTIONS, Definitions())
    assert {row.phase for row in (await read_rebuilds(store)).values()} == {"following"}
    assert (await store.select("SELECT max(seq) FROM events FINAL")).rows == ((12,),)
    await following.open()
    await following.fold_available(LogSource(log))
    assert {row.phase for row in (await read_rebuilds(store)).values()} == {"done"}
    again = await rebuild(store, LogSource(log), PROJECTIONS, Definitions())
    assert all(comparison.same for comparison in again), again


async def test_whoever_finishes_late_leaves_the_next_rebuild_alone(store: ClickHouseStore) -> None:
    """A runner that took up a rebuild which others have finished since does not touch the one that was begun then."""
    log, runs = made(), projections_named(["runs"])
    late = Runner(store, runs, Definitions())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Runner, "fold_available", killed)
        with pytest.raises(KilledHereError):
            await rebuild(store, LogSource(log), runs, Definitions())
    await late.open()
    await rebuild(store, LogSource(log), runs, Definitions())
    with pytest.raises(KilledHereError):
        await rebuild(store, LogSource(log), runs, Definitions(), progress=kill)
    begun = (await read_rebuilds(store))["runs"]
    await late.fold_available(LogSource(log))
    assert begun.phase == "folding"
    assert (await read_rebuilds(store))["runs"] == begun
    assert {"runs_rebuilt", "planned_attempts_rebuilt"} <= await names(store)


async def test_a_rebuild_killed_while_it_begins_anew_takes_nothing_up(store: ClickHouseStore) -> None:
    """What a rebuild had folded of another log is gone once its place in that log is forgotten, kill or no kill."""
    log, runs, other = made(), projections_named(["runs"]), MadeLog()
    other.open(endpoint())
    other.run(NOON, {})

    def late(progress: RebuildProgress) -> None:
        if progress.folded:
            raise KilledHereError

    async def forget(*given: Any) -> None:
        await forget_checkpoints(*given)
        if given[1]:
            raise KilledHereError

    with pytest.raises(KilledHereError):
        await rebuild(store, LogSource(log), runs, Definitions(), progress=late)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("projections.rebuild.forget_checkpoints", forget)
        with pytest.raises(KilledHereError):
            await rebuild(store, LogSource(other), runs, Definitions())
    await rebuild(store, LogSource(other), runs, Definitions())
    assert (await store.select("SELECT count() FROM runs FINAL")).rows == ((1,),)


async def test_a_rebuild_killed_while_it_follows_another_leaves_places_that_count(store: ClickHouseStore) -> None:
    """Whoever folds on after a rebuild under other definitions was killed begins where the tables are, not at 0."""
    log, runs = made(), projections_named(["runs"])
    short = MadeLog()
    short.events = log.events[:12]

    async def forget(*given: Any) -> None:
        await forget_checkpoints(*given)
        if "rebuild:runs" in given[1]:
            raise KilledHereError

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Runner, "fold_available", killed)
        with pytest.raises(KilledHereError):
            await rebuild(store, LogSource(short), runs, Definitions())
        patched.setattr("projections.rebuild.forget_checkpoints", forget)
        with pytest.raises(KilledHereError):
            await rebuild(store, LogSource(log), runs, SEVENTY)
    runner = Runner(store, runs, Definitions())
    await runner.open()
    assert runner.positions == {"lab": 12}


class KilledHereError(Exception):
    pass


def kill(_: RebuildProgress) -> None:
    raise KilledHereError


async def killed(*_: object) -> None:
    raise KilledHereError
