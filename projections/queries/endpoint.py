"""What is an endpoint like: phases, input length, parallel requests, hour of day, counted against billed."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, flag, label, measured, number, text, time
from projections.queries.fragments import (
    COUNTS,
    END,
    FILTERED,
    FILTERS,
    FROM_START,
    IN_SPAN,
    IN_WINDOW,
    LIMIT,
    OWN_NAMES,
    PERFORMANCE,
    SPEED,
    START,
    TO_END,
    TTFT_S,
    WINDOW,
    quantile,
)

_WHO: Final = "vantage, provider, endpoint"
_WHO_COLUMNS: Final = (label("vantage"), label("provider"), label("endpoint"))
_SPAN: Final = (
    number("n", "attempts", "attempts that the figure was made from"),
    time("begin of the window", "window_start"),
    time("end of the window", "window_end"),
    text("definition", "definitions that the figures were made with"),
    time("newest attempt of the figure", "newest"),
)
_SPAN_SQL: Final = (
    f"{FROM_START} AS window_start, {TO_END} AS window_end, any(definition) AS definition, max(time) AS newest"
)
_WINDOW_SQL: Final = (
    f"{TO_END} - toIntervalSecond(any({WINDOW})) AS window_start, {TO_END} AS window_end, "
    "any(definition) AS definition, max(time) AS newest"
)

PHASES: Final = NamedQuery(
    name="phases",
    title="Where the time goes",
    description="Median length of each phase of complete answers in the span. DNS, connect and TLS lie before the "
    "request and count into no TTFT; attempts on an open connection have none. Waiting is from the request to the "
    "first token, reasoning from there to the first answer token, answering from there to the end.",
    shape="table",
    parameters=(START, END, *FILTERS),
    columns=(
        *_WHO_COLUMNS,
        label("workload"),
        label("scenario"),
        measured("dns_s", "dns", "name look-up"),
        measured("connect_s", "connect", "TCP connect"),
        measured("tls_s", "tls", "TLS handshake"),
        measured("first_byte_s", "first-byte", "from the request to the first byte of the response"),
        measured("waiting_s", "ttft", "from the request to the first token"),
        measured("reasoning_s", "reasoning-time", "from the first token to the first answer token"),
        measured("answering_s", "answering-time", "from the first answer token to the complete answer"),
        measured("reused_share", "reused-share", "attempts on an open connection"),
        *_SPAN,
    ),
    sql=f"""
SELECT {_WHO}, workload, scenario,
       {quantile(0.5, "dns_us / 1e6")} AS dns_s, {quantile(0.5, "connect_us / 1e6")} AS connect_s,
       {quantile(0.5, "tls_us / 1e6")} AS tls_s, {quantile(0.5, "first_byte_us / 1e6")} AS first_byte_s,
       {quantile(0.5, TTFT_S)} AS waiting_s,
       {quantile(0.5, "(toInt64(ttfat_us) - toInt64(ttft_us)) / 1e6")} AS reasoning_s,
       {quantile(0.5, "(toInt64(end_to_end_us) - toInt64(ttfat_us)) / 1e6")} AS answering_s,
       avgOrNull(connection_reused) AS reused_share, count() AS n, {_SPAN_SQL}
FROM (SELECT * FROM attempts FINAL WHERE {PERFORMANCE} AND outcome = 'ok' AND {FILTERED} AND {IN_SPAN})
GROUP BY {_WHO}, workload, scenario
ORDER BY {_WHO}, workload, scenario
{OWN_NAMES}
""",
)

BY_INPUT: Final = NamedQuery(
    name="speed-by-input",
    title="Speed by input length",
    description="Medians by workload of single requests, over the workload's window that ends at the chosen "
    "end; the input is the median prompt in o200k_base tokens.",
    shape="table",
    parameters=(END, *FILTERS),
    columns=(
        *_WHO_COLUMNS,
        label("workload"),
        measured("input_tokens", "counted-tokens", "median prompt"),
        measured("ttft_p50", "ttft", "median time to first token"),
        measured("output_speed_p50", "output-speed", "median output speed"),
        *_SPAN,
    ),
    sql=f"""
SELECT {_WHO}, workload, {quantile(0.5, "prompt_tokens")} AS input_tokens,
       {quantile(0.5, TTFT_S)} AS ttft_p50, {quantile(0.5, SPEED)} AS output_speed_p50, count() AS n, {_WINDOW_SQL}
