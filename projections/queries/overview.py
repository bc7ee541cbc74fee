"""Is anything wrong, and where: tiles, availability, failures."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, label, measured, number, text, time
from projections.queries.fragments import (
    COUNTS,
    END,
    FILTERED,
    FILTERS,
    IN_SPAN,
    IN_WINDOW,
    OWN_NAMES,
    PERFORMANCE,
    PROVENANCE,
    SPEED,
    START,
    STEP,
    STEP_START,
    TO_END,
    TTFT_S,
    USUAL_WINDOW_S,
    WINDOW,
    quantile,
)
from schemas.metrics import stated

TILES: Final = NamedQuery(
    name="overview-tiles",
    title="At a glance",
    description="Over the workload's window that ends at the chosen end (72 h, text-100k: 14 days). Success: "
    f"{stated('success-share')} Spend is the sum of "
    "costs by the prices in force; attempts of unknown cost are counted beside it, not as zero.",
    shape="record",
    parameters=(END, *FILTERS),
    columns=(
        number("attempts", "attempts", "attempts sent and not ended by us"),
        measured("success_share", "success-share", "complete answers among them"),
        measured("rate_limited_share", "rate-limited-share", "refused for their rate among them"),
        measured("ttft_p50", "ttft", "median time to first token"),
        measured("output_speed_p50", "output-speed", "median output speed"),
        measured("spend_usd", "cost", "cost by the prices in force; none when no attempt's cost is known"),
        number("unpriced_attempts", "attempts", "attempts whose cost is unknown"),
        number("endpoints", "endpoints", "endpoints measured"),
        text("stalest_endpoint", "endpoint whose newest attempt is oldest"),
        time("its newest attempt", "stalest_newest"),
        *PROVENANCE,
    ),
    sql=f"""
SELECT count() AS attempts, if(count() = 0, NULL, countIf(outcome = 'ok') / count()) AS success_share,
       if(count() = 0, NULL, countIf(outcome = 'rate-limited') / count()) AS rate_limited_share,
       {quantile(0.5, TTFT_S)} AS ttft_p50, {quantile(0.5, SPEED)} AS output_speed_p50,
       toFloat64(sumOrNull(cost_usd)) AS spend_usd, countIf(cost_usd IS NULL) AS unpriced_attempts,
       uniqExact(endpoint) AS endpoints,
       argMinOrNull(endpoint, newest_of) AS stalest_endpoint, minOrNull(newest_of) AS stalest_newest,
       countIf(outcome = 'ok') AS n,
       {TO_END} - toIntervalSecond(greatest(max({WINDOW}), {USUAL_WINDOW_S})) AS window_start, {TO_END} AS window_end,
       anyOrNull(definition) AS definition, maxOrNull(time) AS newest
FROM (
    SELECT *, max(time) OVER (PARTITION BY endpoint) AS newest_of FROM attempts FINAL
    WHERE {PERFORMANCE} AND {COUNTS} AND {FILTERED} AND {IN_WINDOW}
)
{OWN_NAMES}
""",
)

AVAILABILITY: Final = NamedQuery(
    name="availability",
    title="Availability",
    description=f"Attempts by outcome in each step. Success: {stated('success-share')} "
    "Steps without an attempt have no row: absence of data is not success.",
    shape="series",
    parameters=(START, END, STEP, *FILTERS),
    columns=(
        time("begin of the step"),
        label("vantage"),
        label("provider"),
        label("endpoint"),
        text("definition", "definitions that outcomes were decided by"),
        measured("success_share", "success-share", "complete answers among the attempts"),
        number("n", "attempts", "attempts that count"),
        number("ok", "attempts", "complete answers"),
        number("rate_limited", "attempts", "refused for their rate"),
        number("truncated", "attempts", "answers cut off"),
        number("empty", "attempts", "answers without a token"),
        number("failed", "attempts", "all other failures"),
    ),
    sql=f"""
SELECT {STEP_START} AS time,
       vantage, provider, endpoint, any(definition) AS definition,
       countIf(outcome = 'ok') / count() AS success_share, count() AS n,
       countIf(outcome = 'ok') AS ok, countIf(outcome = 'rate-limited') AS rate_limited,
       countIf(outcome = 'truncated') AS truncated, countIf(outcome = 'empty') AS empty,
       countIf(outcome = 'failed') AS failed
FROM (SELECT * EXCEPT time, time AS at FROM attempts FINAL WHERE {COUNTS} AND {FILTERED} AND {IN_SPAN})
GROUP BY time, vantage, provider, endpoint
ORDER BY time, vantage, provider, endpoint
{OWN_NAMES}
""",
)

FAILURES: Final = NamedQuery(
    name="failures-by-class",
    title="Failures by class",
    description="Attempts that came to no complete answer, by step and class of failure. Cancelled and not completed "
    "ones are shown, and are no fault of a service.",
    shape="series",
    parameters=(START, END, STEP, *FILTERS),
    columns=(
        time("begin of the step"),
        label("class", "class of the failure"),
        text("definition", "definitions that outcomes were decided by"),
        number("n", "attempts", "attempts that failed so"),
    ),
    sql=f"""
SELECT {STEP_START} AS time,
       ifNull(failure, outcome) AS class, any(definition) AS definition, count() AS n
FROM (SELECT * EXCEPT time, time AS at FROM attempts FINAL WHERE outcome != 'ok' AND {FILTERED} AND {IN_SPAN})
GROUP BY time, class
ORDER BY time, class
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (TILES, AVAILABILITY, FAILURES)
