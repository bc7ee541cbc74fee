"""What the public is shown of the office tasks, on a real ClickHouse: what stands, as of the newest checkpoint."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from made_events import NOON, endpoint, ns
from made_office import OfficeLog

from projections.queries.registry import run_query
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions
from schemas.events import IntegrityDecided, IntegritySuspected, LogCheckpointed
from schemas.events.integrity import Measure

pytestmark = pytest.mark.clickhouse

CASE = UUID(int=5)
MINUTE = timedelta(minutes=1)


def judged() -> OfficeLog:
    """Two endpoints with twelve open documents and totals of private ones, all under a checkpoint."""
    log = OfficeLog("lab")
    log.open(endpoint(), endpoint("deep", provider="birch"))
    for name, wrong in (("mini", 2), ("deep", 4)):
        for number in range(12):
            fields = {"total": number >= wrong or "wrong_value", "currency": True}
            log.answer(f"i-{number}-cs", fields, endpoint=name)
        log.ask("5f" * 32, endpoint=name, split="private", pair=None, cost="0.014")
        log.private(endpoint=name)
    log.add(LogCheckpointed(size=log.last_seq(), root=b"\x07" * 32), NOON - 10 * MINUTE)
    return log


async def shown(store: ClickHouseStore, log: OfficeLog, name: str = "public-office") -> dict[str, dict[str, Any]]:
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))
    return {row["endpoint"]: row for row in (await run_query(store, name, end=NOON)).dicts()}


async def test_figures_are_those_that_operators_see(store: ClickHouseStore) -> None:
    """Shares, intervals, costs and private totals are those of the other queries; each row names its checkpoint."""
    log = judged()
    public = await shown(store, log)
    quality, costs = await shown(store, log, "office-quality"), await shown(store, log, "office-costs")
    private = await shown(store, log, "office-private")
    assert public.keys() == {"mini", "deep"}
    for name, row in public.items():
        assert {key: row[key] for key in row.keys() & quality[name].keys()} == {
            key: quality[name][key] for key in row.keys() & quality[name].keys()
        }
        assert (row["cost_usd_1000"], row["true_cost_usd_1000"]) == pytest.approx(
            (costs[name]["cost_usd_1000"], costs[name]["true_cost_usd_1000"])
        )
        assert (row["private_n"], row["private_right_share"]) == (private[name]["n"], private[name]["right_share"])
        assert (row["source"], row["checkpoint_root"], row["checkpointed"]) == ("lab", "07" * 32, NOON - 10 * MINUTE)
    assert (public["mini"]["n"], public["mini"]["right"], public["mini"]["cost_usd_1000"]) == (12, 22, 2.0)


async def test_what_came_behind_the_checkpoint_is_in_no_figure(store: ClickHouseStore) -> None:
    """Answers, verdicts and totals behind the newest checkpoint change nothing, and without one nothing is public."""
    log = judged()
    before = await shown(store, log)
    attempt = log.ask("i-99-cs", at=NOON - 9 * MINUTE)
    log.judge(attempt, "i-99-cs", {"total": True}, at=NOON - 8 * MINUTE)
    log.private(right=1, at=NOON - 7 * MINUTE)
    assert await shown(store, log) == before
    await store.execute("TRUNCATE TABLE log_checkpoints")
    assert (await run_query(store, "public-office", end=NOON)).rows == ()


async def test_private_totals_are_of_the_data_set_that_is_shown(store: ClickHouseStore) -> None:
    """Totals of an earlier data set do not stand beside figures of the next one."""
    log = judged()
    log.answer("i-0-cs", {"total": True}, data_set="2", at=NOON - 9 * MINUTE)
    log.add(LogCheckpointed(size=log.last_seq(), root=b"\x08" * 32), NOON - 5 * MINUTE)
    row = (await shown(store, log))["mini"]
    assert (row["data_set"], row["n"], row["private_n"], row["private_right_share"]) == ("2", 1, None, None)


@pytest.mark.parametrize("measure", ["withhold", "re-measure"])
async def test_what_does_not_stand_is_absent(store: ClickHouseStore, measure: Measure) -> None:
    """An endpoint that is withheld, or whose figures are to be another account's, has no figures of office work."""
    log = judged()
    log.add(
        IntegritySuspected(
            case=CASE,
            endpoint="mini",
            workload="text-10k",
            account="main",
            compared_with="guest",
            window_start_ns=ns(NOON - timedelta(days=3)),
            window_end_ns=ns(NOON),
            evidence=(),
            definition="d",
        ),
        NOON - 5 * MINUTE,
    )
    account = "guest" if measure == "re-measure" else None
    decided = IntegrityDecided(
        case=CASE, measure=measure, person="Ada", reason="r", decision=UUID(int=1), account=account
    )
    log.add(decided, NOON - 4 * MINUTE)
    assert (await shown(store, log)).keys() == {"deep"}