FROM (SELECT * FROM attempts FINAL
      WHERE {PERFORMANCE} AND outcome = 'ok' AND scenario = 'single' AND {FILTERED} AND {IN_WINDOW})
GROUP BY {_WHO}, workload
ORDER BY {_WHO}, input_tokens
{OWN_NAMES}
""",
)

PARALLEL: Final = NamedQuery(
    name="parallel-against-single",
    title="Parallel against single",
    description="Medians of ten requests at once beside those of single requests of the same workload, over the "
    "workload's window that ends at the chosen end. The ratio is parallel over single.",
    shape="table",
    parameters=(END, *(parameter for parameter in FILTERS if parameter.name != "scenario")),
    columns=(
        *_WHO_COLUMNS,
        label("workload"),
        measured("single_ttft_p50", "ttft", "time to first token, one at a time"),
        measured("parallel_ttft_p50", "ttft", "time to first token, ten at once"),
        number("ttft_ratio", "ratio", "parallel over single", metric_id="ttft"),
        measured("single_speed_p50", "output-speed", "output speed, one at a time"),
        measured("parallel_speed_p50", "output-speed", "output speed, ten at once"),
        number("speed_ratio", "ratio", "parallel over single", metric_id="output-speed"),
        number("single_n", "attempts", "single attempts"),
        number("parallel_n", "attempts", "parallel attempts"),
        *_SPAN,
    ),
    sql=f"""
SELECT {_WHO}, workload,
       {quantile(0.5, f"if(scenario = 'single', {TTFT_S}, NULL)")} AS single_ttft_p50,
       {quantile(0.5, f"if(scenario = 'parallel-10', {TTFT_S}, NULL)")} AS parallel_ttft_p50,
       parallel_ttft_p50 / nullIf(single_ttft_p50, 0) AS ttft_ratio,
       {quantile(0.5, f"if(scenario = 'single', {SPEED}, NULL)")} AS single_speed_p50,
       {quantile(0.5, f"if(scenario = 'parallel-10', {SPEED}, NULL)")} AS parallel_speed_p50,
       parallel_speed_p50 / nullIf(single_speed_p50, 0) AS speed_ratio,
       countIf(scenario = 'single') AS single_n, countIf(scenario = 'parallel-10') AS parallel_n, count() AS n,
       {_WINDOW_SQL}
FROM (SELECT * FROM attempts FINAL
      WHERE {PERFORMANCE} AND outcome = 'ok' AND {FILTERED.replace("{scenario:Array(String)}", "emptyArrayString()")}
        AND {IN_WINDOW})
GROUP BY {_WHO}, workload
HAVING parallel_n > 0
ORDER BY {_WHO}, workload
{OWN_NAMES}
""",
)

HOURS: Final = NamedQuery(
    name="hour-of-day",
    title="By hour of day",
    description="Medians and success by UTC hour of the span.",
    shape="table",
    parameters=(START, END, *FILTERS),
    columns=(
        *_WHO_COLUMNS,
        label("workload"),
        number("hour", "h", "UTC hour, 0 to 23"),
        measured("ttft_p50", "ttft", "median time to first token"),
        measured("output_speed_p50", "output-speed", "median output speed"),
        measured("success_share", "success-share", "complete answers among attempts that count"),
        *_SPAN,
    ),
    sql=f"""
SELECT {_WHO}, workload, toHour(time) AS hour, {quantile(0.5, TTFT_S)} AS ttft_p50,
       {quantile(0.5, SPEED)} AS output_speed_p50, countIf(outcome = 'ok') / count() AS success_share, count() AS n,
       {_SPAN_SQL}
FROM (SELECT * FROM attempts FINAL WHERE {PERFORMANCE} AND {COUNTS} AND {FILTERED} AND {IN_SPAN})
GROUP BY {_WHO}, workload, hour
ORDER BY {_WHO}, workload, hour
{OWN_NAMES}
""",
)

TOKENS: Final = NamedQuery(
    name="counted-against-billed",
    title="Tokens counted and billed",
    description="Sums over complete answers of the span that report usage. Counted are o200k_base tokens of the text "
    "received, billed are the provider's own. Tokenizers differ, so prices per token do not compare directly.",
    shape="table",
    parameters=(START, END, *FILTERS),
    columns=(
        *_WHO_COLUMNS,
        label("workload"),
        measured("counted_input", "counted-tokens", "prompt, counted"),
        measured("billed_input", "billed-tokens", "input, as reported"),
        measured("input_ratio", "billed-ratio", "billed over counted input"),
        measured("counted_output", "counted-tokens", "reasoning and answer received, counted"),
        measured("billed_output", "billed-tokens", "output, as reported"),
        measured("output_ratio", "billed-ratio", "billed over counted output"),
        measured("cached_input", "billed-tokens", "input from a cache, as reported"),
        measured("cost_usd", "cost", "cost by the prices in force"),
        measured("cost_reported_usd", "cost-reported", "cost as the provider reports it"),
        *_SPAN,
    ),
    sql=f"""
