"""Named queries on real tables: names and kinds as declared, exact figures, windows, and unknown as None."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from statistics import median
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_events import NOON, MadeLog, answered, endpoint, rows, steady, text
from msgspec import structs

from projections.queries.contract import NamedQuery
from projections.queries.registry import QUERIES, run_query
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions
from schemas.events import CalibrationCompleted, CalibrationFigure, LogCheckpointed, SlotSkipped, UsageReported
from schemas.events.attempts import StrainFacts
from schemas.timeline import Channel

pytestmark = pytest.mark.clickhouse

DAY = timedelta(days=1)
CONTROL = {"account": "guest", "role": "control"}


def opened(**other: Any) -> MadeLog:
    log = MadeLog()
    log.open(endpoint(**other), endpoint("deep", reasoning="hidden"), endpoint("seen", reasoning="shown"))
    return log


async def folded(store: ClickHouseStore, log: MadeLog) -> None:
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))


async def asked(store: ClickHouseStore, name: str, **parameters: Any) -> list[dict[str, Any]]:
    query = QUERIES[name]
    usual = {"start": NOON - 3 * DAY, "end": NOON, "attempt": UUID(int=0)}
    needed = {p.name: usual[p.name] for p in query.parameters if p.required}
    return (await run_query(store, name, **{**needed, **parameters})).dicts()


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
async def test_answers_have_the_columns_that_are_declared(store: ClickHouseStore, query: NamedQuery) -> None:
    """Names, order and kinds of an answer's columns are those of its declaration."""
    arguments = {
        "start": NOON - 3 * DAY,
        "end": NOON,
        "attempt": UUID(int=1),
        "limit": 5,
        "step_s": 3600,
    }
    given_ = {p.name: arguments.get(p.name, [] if p.type == "Array(String)" else p.default) for p in query.parameters}
    found = await store.select(f"DESCRIBE ({query.sql})", given_)
    assert [row["name"] for row in found.dicts()] == [column.name for column in query.columns]
    for column, described in zip(query.columns, found.dicts(), strict=True):
        kind = described["type"]
        numeric = any(name in kind for name in ("Int", "Float")) and "Array" not in kind
        fits = {
            "time": "DateTime" in kind,
            "number": numeric,
            "flag": "Bool" in kind or "UInt8" in kind,
            "label": "String" in kind,
            "text": "String" in kind or "UUID" in kind or "Date" in kind,
            "array": kind.startswith("Array"),
        }
        assert fits[column.kind], f"{column.name} is declared a {column.kind} and comes as {kind}"
        if query.shape == "series":
            assert not any(name in kind for name in ("Array", "Tuple", "Aggregate", "Decimal"))


async def test_an_empty_store_answers_nothing_and_zero_is_no_figure(store: ClickHouseStore) -> None:
    """Without attempts the tiles hold counts of 0 and figures of None, and every other query of ours has no row."""
    tiles = (await asked(store, "overview-tiles"))[0]
    assert (tiles["attempts"], tiles["n"], tiles["endpoints"]) == (0, 0, 0)
    for figure in ("ttft_p50", "output_speed_p50", "success_share", "spend_usd", "stalest_endpoint", "newest"):
        assert tiles[figure] is None, figure
    for name in QUERIES:
        if name != "overview-tiles" and not name.startswith("benchmarks-"):
            assert await asked(store, name) == [], name


