"""Every query that Grafana would ask, asked of the real engine with its macros expanded."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from made_events import NOON, MadeLog, endpoint

from dashboards.grafana.checking import QUOTED, check_queries
from dashboards.grafana.dashboard import grafana_dashboard
from dashboards.grafana.expanding import Chosen, expanded
from dashboards.grafana.model import GrafanaPanel
from dashboards.panels import Panel, Table, TimeSeries
from dashboards.registry import DASHBOARDS
from projections.queries.registry import run_query
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from projections.store.contract import Selection
from schemas.definitions import Definitions

pytestmark = pytest.mark.clickhouse

DAY = timedelta(days=1)
OVERVIEW = DASHBOARDS["overview"]


async def folded(store: ClickHouseStore, *logs: MadeLog) -> None:
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    for log in logs:
        await runner.fold_available(LogSource(log))


@pytest.fixture
async def filled(store: ClickHouseStore) -> ClickHouseStore:
    """Three days of three endpoints, one of them with a quote in its name."""
    log = MadeLog()
    names = ("mini", "deep", QUOTED)
    log.open(*(endpoint(name) for name in names))
    for hours in range(3, 72, 3):
        log.run(
            NOON - timedelta(hours=hours),
            {"ttft_s": 0.1 + hours / 100},
            {"endpoint": "deep", "ttft_s": 1.0 + hours / 100},
            {"endpoint": QUOTED, "failure_kind": "overloaded"} if hours % 2 else {"endpoint": QUOTED, "ttft_s": 3.0},
        )
    await folded(store, log)
    return store


def panel_of(dashboard: str, panel_id: str) -> tuple[Panel, GrafanaPanel]:
    """Return a panel as we define it and as Grafana has it."""
    index = [panel.id for panel in DASHBOARDS[dashboard].panels].index(panel_id)
    return DASHBOARDS[dashboard].panels[index], grafana_dashboard(DASHBOARDS[dashboard]).panels[index]


async def asked(store: ClickHouseStore, dashboard: str, panel_id: str, **values: tuple[str, ...]) -> Selection:
    """Ask what Grafana would get for a panel over the three days before noon, in steps of three hours."""
    variables = {variable.name: (variable.default,) for variable in DASHBOARDS[dashboard].variables}
    everything = {name: () if value == ("",) else value for name, value in variables.items()}
    made = expanded(
        panel_of(dashboard, panel_id)[1].targets[0].raw_sql,
        Chosen(
            from_s=int((NOON - 3 * DAY).timestamp()),
            to_s=int(NOON.timestamp()),
            interval_s=10_800,
            values={**everything, **values},
            known=dict.fromkeys(variables, ("one", "two")),
        ),
    )
    assert made.problems == ()
    return await store.select(made.sql)


async def test_every_query_can_be_asked_of_tables_with_data(filled: ClickHouseStore) -> None:
    """With all, one and two values and one with a quote, every query answers in the form that Grafana reads."""
    assert await check_queries(filled.select, NOON) == []


async def test_a_table_shows_what_the_named_query_answers(filled: ClickHouseStore) -> None:
    """The leaderboard in Grafana has the rows, the order and the values of the query on the built-in page."""
    panel, _ = panel_of("overview", "leaderboard")
    assert isinstance(panel.visualisation, Table)
    shown = (await asked(filled, "overview", "leaderboard")).dicts()
    named = (await run_query(filled, "leaderboard", end=NOON, workload=["text-10k"], scenario=["single"])).dicts()
    assert len(shown) == 3
    for column in ("endpoint", "ttft_p50", "n", "success_share", "newest"):
        title = next(c.title for c in panel.visualisation.columns if c.column == column)
        assert [row[title] for row in shown] == [row[column] for row in named], title


async def test_a_series_shows_what_the_named_query_answers(filled: ClickHouseStore) -> None:
    """The points of a series in Grafana are those of the query for the same span and step."""
    panel, _ = panel_of("overview", "ttft-over-time")
    assert isinstance(panel.visualisation, TimeSeries)
    shown = (await asked(filled, "overview", "ttft-over-time")).dicts()
    named = (
        await run_query(
            filled,
            "ttft-over-time",
            start=NOON - 3 * DAY,
            end=NOON,
            step_s=10_800,
            workload=["text-10k"],
            scenario=["single"],
        )
    ).dicts()
    assert len(shown) > 40
    assert [(row["time"], row["endpoint"], row["P50"]) for row in shown] == [
        (row["time"], row["endpoint"], row["p50"]) for row in named
    ]


@pytest.mark.parametrize(
    ("chosen", "seen"),
    [
        ((), {"mini", "deep", QUOTED}),
        (("mini",), {"mini"}),
        (("mini", "deep"), {"mini", "deep"}),
        ((QUOTED,), {QUOTED}),
        (("nobody",), set()),
    ],
    ids=["all", "one", "two", "quoted", "unknown"],
)
async def test_a_variable_selects(filled: ClickHouseStore, chosen: tuple[str, ...], seen: set[str]) -> None:
    """All values show every endpoint, one or two show these, and a quote in a value is part of a name."""
    shown = await asked(filled, "overview", "availability", endpoint=chosen)
    assert {row["endpoint"] for row in shown.dicts()} == seen


async def test_all_accounts_means_the_measuring_ones(store: ClickHouseStore) -> None:
    """With every account chosen a control account's attempts stay out, as on the page; by name it is shown."""
    log = MadeLog()
    log.open()
    log.run(NOON - timedelta(hours=1), {}, {"account": "guest", "role": "control"})
    await folded(store, log)
    tiles = (await asked(store, "overview", "at-a-glance")).dicts()[0]
    assert tiles["Attempts"] == 1
    both = (await asked(store, "overview", "at-a-glance", account=("guest", "main"))).dicts()[0]
    assert both["Attempts"] == 2


