"""Error budgets, burn rates and marks of changes, against figures that can be counted by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from made_events import NOON, PRICE, MadeLog, endpoint
from msgspec.structs import replace

from projections.queries.registry import run_query
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions
from schemas.events import CatalogueDeclared, IntegrityDecided, decode_event

pytestmark = pytest.mark.clickhouse

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
SLOW = {"ttft_s": 3.0}
FAILED = {"failure_kind": "overloaded"}


async def folded(store: ClickHouseStore, log: MadeLog) -> None:
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))


async def levels(store: ClickHouseStore, **parameters: Any) -> list[dict[str, Any]]:
    return (await run_query(store, "service-levels", **{"end": NOON, **parameters})).dicts()


def opened(*names: str) -> MadeLog:
    log = MadeLog()
    log.open(*(endpoint(name) for name in names or ("mini",)))
    return log


async def test_the_budget_is_what_may_fail(store: ClickHouseStore) -> None:
    """Of 40 attempts two may fail: one failure leaves half, two nothing, and three overdraw by a half."""
    log = opened("one", "two", "three", "none")
    for name, failures in (("none", 0), ("one", 1), ("two", 2), ("three", 3)):
        log.run(
            NOON - 20 * DAY, *({"endpoint": name},) * (40 - failures), *({"endpoint": name, **FAILED},) * failures
        )
    await folded(store, log)
    found = await levels(store)
    assert {row["endpoint"]: round(row["budget_left"], 9) for row in found} == {
        "three": -0.5,
        "two": 0.0,
        "one": 0.5,
        "none": 1.0,
    }
    assert [row["endpoint"] for row in found] == ["three", "two", "one", "none"]
    assert found[0]["success_share"] == pytest.approx(37 / 40)
    assert (found[0]["n"], found[0]["failed"], found[0]["window_start"]) == (40, 3, NOON - 28 * DAY)


async def test_the_window_is_28_days(store: ClickHouseStore) -> None:
    """What failed 28 days before the end is forgotten, what failed a moment later is not."""
    log = opened()
    log.run(NOON - 28 * DAY, FAILED)
    log.run(NOON - 28 * DAY + HOUR, *({},) * 19, FAILED)
    await folded(store, log)
    (row,) = await levels(store)
    assert (row["n"], row["failed"]) == (20, 1)
    assert row["budget_left"] == pytest.approx(0.0)


async def test_a_burn_rate_of_one_lasts_the_window(store: ClickHouseStore) -> None:
    """5 % failed burn at 1, all failed at 20; windows without attempts have no rate."""
    log = opened()
    log.run(NOON - 5 * DAY, *({},) * 19, FAILED)
    log.run(NOON - 2 * DAY, FAILED)
    await folded(store, log)
    (row,) = await levels(store)
    assert row["burn_1d"] is None
    assert row["burn_3d"] == pytest.approx(20.0)
    assert row["burn_7d"] == pytest.approx(2 / 21 * 20)


@pytest.mark.parametrize(("objective_s", "late", "left"), [(2.0, 2, -1.0), (3.0, 0, 1.0), (0.1, 20, -19.0)])
async def test_the_latency_objective_is_chosen(
    store: ClickHouseStore, objective_s: float, late: int, left: float
) -> None:
    """Complete answers above the chosen TTFT are late; failures are in no latency budget."""
    log = opened()
    log.run(NOON - DAY, *({"ttft_s": 0.5},) * 18, SLOW, SLOW, FAILED, FAILED)
    await folded(store, log)
    (row,) = await levels(store, objective_s=objective_s)
    assert row["late"] == late
    assert row["in_time_share"] == pytest.approx(1 - late / 20)
    assert row["latency_budget_left"] == pytest.approx(left)


async def test_nothing_complete_has_no_latency_budget(store: ClickHouseStore) -> None:
    """Without a complete answer there is no share in time and no latency budget: unknown, not 1 and not 0."""
    log = opened()
    log.run(NOON - DAY, FAILED)
    await folded(store, log)
    (row,) = await levels(store)
    assert (row["in_time_share"], row["latency_budget_left"]) == (None, None)
    assert row["budget_left"] == pytest.approx(-19.0)


async def test_series_end_where_the_table_stands(store: ClickHouseStore) -> None:
    """The last point of each series is the figure of the table at that moment."""
    log = opened("mini", "deep")
    for days in range(30, 0, -1):
        log.run(
            NOON - days * DAY + 12 * HOUR,
            {"ttft_s": 0.5} if days % 5 else FAILED,
            SLOW if days % 3 == 0 else {},
            {"endpoint": "deep"},
        )
    await folded(store, log)
    span = {"start": NOON - 10 * DAY, "end": NOON, "step_s": 43_200}
    budget = (await run_query(store, "error-budget-over-time", **span)).dicts()
    burn = (await run_query(store, "burn-rate-over-time", **span)).dicts()
    assert [row["time"] for row in budget] == sorted(row["time"] for row in budget)
    for row in budget:
        (figure,) = await levels(store, end=row["time"], endpoint=[row["endpoint"]])
        assert (row["n"], row["budget_left"]) == (figure["n"], pytest.approx(figure["budget_left"]))
        assert row["latency_budget_left"] == pytest.approx(figure["latency_budget_left"])
    for row in burn:
        (figure,) = await levels(store, end=row["time"], endpoint=[row["endpoint"]])
        assert row["burn_1d"] == pytest.approx(figure["burn_1d"])
        assert row["burn_3d"] == pytest.approx(figure["burn_3d"])
    assert {row["endpoint"] for row in burn} == {"mini", "deep"}
    assert len(budget) == 20


async def test_marks_of_changes(store: ClickHouseStore) -> None:
    """A catalogue of another hash and other definitions are marked once, a repeated declaration is not."""
    log = opened()
    first = decode_event(log.events[-1].envelope)
    assert isinstance(first, CatalogueDeclared)
    for days, change in (
        (5, {}),
        (4, {"sha256": "5" * 64, "endpoints": (endpoint("mini"), endpoint("more", prices=(PRICE,)))}),
        (3, {"sha256": "5" * 64, "definitions": Definitions(version="next", last_share=0.6)}),
        (2, {"sha256": "5" * 64, "definitions": Definitions(version="next", last_share=0.6)}),
    ):
        log.add(replace(first, **change), NOON - days * DAY)
    await folded(store, log)
    span = {"start": NOON - 10 * DAY, "end": NOON}
    catalogues = (await run_query(store, "catalogue-changes", **span)).dicts()
    assert [(row["time"], row["title"]) for row in catalogues] == [(NOON - 4 * DAY, "Catalogue of vienna")]
    assert catalogues[0]["text"].startswith("2 endpoints, 2 accounts, hash 555")
    definitions = (await run_query(store, "definition-changes", **span)).dicts()
    assert [row["time"] for row in definitions] == [NOON - 3 * DAY]
    later = Definitions(version="next", last_share=0.6).id
    assert definitions[0]["text"] == f"{first.definitions.id} became {later}"


async def test_marks_of_decisions(store: ClickHouseStore) -> None:
    """A decision on a case is marked with its measure, its reason and who took it."""
    log = opened()
    log.add(IntegrityDecided(case=UUID(int=1), measure="delist", person="Eva", reason="twice"), NOON - DAY)
    await folded(store, log)
    (row,) = (await run_query(store, "decisions", start=NOON - 2 * DAY, end=NOON)).dicts()
    assert (row["time"], row["title"], row["text"]) == (NOON - DAY, "Decided: delist", "twice (Eva)")