async def test_failures_are_in_no_median(store: ClickHouseStore) -> None:
    """Attempts of 100 ms, failed and 300 ms have a median of 200 ms over n 2, with one failure beside it."""
    log = opened()
    log.run(NOON - timedelta(hours=3), {"ttft_s": 0.1})
    log.run(NOON - timedelta(hours=2), {"failure_kind": "server-error"})
    log.run(NOON - timedelta(hours=1), {"ttft_s": 0.3})
    await folded(store, log)
    board = (await asked(store, "leaderboard"))[0]
    assert (board["ttft_p50"], board["n"], board["attempts"]) == (0.2, 2, 3)
    assert board["success_share"] == pytest.approx(2 / 3)
    figure = next(row for row in await asked(store, "endpoint-figures") if row["metric"] == "ttft")
    assert (figure["p50"], figure["n"], figure["newest"]) == (0.2, 2, NOON - timedelta(hours=1))
    assert (figure["window_start"], figure["window_end"]) == (NOON - 3 * DAY, NOON)
    assert figure["definition"] == Definitions().id
    failures = await asked(store, "failures-by-class")
    assert [(row["class"], row["n"]) for row in failures] == [("server-error", 1)]


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(1, 10**7), min_size=1, max_size=9))
async def test_quantiles_are_exact(store: ClickHouseStore, ttfts_us: list[int]) -> None:
    """P50 is the exact median, P5 to P95 interpolate between neighbours as (n - 1) p says."""
    for table in ("attempts", "checkpoints", "runs", "planned_attempts", "timelines", "events"):
        await store.execute(f"TRUNCATE TABLE {table}")
    log = opened()
    log.run(NOON - DAY, *({"ttft_s": us / 1e6} for us in ttfts_us))
    await folded(store, log)
    figure = next(row for row in await asked(store, "endpoint-figures") if row["metric"] == "ttft")
    assert figure["n"] == len(ttfts_us)
    assert figure["p50"] == pytest.approx(median(ttfts_us) / 1e6, rel=1e-12)
    ordered = sorted(ttfts_us)
    for name, level in (("p5", 5), ("p25", 25), ("p75", 75), ("p95", 95)):
        place = Fraction(level, 100) * (len(ordered) - 1)
        low, part = math.floor(place), place - math.floor(place)
        high = min(low + 1, len(ordered) - 1)
        exact = ordered[low] + part * (ordered[high] - ordered[low])
        assert figure[name] == pytest.approx(float(exact) / 1e6, rel=1e-9)


@pytest.mark.parametrize(("workload", "days"), [("text-10k", 3), ("text-1k", 3), ("text-100k", 14)])
async def test_windows_have_the_workloads_length(store: ClickHouseStore, workload: str, days: int) -> None:
    """A figure looks back 72 h, for text-100k 14 days: the begin is outside, the end inside."""
    log = opened()
    log.run(NOON - days * DAY, {"ttft_s": 9.0}, workload=workload)
    log.run(NOON - days * DAY + timedelta(microseconds=1), {"ttft_s": 1.0}, workload=workload)
    log.run(NOON, {"ttft_s": 2.0}, workload=workload)
    log.run(NOON + timedelta(microseconds=1), {"ttft_s": 9.0}, workload=workload)
    await folded(store, log)
    board = (await asked(store, "leaderboard"))[0]
    assert (board["ttft_p50"], board["n"]) == (1.5, 2)
    assert board["window_start"] == NOON - days * DAY


async def test_the_rolling_median_is_the_figure_at_each_moment(store: ClickHouseStore) -> None:
    """Each point of a series equals the figure that was published at that moment."""
    log = opened()
    for step in range(40):
        at = NOON - 10 * DAY + timedelta(hours=6 * step)
        for workload in ("text-10k", "text-100k"):
            log.run(at, {"ttft_s": 0.1 + (step * 7 % 13) / 10, "speed": 50.0 + step}, workload=workload)
    await folded(store, log)
    start = NOON - 5 * DAY
    for metric, query in (("ttft", "ttft-over-time"), ("output-speed", "output-speed-over-time")):
        points = await asked(store, query, start=start, end=NOON, step_s=12 * 3600)
        assert len(points) == 22
        assert {row["time"] for row in points} == {start + timedelta(hours=12 * n) for n in range(11)}
        for moment in (start, start + DAY, NOON):
            published = {
                row["workload"]: row
                for row in await asked(store, "endpoint-figures", end=moment)
                if row["metric"] == metric
            }
            for point in points:
                if point["time"] == moment:
                    figure = published[point["workload"]]
                    assert (point["p50"], point["n"]) == (figure["p50"], figure["n"])
                    assert point["newest_age_s"] == (moment - figure["newest"]).total_seconds()


