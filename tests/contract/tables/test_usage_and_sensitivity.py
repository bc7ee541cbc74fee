"""Cost as reported beside cost by price, what a cache serves, and speed under other shares: exact, on real tables."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_events import NOON, MadeLog, endpoint, ns
from msgspec import structs

from daemon.configuration.builtin import reference_configuration
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from daemon.reference.endpoints import SIMULATED_BASE_URL
from daemon.reference.profiles import PROFILES
from daemon.simulation.playing import play
from projections.metrics import output_speed, token_chunks
from projections.migrations import migrate
from projections.queries.registry import run_query
from projections.queries.sensitivity import SHARES
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.child import ChildServer
from projections.store.clickhouse import ClickHouseStore
from projections.store.contract import Store
from schemas.configuration import PlanTable
from schemas.definitions import Definitions
from schemas.events import UsageReported
from schemas.timeline import Channel, TimelineRow, pack_timeline, unpack_columns

pytestmark = pytest.mark.clickhouse

DAY = timedelta(days=1)
Emptied = Callable[[Store], Awaitable[None]]
START = NOON - 3 * DAY


def opened() -> MadeLog:
    log = MadeLog()
    log.open(endpoint(), endpoint("deep", reasoning="hidden"), endpoint("free", prices=()))
    return log


async def folded(store: ClickHouseStore, log: MadeLog, definitions: Definitions | None = None) -> None:
    runner = Runner(store, PROJECTIONS, definitions or Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))


async def asked(store: ClickHouseStore, name: str, **parameters: Any) -> list[dict[str, Any]]:
    return (await run_query(store, name, end=NOON, **parameters)).dicts()


class TestCosts:
    async def test_the_difference_is_reported_minus_priced(self, store: ClickHouseStore) -> None:
        """20,212 tokens in, 16,298 of them cached, and 931 out cost 0.0055649 USD, and what is reported differs."""
        log = opened()
        log.run(NOON - DAY, {"cost_reported_usd": Decimal("0.0060649")}, {"cost_reported_usd": Decimal("0.0055549")})
        await folded(store, log)
        (row,) = await asked(store, "cost-reported-against-priced", start=START)
        assert row["priced_usd"] == float(2 * Decimal("0.0055649"))
        assert row["reported_usd"] == 0.0116198
        assert (row["difference_usd"], row["largest_difference_usd"]) == (0.00049, 0.0005)
        assert row["difference_share"] == pytest.approx(0.00049 / 0.0111298)
        assert (row["n"], row["reported_alone"], row["priced_alone"]) == (2, 0, 0)

    async def test_the_unknown_is_counted_and_not_subtracted(self, store: ClickHouseStore) -> None:
        """Attempts with one cost alone are counted beside the sums and enter neither of them."""
        log = opened()
        log.run(NOON - DAY, {}, {"endpoint": "free", "cost_reported_usd": Decimal("0.5")})
        log.run(NOON - DAY, {"endpoint": "free", "usage": None})
        await folded(store, log)
        rows = {row["endpoint"]: row for row in await asked(store, "cost-reported-against-priced", start=START)}
        assert set(rows) == {"mini", "free"}
        for name, alone in (("mini", "priced_alone"), ("free", "reported_alone")):
            assert (rows[name][alone], rows[name]["n"]) == (1, 0)
            for figure in ("reported_usd", "priced_usd", "difference_usd", "difference_share"):
                assert rows[name][figure] is None, figure

    async def test_an_attempt_has_its_difference(self, store: ClickHouseStore) -> None:
        """The record of one attempt has both costs and their exact difference, or None where one is unknown."""
        log = opened()
        ids = log.run(NOON - DAY, {"cost_reported_usd": Decimal("0.0060649")}, {})
        await folded(store, log)
        both, one = [(await run_query(store, "attempt", attempt=name)).dicts()[0] for name in ids]
        assert (both["cost_usd"], both["cost_reported_usd"]) == (0.0055649, 0.0060649)
        assert (both["cost_difference_usd"], one["cost_difference_usd"]) == (0.0005, None)


def second(ttft_s: float, cached: int | None, ordinal: int = 1, **other: Any) -> dict[str, Any]:
    usage = UsageReported(input_tokens=4_000, output_tokens=20, cached_input_tokens=cached)
    return {"suite": "cache", "ordinal": ordinal, "usage": usage, "ttft_s": ttft_s, "min_output_tokens": 0, **other}


def first(ttft_s: float, cached: int | None = 0, **other: Any) -> dict[str, Any]:
    return second(ttft_s, cached, 0, **other)


class TestCacheHits:
    async def test_shares_and_times_of_pairs(self, store: ClickHouseStore) -> None:
        """Share of the second request's input from the cache, requests that hit it, and TTFT of first and second."""
        log = opened()
        log.run(NOON - 2 * DAY, first(0.5), second(0.25, 3_000), workload="cache-hit")
        log.run(NOON - DAY, first(0.7), second(0.35, 0), workload="cache-hit")
        await folded(store, log)
        (row,) = await asked(store, "cache-hits")
        assert (row["cached_share"], row["hit_share"], row["first_cached_share"]) == (0.375, 0.5, 0.0)
        assert (row["first_ttft_p50"], row["second_ttft_p50"]) == (0.6, 0.3)
        assert (row["ttft_ratio"], row["n"], row["reporting"]) == (0.5, 2, 2)
        assert row["window_start"] == NOON - 14 * DAY

    def test_played_days_show_who_has_a_cache(
        self, tmp_path: Path, tables_server: ChildServer, emptied: Emptied
    ) -> None:
        """Over three simulated days reference endpoints with a cache serve over 90 % from it, the others nothing."""
        plan = PlanTable(workload="cache-hit", every="1d", moment="random")
        configuration = structs.replace(reference_configuration(SIMULATED_BASE_URL), plans=(plan,))
        paths = DataPaths(tmp_path)
        play(configuration, paths, start_wall_ns=ns(NOON - 3 * DAY), end_wall_ns=ns(NOON))

        async def found() -> list[dict[str, Any]]:
            store = await ClickHouseStore.connect(tables_server.address, tables_server.secret)
            await emptied(store)
            await migrate(store)
            with closing(SqliteReader(paths.log)) as reader:
                runner = Runner(store, PROJECTIONS, Definitions())
                await runner.open()
                await runner.fold_available(LogSource(reader))
            rows = await asked(store, "cache-hits")
            await store.close()
            return rows

        rows = {row["endpoint"]: row for row in asyncio.run(found())}
        caching = {f"reference-{profile.name}" for profile in PROFILES if profile.cached_input_usd is not None}
        assert {name for name, row in rows.items() if row["cached_share"] > 0.9} == caching
        assert {row["cached_share"] for name, row in rows.items() if name not in caching} == {0.0}
        assert {row["first_cached_share"] for row in rows.values()} == {0.0}
        assert rows["reference-patient"]["second_ttft_p50"] < rows["reference-patient"]["first_ttft_p50"]

    async def test_only_whole_pairs_count(self, store: ClickHouseStore) -> None:
        """Requests of different runs, accounts or endpoints, or one beside a failed one, are no pair."""
        log = opened()
        log.run(
            NOON - DAY, first(0.5, failure_kind="overloaded", usage=None), second(0.2, 3_000), workload="cache-hit"
        )
        log.run(NOON - DAY, first(0.5), workload="cache-hit")
        log.run(NOON - DAY, second(0.2, 3_000), workload="cache-hit")
        log.run(NOON - DAY, first(0.5, account="guest"), second(0.2, 3_000), workload="cache-hit")
        log.run(NOON - DAY, first(0.5, endpoint="deep"), second(0.2, 3_000), workload="cache-hit")
        await folded(store, log)
        assert await asked(store, "cache-hits") == []

    async def test_what_is_not_reported_is_unknown(self, store: ClickHouseStore) -> None:
        """A provider that reports no cached tokens has pairs and times, and no share: None, not 0."""
        log = opened()
        log.run(NOON - DAY, first(0.5, None), second(0.4, None), workload="cache-hit")
        await folded(store, log)
        (row,) = await asked(store, "cache-hits")
        assert (row["cached_share"], row["hit_share"], row["first_cached_share"]) == (None, None, None)
        assert (row["reporting"], row["n"], row["second_ttft_p50"]) == (0, 1, 0.4)

    async def test_no_performance_figure_holds_them(self, store: ClickHouseStore) -> None:
        """Attempts of the cache workload are in no figure, tile or trend of performance."""
        log = opened()
        log.run(NOON - DAY, first(0.5), second(0.2, 3_000), workload="cache-hit")
        await folded(store, log)
        for name in ("leaderboard", "endpoint-figures", "speed-by-input", "parallel-against-single"):
            assert await asked(store, name) == [], name
        for name in ("phases", "hour-of-day", "ttft-over-time", "output-speed-over-time", "end-to-end-over-time"):
            assert await asked(store, name, start=START) == [], name
        assert (await asked(store, "overview-tiles"))[0]["attempts"] == 0
        assert await asked(store, "speed-by-last-share") == []


