"""Published figures over the workload's window: per endpoint, on the leaderboard, and what they rest on."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, flag, label, measured, number, text, time
from projections.queries.fragments import (
    BOUNDS,
    COUNTS,
    DEFINITION_VALUES,
    END,
    END_TO_END_S,
    FILTERED,
    FILTERS,
    GROUP,
    IN_BOUNDS,
    IN_WINDOW,
    INSTRUMENT,
    LONG_ENOUGH,
    OWN_NAMES,
    P50_SAYS,
    PERFORMANCE,
    PROVENANCE,
    REASONING_AVERAGES,
    SERIES_LABELS,
    SPEED,
    TO_END,
    TOTAL_100_S,
    TTFAT_S,
    TTFT_S,
    WINDOW,
    WITH_INSTRUMENT,
    WITH_REASONING,
    instrument,
    quantile,
)
from schemas.metrics import metric, stated

_QUANTILES: Final[tuple[tuple[str, float], ...]] = (
    ("p5", 0.05),
    ("p25", 0.25),
    ("p50", 0.5),
    ("p75", 0.75),
    ("p95", 0.95),
)

_WINDOW_SAYS: Final = "over the workload's window that ends at the chosen end: 72 h, for text-100k 14 days."
_EXPRESSIONS: Final = {
    "ttft": TTFT_S,
    "ttfat": TTFAT_S,
    "output-speed": SPEED,
    "end-to-end": END_TO_END_S,
    "total-100": f"if({LONG_ENOUGH}, {TOTAL_100_S}, NULL)",
}
_METRICS: Final = (
    "[" + ", ".join(f"('{name}', '{metric(name).unit}', {value})" for name, value in _EXPRESSIONS.items()) + "]"
)

ENDPOINT_FIGURES: Final = NamedQuery(
    name="endpoint-figures",
    title="Figures of each endpoint",
    description=(
        f"TTFT, TTFAT, output speed, end-to-end and total response time for 100 tokens {_WINDOW_SAYS} {P50_SAYS} "
        f"Total for 100 tokens: {stated('total-100')}"
    ),
    shape="table",
    parameters=(END, BOUNDS, *FILTERS),
    columns=(
        *SERIES_LABELS,
        label("metric", ", ".join(_EXPRESSIONS)),
        label("unit", "s or tokens/s"),
        *(number(name, "as the column unit says", f"{name.upper()} of the attempts") for name, _ in _QUANTILES),
        flag("assumed", "rests on the assumed count of reasoning tokens"),
        flag("simulated", "reference endpoint or simulated clock"),
        *INSTRUMENT,
        *PROVENANCE,
    ),
    sql=f"""
SELECT {GROUP}, figure.1 AS metric, figure.2 AS unit,
       {", ".join(f"{quantile(level, 'figure.3')} AS {name}" for name, level in _QUANTILES)},
       metric = 'total-100' AND max(ifNull(reasoning_hidden, false) AND reasoning_assumed) AS assumed,
       max(simulated) AS simulated, {instrument("figure.3 IS NOT NULL")},
       countIf(figure.3 IS NOT NULL) AS n,
       {TO_END} - toIntervalSecond(any({WINDOW})) AS window_start, {TO_END} AS window_end,
       any(definition) AS definition,
       maxIf(toNullable(time), figure.3 IS NOT NULL) AS newest
FROM (SELECT * FROM ({WITH_REASONING} {WITH_INSTRUMENT})
      WHERE {PERFORMANCE} AND outcome = 'ok' AND {FILTERED} AND {IN_WINDOW} AND {IN_BOUNDS})
ARRAY JOIN {_METRICS} AS figure
GROUP BY {GROUP}, metric, unit
ORDER BY {GROUP}, metric
{OWN_NAMES}
""",
)


LEADERBOARD: Final = NamedQuery(
    name="leaderboard",
    title="Leaderboard",
    description=f"P50s, success and rate-limited share {_WINDOW_SAYS} {P50_SAYS} Success: {stated('success-share')}",
    shape="table",
    parameters=(END, BOUNDS, *FILTERS),
    columns=(
        *SERIES_LABELS,
        label("model"),
        label("region", "endpoint's region where known"),
        label("quantization", "as the provider states it; empty where unknown"),
        measured("ttft_p50", "ttft", "time to first token"),
        measured("ttfat_p50", "ttfat", "time to first answer token"),
        measured("output_speed_p50", "output-speed", "output speed"),
        measured("end_to_end_p50", "end-to-end", "end-to-end response time"),
        measured("total_100_p50", "total-100", "total response time for 100 tokens"),
        flag("total_assumed", "the total rests on the assumed count of reasoning tokens"),
        number("attempts", "attempts", "attempts sent and not ended by us"),
        measured("success_share", "success-share", "complete answers among them"),
        measured("rate_limited_share", "rate-limited-share", "refused for their rate among them"),
        measured(
            "below_minimum_share",
            "below-minimum-share",
            "answers shorter than the workload's minimum, among complete ones",
        ),
        flag("simulated", "reference endpoint or simulated clock"),
        *INSTRUMENT,
        *PROVENANCE,
    ),
    sql=f"""