async def test_short_answers_stay_in_ttft_alone(store: ClickHouseStore) -> None:
    """An answer below the workload's minimum counts for TTFT, and not for speed, end-to-end and total."""
    log = opened()
    log.run(NOON - DAY, {"ttft_s": 1.0, "speed": 10.0, "min_output_tokens": 5000}, {"ttft_s": 3.0, "speed": 80.0})
    await folded(store, log)
    board = (await asked(store, "leaderboard"))[0]
    assert (board["ttft_p50"], board["output_speed_p50"]) == (2.0, 80.0)
    assert board["below_minimum_share"] == 0.5
    counts = {row["metric"]: row["n"] for row in await asked(store, "endpoint-figures")}
    assert counts == {"ttft": 2, "ttfat": 2, "output-speed": 1, "end-to-end": 1, "total-100": 1}


async def test_only_measuring_accounts_make_figures(store: ClickHouseStore) -> None:
    """Without a choice of accounts only measuring ones count; a chosen account counts whatever its role."""
    log = opened()
    log.run(NOON - DAY, {"ttft_s": 1.0}, {"ttft_s": 5.0, **CONTROL})
    await folded(store, log)
    assert [row["ttft_p50"] for row in await asked(store, "leaderboard")] == [1.0]
    assert [row["ttft_p50"] for row in await asked(store, "leaderboard", account="guest")] == [5.0]
    both = await asked(store, "leaderboard", account=["guest", "main"])
    assert {(row["account"], row["ttft_p50"]) for row in both} == {("main", 1.0), ("guest", 5.0)}


async def test_filters_take_values_as_they_are(store: ClickHouseStore) -> None:
    """Each common parameter narrows the answer to its values; a quote in a value finds nothing and breaks nothing."""
    log = opened()
    log.run(NOON - DAY, {}, {"endpoint": "deep"})
    await folded(store, log)
    for name, value in (
        ("vantage", "vienna"),
        ("provider", "amber"),
        ("endpoint", "mini"),
        ("workload", "text-10k"),
        ("scenario", "single"),
    ):
        assert {row[name] for row in await asked(store, "leaderboard", **{name: value})} == {value}
        assert await asked(store, "leaderboard", **{name: "o'Neill\\"}) == []


async def test_calibration_enters_no_public_figure(store: ClickHouseStore) -> None:
    """Attempts of a calibration run are in no published figure."""
    log = opened()
    log.run(NOON - DAY, {"ttft_s": 5.0}, trigger="calibration")
    log.run(NOON - DAY, {"ttft_s": 1.0}, trigger="command")
    await folded(store, log)
    assert [(row["ttft_p50"], row["n"]) for row in await asked(store, "leaderboard")] == [(1.0, 1)]


async def test_what_we_ended_is_no_fault_of_a_service(store: ClickHouseStore) -> None:
    """Cancelled, not completed and locally refused attempts do not lower the success share."""
    log = opened()
    log.run(
        NOON - DAY,
        {},
        {"failure_kind": "stopping", "status": "cancelled"},
        {"failure_kind": "crash", "status": "not-completed"},
        {"failure_kind": "refused-locally"},
        {"failure_kind": "rate-limited"},
    )
    await folded(store, log)
    board = (await asked(store, "leaderboard"))[0]
    assert (board["attempts"], board["success_share"], board["rate_limited_share"]) == (2, 0.5, 0.5)


async def test_total_for_100_tokens_with_hidden_reasoning_rests_on_an_assumption(store: ClickHouseStore) -> None:
    """With hidden reasoning the total is TTFT + 2,000 / speed + 100 / speed, marked as assumed."""
    log = opened()
    log.run(NOON - DAY, {"endpoint": "deep", "ttft_s": 2.0, "speed": 50.0}, {"ttft_s": 2.0, "speed": 50.0})
    await folded(store, log)
    totals = {
        row["endpoint"]: (row["p50"], row["assumed"])
        for row in await asked(store, "endpoint-figures")
        if row["metric"] == "total-100"
    }
    assert totals["deep"] == (pytest.approx(2 + 2000 / 50 + 100 / 50), True)
    assert totals["mini"] == (pytest.approx(2 + 100 / 50), False)
    board = {row["endpoint"]: row["total_assumed"] for row in await asked(store, "leaderboard")}
    assert board == {"deep": True, "mini": False}


