"""The rule of roles over every named query: what control accounts were asked changes only what counts everything."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from made_events import NOON, MadeLog, endpoint

from projections.migrations import migrate
from projections.queries.contract import NamedQuery
from projections.queries.registry import QUERIES, run_query
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions
from schemas.events import AttemptCompleted, UsageReported, decode_event
from schemas.events.attempts import StrainFacts

pytestmark = pytest.mark.clickhouse

DAY = timedelta(days=1)
POSITIONS = {"seq", "attempt", "run", "request"}
"""Identifiers and places in the log, which are other ones where there are more events."""
REASONED = UsageReported(input_tokens=9, output_tokens=999, reasoning_tokens=300)
CACHED = UsageReported(input_tokens=90, cached_input_tokens=80, output_tokens=9)


def history(*, controls: bool) -> MadeLog:
    """Sixteen days of every kind of workload; with controls, each of which differs in every figure."""
    log = MadeLog()
    log.open(endpoint(), endpoint("deep", reasoning="hidden"))

    def run(at: Any, *measuring: Mapping[str, Any], **other: Any) -> None:
        beside = [
            {
                **how,
                "account": "guest",
                "role": "control",
                "ttft_s": 7.0,
                "speed": 11.0,
                "usage": UsageReported(input_tokens=1, cached_input_tokens=0, output_tokens=7, reasoning_tokens=7),
                "strain": StrainFacts(loop_lag_max_us=900_000, gc_pauses=3, gc_longest_us=7),
            }
            for how in measuring
        ]
        failed = [{**beside[0], "failure_kind": "rate-limited", "timeline_rows": None}]
        log.run(at, *measuring, *(beside + failed if controls else ()), **other)

    for hours in range(0, 16 * 24, 6):
        at = NOON - timedelta(hours=hours + 1)
        ttft_s = 0.5 + hours % 5 / 10
        run(at, {"ttft_s": ttft_s}, {"endpoint": "deep", "ttft_s": ttft_s}, {"failure_kind": "overloaded"})
        run(at, {"ttft_s": 2 * ttft_s, "scenario": "parallel-10"}, {"ttft_s": 3.0, "scenario": "single"})
    run(NOON - DAY, {"suite": "reasoning", "endpoint": "deep", "usage": REASONED, "prompt_task": "p"})
    cache = {"suite": "cache", "usage": CACHED}
    run(NOON - DAY, {**cache, "ordinal": 0}, {**cache, "ordinal": 1}, workload="cache-hit")
    return log


async def answers(store: ClickHouseStore, log: MadeLog) -> dict[str, list[dict[str, Any]]]:
    """Ask every query with its usual parameters; only what does not count everything is returned."""
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))
    usual: dict[str, Any] = {"start": NOON - 3 * DAY, "end": NOON, "attempt": measured_attempt(log)}
    found = {}
    for query in QUERIES.values():
        if not query.all_accounts:
            given = {parameter.name: usual[parameter.name] for parameter in query.parameters if parameter.required}
            rows = (await run_query(store, query.name, **given)).dicts()
            kept = {column.name for column in query.columns if not column.all_accounts} - POSITIONS
            found[query.name] = [{name: value for name, value in row.items() if name in kept} for row in rows]
    return found


def measured_attempt(log: MadeLog) -> UUID:
    """Name the newest attempt of the log that belongs to the measuring account."""
    for stored in reversed(log.events):
        event = decode_event(stored.envelope)
        if isinstance(event, AttemptCompleted) and event.role == "measuring":
            return event.attempt
    raise AssertionError("nothing was measured")


async def test_controls_change_no_figure(store: ClickHouseStore, emptied: Any) -> None:
    """Attempts of control accounts beside the measuring ones change no value that is not declared to count all."""
    without = await answers(store, history(controls=False))
    await emptied(store)
    await migrate(store)
    beside = await answers(store, history(controls=True))
    for name, rows in without.items():
        assert beside[name] == rows, name
    telling = [name for name, rows in without.items() if rows]
    assert len(telling) > 20, telling


async def test_what_counts_everything_counts_controls(store: ClickHouseStore) -> None:
    """Requests and money spent are those of all accounts, and attempts and figures beside them are not."""
    log = MadeLog()
    log.open()
    log.run(NOON - DAY, {"ttft_s": 1.0}, {"ttft_s": 5.0, "account": "guest", "role": "control"})
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))
    (tiles,) = (await run_query(store, "overview-tiles", end=NOON)).dicts()
    (one,) = (await run_query(store, "overview-tiles", end=NOON, account="main")).dicts()
    assert (tiles["attempts"], tiles["requests"], tiles["n"], tiles["ttft_p50"]) == (1, 2, 1, 1.0)
    assert tiles["spend_usd"] == pytest.approx(2 * one["spend_usd"])
    costs = (await run_query(store, "cost-reported-against-priced", start=NOON - 3 * DAY, end=NOON)).dicts()
    assert [row["account"] for row in costs] == ["guest", "main"]


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_only_numbers_are_declared_to_count_everything(query: NamedQuery) -> None:
    """Columns that count everything are numbers, and stand in queries of which the rest does not."""
    assert all(column.kind == "number" for column in query.columns if column.all_accounts)
    assert not (query.all_accounts and any(column.all_accounts for column in query.columns))