SELECT {GROUP}, anyLast(model) AS model, anyLast(region) AS region,
       anyLast(quantization) AS quantization,
       {quantile(0.5, TTFT_S)} AS ttft_p50, {quantile(0.5, TTFAT_S)} AS ttfat_p50,
       {quantile(0.5, SPEED)} AS output_speed_p50, {quantile(0.5, END_TO_END_S)} AS end_to_end_p50,
       {quantile(0.5, f"if({LONG_ENOUGH}, {TOTAL_100_S}, NULL)")} AS total_100_p50,
       max(ifNull(reasoning_hidden, false) AND reasoning_assumed) AS total_assumed,
       count() AS attempts, countIf(outcome = 'ok') / count() AS success_share,
       countIf(outcome = 'rate-limited') / count() AS rate_limited_share,
       if(countIf(outcome = 'ok') = 0, NULL,
          countIf(outcome = 'ok' AND ifNull(below_minimum, false)) / countIf(outcome = 'ok')) AS below_minimum_share,
       max(simulated) AS simulated, {instrument("outcome = 'ok'")}, countIf(outcome = 'ok') AS n,
       {TO_END} - toIntervalSecond(any({WINDOW})) AS window_start, {TO_END} AS window_end,
       any(definition) AS definition, max(time) AS newest
FROM (SELECT * FROM ({WITH_REASONING} {WITH_INSTRUMENT})
      WHERE {PERFORMANCE} AND {COUNTS} AND {FILTERED} AND {IN_WINDOW} AND {IN_BOUNDS})
GROUP BY {GROUP}
ORDER BY workload, scenario, output_speed_p50 IS NULL, output_speed_p50 DESC, endpoint
{OWN_NAMES}
""",
)

REASONING_TOKENS: Final = NamedQuery(
    name="reasoning-tokens",
    title="Average reasoning tokens",
    description=stated("reasoning-tokens"),
    shape="table",
    parameters=(END, *(parameter for parameter in FILTERS if parameter.name in {"vantage", "provider", "endpoint"})),
    columns=(
        label("vantage"),
        label("provider"),
        label("endpoint"),
        measured("average", "reasoning-tokens", "average that other figures use"),
        flag("assumed", "not measured: the assumed value stands in"),
        measured("measured_average", "reasoning-tokens", "mean of what was measured so far"),
        number("prompts", "prompts", "distinct prompts measured"),
        number("needed_prompts", "prompts", "distinct prompts that a measured average needs"),
        text("definition", "definitions that the figures were made with"),
        time("newest attempt of the endpoint", "newest"),
    ),
    sql=f"""
SELECT vantage, provider, endpoint,
       if(measured_prompts >= reasoning_sample_prompts, measured_average, assumed_reasoning_tokens) AS average,
       measured_prompts < reasoning_sample_prompts AS assumed, measured_average, measured_prompts AS prompts,
       reasoning_sample_prompts AS needed_prompts, definition, newest
FROM (
    SELECT vantage, provider, endpoint, any(definition) AS definition, max(time) AS newest
    FROM attempts FINAL
    WHERE time <= {TO_END} AND reasoning != 'none'
      AND (empty({{vantage:Array(String)}}) OR has({{vantage:Array(String)}}, vantage))
      AND (empty({{provider:Array(String)}}) OR has({{provider:Array(String)}}, provider))
      AND (empty({{endpoint:Array(String)}}) OR has({{endpoint:Array(String)}}, endpoint))
    GROUP BY vantage, provider, endpoint
) AS e
LEFT JOIN ({DEFINITION_VALUES}) AS d ON d.values_of = definition
LEFT JOIN ({REASONING_AVERAGES}) AS r ON r.average_vantage = vantage AND r.average_endpoint = endpoint
ORDER BY vantage, provider, endpoint
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (
    ENDPOINT_FIGURES,
    LEADERBOARD,
    REASONING_TOKENS,
)