async def test_total_for_100_tokens_with_shown_reasoning_starts_at_the_answer(store: ClickHouseStore) -> None:
    """With shown reasoning TTFAT takes TTFT's place in the total."""
    log = opened()
    thinking = steady(1.0, 100.0, 200, Channel.REASONING)
    answering = [structs_free(row, 3.0) for row in steady(0.0, 100.0, 200)]
    log.run(NOON - DAY, {"endpoint": "seen", "timeline_rows": [*thinking, *answering]})
    await folded(store, log)
    figures = {row["metric"]: row for row in await asked(store, "endpoint-figures")}
    speed = figures["output-speed"]["p50"]
    assert (figures["ttft"]["p50"], figures["ttfat"]["p50"]) == (1.0, 3.0)
    assert figures["total-100"]["p50"] == pytest.approx(3.0 + 100 / speed)
    assert figures["total-100"]["assumed"] is False


def structs_free(row: Any, later_s: float) -> Any:
    """Move a row of a timeline."""
    return row._replace(elapsed_us=row.elapsed_us + round(later_s * 1e6))


def asked_to_reason(log: MadeLog, at: datetime, prompt: int, tokens: int | None, **other: Any) -> None:
    usage = None if tokens is None else UsageReported(input_tokens=10, output_tokens=50, reasoning_tokens=tokens)
    fields = {"endpoint": "deep", "suite": "reasoning", "workload": "reasoning", "usage": usage, **other}
    log.add(answered(at, prompt_task=f"prompt-{prompt}", **fields), at)


async def test_average_reasoning_needs_sixty_distinct_prompts(store: ClickHouseStore) -> None:
    """Below 60 distinct prompts 2,000 stands in and says so; from 60 on the mean over prompts is used."""
    log = opened()
    for prompt in range(59):
        asked_to_reason(log, NOON - DAY, prompt, 100)
        asked_to_reason(log, NOON - DAY, prompt, 300)
    log.run(NOON - DAY, {"endpoint": "deep", "ttft_s": 1.0, "speed": 100.0})
    await folded(store, log)
    deep = next(row for row in await asked(store, "reasoning-tokens") if row["endpoint"] == "deep")
    assert (deep["average"], deep["assumed"], deep["measured_average"]) == (2000, True, 200)
    assert (deep["prompts"], deep["needed_prompts"]) == (59, 60)
    asked_to_reason(log, NOON - DAY, 59, 800)
    asked_to_reason(log, NOON - DAY, 60, None)
    await folded(store, log)
    deep = next(row for row in await asked(store, "reasoning-tokens") if row["endpoint"] == "deep")
    assert (deep["average"], deep["assumed"]) == (pytest.approx((59 * 200 + 800) / 60), False)
    total = next(row for row in await asked(store, "endpoint-figures") if row["metric"] == "total-100")
    assert total["p50"] == pytest.approx(1 + (210 + 100) / 100)
    assert total["assumed"] is False


async def test_shown_reasoning_is_counted_not_believed(store: ClickHouseStore) -> None:
    """Where thinking is shown its tokens are counted from the text, whatever usage says."""
    log = opened()
    thinking = rows((1.0, Channel.REASONING, 40), (2.0, Channel.REASONING, 2), (3.0, Channel.ANSWER, 5))
    asked_to_reason(log, NOON - DAY, 1, 9999, endpoint="seen", timeline_rows=thinking, reasoning=text(42))
    await folded(store, log)
    seen = next(row for row in await asked(store, "reasoning-tokens") if row["endpoint"] == "seen")
    assert seen["measured_average"] == 42


async def test_spend_counts_what_is_known(store: ClickHouseStore) -> None:
    """The sum of costs leaves out attempts of unknown cost, and counts them beside it."""
    log = opened()
    log.run(NOON - DAY, {}, {}, {"usage": None})
    await folded(store, log)
    tiles = (await asked(store, "overview-tiles"))[0]
    assert tiles["spend_usd"] == pytest.approx(float(2 * Decimal("0.0055649")))
    assert tiles["unpriced_attempts"] == 1