async def test_steps_begin_at_multiples_of_themselves(filled: ClickHouseStore) -> None:
    """A refresh some minutes later shows the same cells: steps do not move with the chosen time."""
    made: list[Any] = []
    for later in (0, 7):
        chosen = Chosen(
            from_s=int((NOON - 3 * DAY + timedelta(minutes=later)).timestamp()),
            to_s=int((NOON + timedelta(minutes=later)).timestamp()),
            interval_s=10_800,
            values={
                "vantage": (),
                "provider": (),
                "endpoint": ("mini",),
                "account": (),
                "workload": (),
                "scenario": (),
            },
        )
        sql = panel_of("overview", "availability")[1].targets[0].raw_sql
        made.append([row[0] for row in (await filled.select(expanded(sql, chosen).sql)).rows])
    assert made[0] == made[1]
    assert all(at.hour % 3 == 0 and at.minute == 0 for at in made[0])


async def test_the_check_finds_a_query_that_the_store_refuses(store: ClickHouseStore) -> None:
    """A store without the tables makes a finding of every single query, with its place and the store's words."""
    await store.execute("DROP TABLE attempts SYNC")
    findings = await check_queries(store.select, NOON)
    places = {finding.where for finding in findings}
    assert "Overview, Leaderboard, everything chosen" in places
    assert "Overview, variable endpoint" in places
    assert "alert Success under 95 % for an hour" in places
    assert all("attempts" in finding.what for finding in findings)


async def test_the_check_finds_what_grafana_cannot_show() -> None:
    """A number before a label, an array, rows out of order and a leftover macro are found in an answer."""

    async def odd(sql: str) -> Selection:  # noqa: ARG001  # asked by name
        return Selection(
            names=("time", "n", "label", "all"),
            types=("DateTime", "UInt64", "String", "Array(String)"),
            rows=((2, 1, "a", ()), (1, 1, "a", ())),
        )

    said = " ".join(finding.what for finding in await check_queries(odd, NOON))
    assert "labels stand before numbers" in said
    assert "Array(String), which Grafana cannot show" in said
    assert "not in the order of their times" in said
    assert "one number called value" in said
    assert re.search(r"there is no column 'value'", said)