SELECT {_WHO}, workload,
       sumOrNull(prompt_tokens) AS counted_input, sumOrNull(usage_input_tokens) AS billed_input,
       billed_input / nullIf(counted_input, 0) AS input_ratio,
       sumOrNull(ifNull(counted_reasoning_tokens, 0) + ifNull(counted_answer_tokens, 0)) AS counted_output,
       sumOrNull(usage_output_tokens) AS billed_output, billed_output / nullIf(counted_output, 0) AS output_ratio,
       sumOrNull(usage_cached_tokens) AS cached_input, toFloat64(sumOrNull(cost_usd)) AS cost_usd,
       toFloat64(sumOrNull(cost_reported_usd)) AS cost_reported_usd, count() AS n, {_SPAN_SQL}
FROM (SELECT * FROM attempts FINAL
      WHERE outcome = 'ok' AND usage_input_tokens IS NOT NULL AND usage_output_tokens IS NOT NULL
        AND prompt_tokens IS NOT NULL AND {FILTERED} AND {IN_SPAN})
GROUP BY {_WHO}, workload
ORDER BY {_WHO}, workload
{OWN_NAMES}
""",
)

# Looked for in few columns first; all columns are then read no farther back than that.
_NEWEST: Final = f"""
    SELECT time FROM attempts FINAL WHERE time <= {TO_END} AND {FILTERED} ORDER BY time DESC LIMIT {{limit:UInt32}}
"""

LAST_ATTEMPTS: Final = NamedQuery(
    name="last-attempts",
    title="Last attempts",
    description="The newest attempts up to the chosen end, each by itself; every outcome.",
    shape="table",
    parameters=(END, LIMIT, *FILTERS),
    columns=(
        time("when it was sent"),
        label("attempt", "attempt's identifier"),
        *_WHO_COLUMNS,
        label("account"),
        label("workload"),
        label("scenario"),
        label("outcome"),
        text("failure", "class of the failure"),
        number("http_status", "", "status of the response"),
        measured("ttft_s", "ttft", "time to first token"),
        measured("ttfat_s", "ttfat", "time to first answer token"),
        measured("output_speed", "output-speed", "output speed"),
        text("speed_note", "why there is no speed"),
        measured("end_to_end_s", "end-to-end", "end-to-end response time"),
        measured("answer_tokens", "counted-tokens", "answer, counted"),
        measured("reasoning_tokens", "counted-tokens", "reasoning, counted"),
        measured("cost_usd", "cost", "cost by the price in force"),
        flag("below_minimum", "answer shorter than the workload asks for"),
        flag("late", "its run began late"),
        flag("calibration_within_bounds", "verdict of the calibration that it was measured under"),
        label("calibration_basis", "fresh, recent, older, none or failed; null where not calibrated"),
        flag("simulated", "reference endpoint or simulated clock"),
        text("definition", "definitions that the figures were made with"),
    ),
    sql=f"""
SELECT time, toString(attempt) AS attempt, {_WHO}, account, workload, scenario, outcome, failure, http_status,
       {TTFT_S} AS ttft_s, ttfat_us / 1e6 AS ttfat_s, output_speed, speed_note, end_to_end_us / 1e6 AS end_to_end_s,
       counted_answer_tokens AS answer_tokens, counted_reasoning_tokens AS reasoning_tokens,
       toFloat64(cost_usd) AS cost_usd, below_minimum, late,
       calibration_within_bounds, calibration_basis, simulated, definition
FROM attempts FINAL
WHERE time >= (SELECT min(time) FROM ({_NEWEST})) AND time <= {TO_END} AND {FILTERED}
ORDER BY time DESC, source, seq DESC
LIMIT {{limit:UInt32}}
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (PHASES, BY_INPUT, PARALLEL, HOURS, TOKENS, LAST_ATTEMPTS)