async def test_phases_add_up(store: ClickHouseStore) -> None:
    """Waiting, reasoning and answering follow one another; DNS, connect and TLS stand apart."""
    log = opened()
    thinking = steady(1.0, 100.0, 200, Channel.REASONING)
    answering = [structs_free(row, 5.0) for row in steady(0.0, 100.0, 200)]
    log.run(NOON - DAY, {"endpoint": "seen", "timeline_rows": [*thinking, *answering]})
    await folded(store, log)
    phase = (await asked(store, "phases"))[0]
    assert (phase["dns_s"], phase["connect_s"], phase["tls_s"]) == (0.001, 0.002, 0.003)
    assert (phase["waiting_s"], phase["reasoning_s"]) == (1.0, 4.0)
    assert phase["answering_s"] == pytest.approx(1.901)
    assert phase["first_byte_s"] == 0.01


async def test_parallel_stands_beside_single(store: ClickHouseStore) -> None:
    """Ten at once are compared with single requests of the same workload."""
    log = opened()
    log.run(NOON - DAY, {"ttft_s": 1.0, "speed": 100.0}, workload="text-1k")
    crowd = {"ttft_s": 2.0, "speed": 50.0, "scenario": "parallel-10"}
    log.run(NOON - DAY, *({**crowd, "ordinal": n} for n in range(10)), workload="text-1k")
    log.run(NOON - DAY, {}, workload="text-10k")
    await folded(store, log)
    both = await asked(store, "parallel-against-single")
    assert [(row["workload"], row["single_n"], row["parallel_n"]) for row in both] == [("text-1k", 1, 10)]
    assert (both[0]["ttft_ratio"], both[0]["speed_ratio"]) == (2.0, 0.5)


async def test_counted_and_billed_tokens_stand_side_by_side(store: ClickHouseStore) -> None:
    """Both token counts are sums over the same attempts, and attempts without usage are in neither."""
    log = opened()
    usage = UsageReported(input_tokens=11_000, output_tokens=1100, cached_input_tokens=0)
    log.run(NOON - DAY, {"usage": usage}, {"usage": None})
    await folded(store, log)
    tokens = (await asked(store, "counted-against-billed"))[0]
    assert (tokens["counted_input"], tokens["billed_input"], tokens["input_ratio"]) == (10_000, 11_000, 1.1)
    assert (tokens["counted_output"], tokens["billed_output"], tokens["n"]) == (1000, 1100, 1)


async def test_slots_are_counted_by_what_became_of_them(store: ClickHouseStore) -> None:
    """Slots run in time, late, missed and skipped are told apart, and planned attempts from ended ones."""
    log = opened()
    log.run(NOON - DAY, {}, {})
    log.run(NOON - timedelta(hours=9), {}, late=True)
    for hours, reason in ((6, "missed"), (3, "over-budget")):
        nominal = NOON - timedelta(hours=hours)
        log.add(
            SlotSkipped(
                slot=f"text-10k@{nominal:%H}",
                workload="text-10k",
                scenario="single",
                nominal_ns=round(nominal.timestamp()) * 10**9,
                reason=reason,  # type: ignore[arg-type]
            )
        )
    log.run(NOON - timedelta(hours=1), {}, {})
    del log.events[-1]
    await folded(store, log)
    slots = (await asked(store, "slots"))[0]
    assert [slots[name] for name in ("slots", "run", "late", "missed", "skipped")] == [5, 3, 1, 1, 1]
    assert (slots["planned_attempts"], slots["ended_attempts"]) == (5, 4)
    states = [row["state"] for row in await asked(store, "last-slots")]
    assert states == ["in-time", "over-budget", "missed", "late", "in-time"]


async def test_one_attempt_is_found_with_its_timeline_and_events(store: ClickHouseStore) -> None:
    """An attempt's facts, its reads and its events, its run's plan included, are found by its identifier."""
    log = opened()
    first, _ = log.run(NOON - DAY, {"ttft_s": 0.5, "speed": 100.0}, {})
    await folded(store, log)
    facts = (await asked(store, "attempt", attempt=str(first)))[0]
    assert (facts["attempt"], facts["ttft_us"], facts["cost_usd"]) == (str(first), 500_000, 0.0055649)
    timeline = (await asked(store, "attempt-timeline", attempt=first))[0]
    assert timeline["elapsed_us"][:2] == [500_000, 600_000]
    assert set(timeline["channel"]) == {int(Channel.ANSWER)}
    assert timeline["answer"] == "yes"
    events = await asked(store, "attempt-events", attempt=first)
    assert [row["type"] for row in events] == ["run-planned", "request-sent", "attempt-completed"]
    assert '"text":null' in events[-1]["json"]
    assert '"text":"yes"' not in events[-1]["json"]