CHUNKS = st.lists(
    st.tuples(
        st.integers(0, 400_000),
        st.sampled_from([Channel.NONE, Channel.REASONING, Channel.ANSWER, Channel.TOOL]),
        st.integers(0, 60),
    ),
    min_size=1,
    max_size=45,
)


class TestShares:
    @settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(CHUNKS, min_size=1, max_size=8), st.sampled_from([0, 1, 100_000, 2_000_000]))
    async def test_the_query_is_the_formula(
        self, store: ClickHouseStore, answers: list[list[tuple[int, Channel, int]]], short_window_us: int
    ) -> None:
        """On any timelines each share's median is that of the formula's own speeds, to the last bit."""
        for table in ("attempts", "checkpoints", "runs", "planned_attempts", "timelines", "events", "definitions"):
            await store.execute(f"TRUNCATE TABLE {table}")
        definitions = Definitions(version="tried", short_window_us=short_window_us)
        log = opened()
        timelines = []
        for number, chunks in enumerate(answers):
            at, rows = 1_000, []
            for gap, channel, tokens in [*chunks, (7, Channel.ANSWER, 1)]:
                at += gap
                rows.append(TimelineRow(at, 10, channel, 0 if channel is Channel.NONE else tokens))
            timelines.append(token_chunks(unpack_columns(pack_timeline(rows))))
            name = "deep" if number % 2 else "mini"
            log.run(NOON - DAY, {"endpoint": name, "timeline_rows": rows, "min_output_tokens": None})
        await folded(store, log, definitions)
        found = {row["endpoint"]: row for row in await asked(store, "speed-by-last-share")}
        for name, own in (("mini", timelines[0::2]), ("deep", timelines[1::2])):
            if not own:
                continue
            for share in SHARES:
                under = structs.replace(definitions, last_share=share / 100)
                speeds = [output_speed(chunks, hidden=True, definitions=under).tokens_per_s for chunks in own]
                known = [speed for speed in speeds if speed is not None]
                got = found[name][f"last_{share}_p50"]
                if len(known) % 2:
                    assert got == median(known)
                else:
                    assert got == (pytest.approx(median(known), rel=1e-15) if known else None)

    async def test_a_burst_after_hidden_reasoning(self, store: ClickHouseStore) -> None:
        """Two bursts of 50 tokens and 8 times 10 every 0.1 s: 100 tokens/s at 60 to 90 %, 144 over all chunks."""
        sizes = [50, 50, *[10] * 8]
        rows = [TimelineRow(10_000_000 + n * 100_000, 100, Channel.ANSWER, size) for n, size in enumerate(sizes)]
        log = opened()
        log.run(NOON - DAY, {"endpoint": "deep", "timeline_rows": rows})
        await folded(store, log)
        (row,) = await asked(store, "speed-by-last-share")
        assert [row[f"last_{share}_p50"] for share in (60, 70, 80, 90)] == [100.0] * 4
        assert row["last_100_p50"] == pytest.approx(130 / 0.9)
        assert row["published_p50"] == 100.0
        assert (row["spread_share"], row["hidden_share"], row["last_share"], row["n"]) == (0.0, 1.0, 0.8, 1)
        assert row["definition"] == Definitions().id
