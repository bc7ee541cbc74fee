"""Is anything wrong, and where: tiles, availability, failures."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, label, measured, number, text, time
from projections.queries.fragments import (
    COUNTS,
    END,
    FILTERED,
    FILTERED_OF_ALL,
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
    "costs by the prices in force, over the requests of all accounts, control accounts included; those of unknown "
    "cost are counted beside it, not as zero.",
    shape="record",
    parameters=(END, *FILTERS),
    columns=(
        number("attempts", "attempts", "attempts sent and not ended by us"),
        measured("success_share", "success-share", "complete answers among them"),
        measured("rate_limited_share", "rate-limited-share", "refused for their rate among them"),
        measured("ttft_p50", "ttft", "median time to first token"),
        measured("output_speed_p50", "output-speed", "median output speed"),
        number("requests", "attempts", "attempts sent by all accounts and not ended by us", all_accounts=True),
        measured(
            "spend_usd",
            "cost",
            "what they cost by the prices in force; none when no cost is known",
            all_accounts=True,
        ),
        number("unpriced_attempts", "attempts", "of them those whose cost is unknown", all_accounts=True),
        number("endpoints", "endpoints", "endpoints measured"),
        text("stalest_endpoint", "endpoint whose newest attempt is oldest"),
        time("its newest attempt", "stalest_newest"),
        *PROVENANCE,
    ),
    sql=f"""
SELECT countIf(shown) AS attempts,
       if(attempts = 0, NULL, countIf(shown AND outcome = 'ok') / attempts) AS success_share,
       if(attempts = 0, NULL, countIf(shown AND outcome = 'rate-limited') / attempts) AS rate_limited_share,
       {quantile(0.5, f"if(shown, {TTFT_S}, NULL)")} AS ttft_p50,
       {quantile(0.5, f"if(shown, {SPEED}, NULL)")} AS output_speed_p50,
       count() AS requests,
       toFloat64(sumOrNull(cost_usd)) AS spend_usd, countIf(cost_usd IS NULL) AS unpriced_attempts,
       uniqExactIf(endpoint, shown) AS endpoints,
       argMinOrNullIf(endpoint, newest_of, shown) AS stalest_endpoint,
       minOrNullIf(newest_of, shown) AS stalest_newest,
       countIf(shown AND outcome = 'ok') AS n,
       {TO_END} - toIntervalSecond(greatest(max({WINDOW}), {USUAL_WINDOW_S})) AS window_start, {TO_END} AS window_end,
       anyOrNullIf(definition, shown) AS definition, maxOrNullIf(time, shown) AS newest
FROM (
    SELECT *, {FILTERED} AS shown, max(time) OVER (PARTITION BY endpoint, shown) AS newest_of FROM attempts FINAL
    WHERE {PERFORMANCE} AND {COUNTS} AND {FILTERED_OF_ALL} AND {IN_WINDOW}
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