async def test_the_newest_catalogue_counts(store: ClickHouseStore) -> None:
    """Endpoints and prices are those of each source's newest declaration; older ones are out of sight."""
    log = opened()
    log.declare(endpoint("new", quantization="int4"), at=NOON - DAY)
    await folded(store, log)
    found = await asked(store, "catalogue")
    assert [(row["endpoint"], row["quantization"], row["input_usd"]) for row in found] == [("new", "int4", 0.5)]


async def test_calibration_figures_come_back(store: ClickHouseStore) -> None:
    """What the instrument found is listed with truth, measurement and error."""
    log = opened()
    figure = CalibrationFigure(
        profile="steady",
        metric="ttft",
        statistic="p50",
        unit="ms",
        n=40,
        truth=100.0,
        measured=100.5,
        error=0.5,
        within_bounds=True,
    )
    done = CalibrationCompleted(
        calibration=UUID(int=9), transport="aiohttp", tls=False, streams=1, figures=(figure,), within_bounds=True
    )
    log.add(done, NOON - DAY)
    await folded(store, log)
    row = (await asked(store, "calibration"))[0]
    assert {name: row[name] for name in structs.asdict(figure)} == structs.asdict(figure)


def calibrated_at(
    calibration: int, error_ms: float, *, tls: bool = False, within: bool = True
) -> CalibrationCompleted:
    figure = CalibrationFigure(
        profile="steady",
        metric="ttft",
        statistic="p50",
        unit="ms",
        n=9,
        truth=100.0,
        measured=100.0 + error_ms,
        error=error_ms,
        within_bounds=within,
    )
    return CalibrationCompleted(
        calibration=UUID(int=calibration),
        transport="aiohttp",
        tls=tls,
        streams=1,
        figures=(figure,),
        within_bounds=within,
    )


def calibrated_history() -> MadeLog:
    """Three runs: within bounds, out of bounds and slower, and uncalibrated, the newest."""
    log = opened()
    log.add(calibrated_at(1, 0.1), NOON - timedelta(hours=9))
    log.run(NOON - timedelta(hours=9), {"ttft_s": 0.1}, calibrated=(UUID(int=1), True, "fresh"))
    log.add(calibrated_at(2, 0.5), NOON - timedelta(hours=6))
    log.add(calibrated_at(2, -2.5, tls=True, within=False), NOON - timedelta(hours=6))
    log.run(NOON - timedelta(hours=6), {"ttft_s": 0.3}, calibrated=(UUID(int=2), False, "fresh"))
    log.run(NOON - timedelta(hours=3), {"ttft_s": 0.5}, calibrated=(None, None, "failed"))
    return log


async def test_figures_carry_their_instruments_error(store: ClickHouseStore) -> None:
    """Beside a median: how many attempts were out of bounds, and the larger TTFT error of the newest calibration."""
    await folded(store, calibrated_history())
    figure = next(row for row in await asked(store, "endpoint-figures") if row["metric"] == "ttft")
    for row in (figure, (await asked(store, "leaderboard"))[0]):
        assert (row["n"], row["calibrated"], row["out_of_bounds"], row["out_of_bounds_share"]) == (3, 2, 1, 0.5)
        assert (row["any_out_of_bounds"], row["instrument_error_ms"]) == (True, -2.5)
    assert figure["p50"] == 0.3, "what was measured out of bounds stays in the median"


@pytest.mark.parametrize(
    ("bounds", "ttft"), [(["within"], 0.1), (["out"], 0.3), (["unknown"], 0.5), (["within", "unknown"], 0.3)]
)
async def test_a_reader_can_leave_verdicts_out(store: ClickHouseStore, bounds: list[str], ttft: float) -> None:
    """The parameter bounds keeps attempts of the verdicts asked for."""
    await folded(store, calibrated_history())
    assert (await asked(store, "leaderboard", bounds=bounds))[0]["ttft_p50"] == pytest.approx(ttft)
    figures = {row["metric"]: row["p50"] for row in await asked(store, "endpoint-figures", bounds=bounds)}
    assert figures["ttft"] == pytest.approx(ttft)


