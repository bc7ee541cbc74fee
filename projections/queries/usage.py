"""What usage tells: cost as reported beside cost by price, and what a repeated prefix gets from a cache."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, label, measured, number, text, time
from projections.queries.fragments import (
    END,
    FILTERED,
    FILTERED_OF_ALL,
    FILTERS,
    FROM_START,
    IN_SPAN,
    IN_WINDOW,
    OWN_NAMES,
    PROVENANCE,
    START,
    TO_END,
    TTFT_S,
    WINDOW,
    quantile,
)
from schemas.metrics import stated

_WHO: Final = "vantage, provider, endpoint, account"
_WHO_COLUMNS: Final = (label("vantage"), label("provider"), label("endpoint"), label("account"))
_BOTH: Final = "cost_reported_usd IS NOT NULL AND cost_usd IS NOT NULL"

COSTS: Final = NamedQuery(
    name="cost-reported-against-priced",
    title="Cost reported and cost by price",
    all_accounts=True,
    description=f"Sums over the attempts of the span, by all accounts and whatever their outcome, for which both "
    f"costs are known. "
    f"Difference: {stated('cost-difference')} Attempts for which one or both are unknown are counted beside it.",
    shape="table",
    parameters=(START, END, *FILTERS),
    columns=(
        *_WHO_COLUMNS,
        label("workload"),
        measured("reported_usd", "cost-reported", "cost as the provider reports it"),
        measured("priced_usd", "cost", "cost of the same attempts by the prices in force"),
        measured("difference_usd", "cost-difference", "reported minus priced"),
        number("difference_share", "share", "difference over the priced cost", metric_id="cost-difference"),
        measured("largest_difference_usd", "cost-difference", "of the attempt where it is farthest from 0"),
        number("reported_alone", "attempts", "attempts whose cost is reported and whose price is unknown"),
        number("priced_alone", "attempts", "attempts whose price is known and whose cost is not reported"),
        *PROVENANCE,
    ),
    sql=f"""
SELECT {_WHO}, workload,
       toFloat64(sumOrNullIf(cost_reported_usd, {_BOTH})) AS reported_usd,
       toFloat64(sumOrNullIf(cost_usd, {_BOTH})) AS priced_usd,
       toFloat64(sumOrNull(cost_reported_usd - cost_usd)) AS difference_usd,
       difference_usd / nullIf(priced_usd, 0) AS difference_share,
       toFloat64(argMaxOrNull(cost_reported_usd - cost_usd, abs(cost_reported_usd - cost_usd)))
           AS largest_difference_usd,
       countIf(cost_reported_usd IS NOT NULL AND cost_usd IS NULL) AS reported_alone,
       countIf(cost_reported_usd IS NULL AND cost_usd IS NOT NULL) AS priced_alone,
       countIf({_BOTH}) AS n, {FROM_START} AS window_start, {TO_END} AS window_end,
       any(definition) AS definition, max(time) AS newest
FROM (SELECT * FROM attempts FINAL
      WHERE (cost_reported_usd IS NOT NULL OR cost_usd IS NOT NULL) AND {FILTERED_OF_ALL} AND {IN_SPAN})
GROUP BY {_WHO}, workload
ORDER BY {_WHO}, workload
{OWN_NAMES}
""",
)

_OF_ANY_WORKLOAD: Final = FILTERED.replace("{scenario:Array(String)}", "emptyArrayString()").replace(
    "{workload:Array(String)}", "emptyArrayString()"
)
_CACHE: Final = "suite = 'cache' AND scenario = 'single' AND outcome = 'ok'"

CACHE_HITS: Final = NamedQuery(
    name="cache-hits",
    title="What a cache serves",
    description="The same long prefix sent twice in a row: second requests, beside the first ones of the same "
    "run, when both came to complete answers; over the workload's window that ends at the chosen end, 14 days. Share "
    f"from a cache: {stated('cached-share')} A share is None where a provider does not report cached tokens.",
    shape="table",
    parameters=(END, *(parameter for parameter in FILTERS if parameter.name not in {"workload", "scenario"})),
    columns=(
        *_WHO_COLUMNS,
        measured("cached_share", "cached-share", "of the second request's input, from a cache"),
        measured("hit_share", "cache-hit-share", "second requests with any cached input"),
        measured(
            "first_cached_share", "cached-share", "of the first request's input; anything but 0 tells of a flaw"
        ),
        measured("first_ttft_p50", "ttft", "median of first requests"),
        measured("second_ttft_p50", "ttft", "median of second requests"),
        number("ttft_ratio", "ratio", "second over first", metric_id="ttft"),
        number("reporting", "pairs", "pairs whose second request reports cached tokens"),
        number("n", "pairs", "pairs of complete answers"),
        time("begin of the window", "window_start"),
        time("end of the window", "window_end"),
        text("definition", "definitions that the figures were made with"),
        time("newest pair", "newest"),
    ),
    sql=f"""
SELECT {_WHO},
       sumIf(usage_cached_tokens, usage_input_tokens IS NOT NULL)
           / nullIf(sumIf(usage_input_tokens, usage_cached_tokens IS NOT NULL), 0) AS cached_share,
       if(reporting = 0, NULL, countIf(usage_cached_tokens > 0) / reporting) AS hit_share,
       sumIf(first_cached_tokens, first_input_tokens IS NOT NULL)
           / nullIf(sumIf(first_input_tokens, first_cached_tokens IS NOT NULL), 0) AS first_cached_share,
       {quantile(0.5, "first_ttft_us / 1e6")} AS first_ttft_p50, {quantile(0.5, TTFT_S)} AS second_ttft_p50,
       second_ttft_p50 / nullIf(first_ttft_p50, 0) AS ttft_ratio,
       countIf(usage_cached_tokens IS NOT NULL) AS reporting, count() AS n,
       {TO_END} - toIntervalSecond(any({WINDOW})) AS window_start, {TO_END} AS window_end,
       any(definition) AS definition, max(time) AS newest
FROM (SELECT * FROM attempts FINAL
      WHERE {_CACHE} AND ordinal = 1 AND {_OF_ANY_WORKLOAD} AND {IN_WINDOW}) AS s
INNER JOIN (
    SELECT run AS first_run, endpoint AS first_endpoint, account AS first_account, ttft_us AS first_ttft_us,
           usage_cached_tokens AS first_cached_tokens, usage_input_tokens AS first_input_tokens
    FROM attempts FINAL WHERE {_CACHE} AND ordinal = 0
) AS f ON f.first_run = run AND f.first_endpoint = endpoint AND f.first_account = account
GROUP BY {_WHO}
ORDER BY {_WHO}
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (COSTS, CACHE_HITS)