async def test_without_a_calibration_a_figures_error_is_unknown(store: ClickHouseStore) -> None:
    """Counts out of bounds, share, flag and error are None where nothing was calibrated, never 0 and never false."""
    log = opened()
    log.run(NOON - DAY, {})
    await folded(store, log)
    for name in ("leaderboard", "endpoint-figures"):
        row = (await asked(store, name))[0]
        assert row["calibrated"] == 0
        for unknown in ("out_of_bounds", "out_of_bounds_share", "any_out_of_bounds", "instrument_error_ms"):
            assert row[unknown] is None, (name, unknown)
    slots = (await asked(store, "slots"))[0]
    assert (slots["out_of_bounds"], slots["uncalibrated"]) == (None, 1)


async def test_slots_and_attempts_tell_their_calibration(store: ClickHouseStore) -> None:
    """Slots count runs out of bounds and uncalibrated ones; the newest slots and attempts each say which."""
    await folded(store, calibrated_history())
    slots = (await asked(store, "slots"))[0]
    assert (slots["run"], slots["out_of_bounds"], slots["uncalibrated"]) == (3, 1, 1)
    told = [(None, "failed"), (False, "fresh"), (True, "fresh")]
    for name in ("last-slots", "last-attempts"):
        rows_ = await asked(store, name)
        assert [(row["calibration_within_bounds"], row["calibration_basis"]) for row in rows_] == told, name


async def test_calibration_over_time_is_told_by_way_and_streams(store: ClickHouseStore) -> None:
    """Each step has the largest TTFT error of each transport, way and number of streams, with its sign."""
    await folded(store, calibrated_history())
    points = await asked(store, "calibration-over-time", step_s=86400)
    assert [(row["way"], row["at_once"], row["error_ms"], row["out_of_bounds"], row["n"]) for row in points] == [
        ("TLS", "1 stream", -2.5, 1, 1),
        ("plain", "1 stream", 0.5, 0, 2),
    ]


async def test_strain_over_time_holds_what_was_recorded(store: ClickHouseStore) -> None:
    """Longest lateness and pause of a step; attempts that recorded nothing are in no figure."""
    log = opened()
    late = StrainFacts(loop_lag_max_us=900, gc_pauses=2, gc_longest_us=300)
    log.run(NOON - DAY, {"strain": late}, {"strain": StrainFacts(loop_lag_max_us=100)}, {})
    await folded(store, log)
    (point,) = await asked(store, "strain-over-time")
    assert (point["n"], point["loop_lag_max_us"], point["loop_lag_p50_us"]) == (2, 900, 500.0)
    assert (point["gc_pauses"], point["gc_longest_us"], point["user_space_reads"]) == (2, 300, None)


async def test_the_newest_checkpoint_is_told(store: ClickHouseStore) -> None:
    """Size, root and moment of the newest checkpoint up to the chosen end."""
    log = opened()
    log.add(LogCheckpointed(size=2, root=b"\x01" * 32), NOON - DAY)
    log.add(LogCheckpointed(size=3, root=b"\x02" * 32), NOON - timedelta(hours=1))
    await folded(store, log)
    (row,) = await asked(store, "log-checkpoints")
    assert (row["size"], row["root"], row["time"]) == (3, "02" * 32, NOON - timedelta(hours=1))
    (earlier,) = await asked(store, "log-checkpoints", end=NOON - timedelta(hours=2))
    assert earlier["size"] == 2


async def test_the_last_moment_of_a_step_belongs_to_it(store: ClickHouseStore) -> None:
    """An attempt a microsecond before a step's end counts in that step, whatever fraction of a second starts it."""
    start = NOON - DAY + timedelta(microseconds=600_000)
    log = opened()
    log.run(start + timedelta(hours=3) - timedelta(microseconds=1), {"ttft_s": 0.1})
    log.run(start + timedelta(hours=3), {"ttft_s": 0.1})
    await folded(store, log)
    found = await asked(store, "availability", start=start, step_s=3 * 3600)
    assert [(row["time"], row["n"]) for row in found if row["n"]] == [(start, 1), (start + timedelta(hours=3), 1)]
