"""Pieces of SQL that several queries share: the common filter, windows, failures that count, units.

They are constants joined when the module is imported; values from outside enter as typed parameters alone.
"""

from __future__ import annotations

from typing import Final

from projections.queries.contract import Parameter, ResultColumn, flag, label, measured, number, text, time

WINDOWS_S: Final[dict[str, int]] = {"text-100k": 14 * 86400, "reasoning": 14 * 86400, "cache-hit": 14 * 86400}
"""Span of the published P50 by workload, where it is not the usual one, in seconds."""

USUAL_WINDOW_S: Final = 72 * 3600

WINDOW: Final = f"transform(workload, {list(WINDOWS_S)}, {list(WINDOWS_S.values())}, {USUAL_WINDOW_S})"
"""Window of a row's workload in seconds."""

LONGEST_WINDOW_S: Final = max(USUAL_WINDOW_S, *WINDOWS_S.values())

_LISTS: Final = "Array(String)"
_TIME: Final = "DateTime64(6, 'UTC')"

START: Final = Parameter(name="start", type="DateTime64(6, 'UTC')", description="first moment shown", required=True)
END: Final = Parameter(
    name="end", type="DateTime64(6, 'UTC')", description="moment after the last one", required=True
)
BOUNDS: Final = Parameter(
    name="bounds",
    type="Array(String)",
    description="within, out, unknown: verdicts of the calibrations that attempts were measured under; none given "
    "means all, so that attempts measured out of bounds are in the figures, and flagged",
    default=(),
)

STEP: Final = Parameter(name="step_s", type="UInt32", description="distance of points in seconds", default=3600)
LIMIT: Final = Parameter(name="limit", type="UInt32", description="most rows to return", default=200)

FILTERS: Final[tuple[Parameter, ...]] = tuple(
    Parameter(name=name, type="Array(String)", description=f"{what}; none given means {none}", default=())
    for name, what, none in (
        ("vantage", "vantage points", "all"),
        ("provider", "providers", "all"),
        ("endpoint", "endpoints", "all"),
        ("account", "accounts", "those that measured; control accounts were asked the same beside them"),
        ("workload", "workloads", "all"),
        ("scenario", "scenarios", "all"),
    )
)

MEASURING: Final = "role = 'measuring'"
"""The rule of roles: figures are those of the measuring accounts, unless accounts are chosen.

Control accounts are asked the same at the same time, to be compared; their attempts enter only what counts
everything, which columns and queries say by ``all_accounts``.
"""

MEASURED: Final = f"{MEASURING} AND ifNull(trigger, '') != 'calibration'"
"""Rows that make figures where nobody chooses accounts."""


_CHOSEN: Final = " AND ".join(
    f"(empty({{{name}:{_LISTS}}}) OR has({{{name}:{_LISTS}}}, {name}))"
    for name in ("vantage", "provider", "endpoint", "workload", "scenario")
)
_NO_CALIBRATION: Final = "ifNull(trigger, '') != 'calibration'"

CHOSEN: Final = f"{_CHOSEN} AND {_NO_CALIBRATION}"
"""Rows of ``attempts`` that the common parameters without accounts select."""


def _filtered(unchosen_accounts: str) -> str:
    accounts = f"if(empty({{account:{_LISTS}}}), {unchosen_accounts}, has({{account:{_LISTS}}}, account))"
    return f"{_CHOSEN} AND {accounts} AND {_NO_CALIBRATION}"


FILTERED: Final = _filtered(MEASURING)
"""Rows of ``attempts`` that the common parameters select; calibration has tables of its own."""

FILTERED_OF_ALL: Final = _filtered("true")
"""The same for what counts everything: without a choice of accounts, those of all."""

IN_BOUNDS: Final = (
    f"(empty({{bounds:{_LISTS}}}) OR has({{bounds:{_LISTS}}}, "
    "multiIf(calibration_within_bounds IS NULL, 'unknown', calibration_within_bounds, 'within', 'out')))"
)
"""Attempts whose calibration came to one of the verdicts that a reader asks for."""

PERFORMANCE: Final = "suite = 'performance'"

FROM_START: Final = f"{{start:{_TIME}}}"
TO_END: Final = f"{{end:{_TIME}}}"

STEP_START: Final = (
    f"{FROM_START} + toIntervalSecond(intDiv(dateDiff('microsecond', {FROM_START}, at),"
    " toInt64({step_s:UInt32}) * 1000000) * {step_s:UInt32})"
)
"""Beginning of the step that holds ``at``. In microseconds: dateDiff counts boundaries crossed, so whole seconds
would put the last part of a step's last second into the next step."""

IN_SPAN: Final = f"time >= {FROM_START} AND time < {TO_END}"
IN_WINDOW: Final = (
    f"time > {TO_END} - toIntervalSecond({LONGEST_WINDOW_S}) AND time > {TO_END} - toIntervalSecond({WINDOW}) "
    f"AND time <= {TO_END}"
)
"""The workload's window that ends at ``end``. The longest of them is said too: parts are left out by a bound that
is the same for all rows."""

COUNTS: Final = "outcome NOT IN ('cancelled', 'not-completed') AND ifNull(failure, '') != 'refused-locally'"
"""Attempts that say something about a service: all that were sent and not ended by us."""

LONG_ENOUGH: Final = "ifNull(below_minimum, false) = false"
"""Answers that enter speed and end-to-end figures; shorter ones stay in TTFT."""

TTFT_S: Final = "ttft_us / 1e6"
TTFAT_S: Final = "ttfat_us / 1e6"
SPEED: Final = f"if({LONG_ENOUGH}, output_speed, NULL)"
END_TO_END_S: Final = f"if({LONG_ENOUGH}, end_to_end_us / 1e6, NULL)"


def reasoning_averages(rows: str) -> str:
    """Mean over distinct prompts of the reasoning set: tokens counted where thinking is shown, else as reported.

    rows: a query of attempts of those accounts whose figures are shown.
    """
    return f"""
    SELECT vantage AS average_vantage, endpoint AS average_endpoint,
           count() AS measured_prompts, avg(prompt_average) AS measured_average
    FROM (
        SELECT vantage, endpoint, prompt_task,
               avg(if(ifNull(counted_reasoning_tokens, 0) > 0 AND reasoning_hidden = false,
                      counted_reasoning_tokens, usage_reasoning_tokens)) AS prompt_average
        FROM ({rows})
        WHERE suite = 'reasoning' AND outcome = 'ok'
          AND time <= {TO_END}
        GROUP BY vantage, endpoint, prompt_task
        HAVING prompt_average IS NOT NULL
    )
    GROUP BY vantage, endpoint
"""


REASONING_AVERAGES: Final = reasoning_averages(f"SELECT * FROM attempts FINAL WHERE {MEASURING}")

DEFINITION_VALUES: Final = """
    SELECT definition AS values_of, assumed_reasoning_tokens, reasoning_sample_prompts FROM definitions FINAL
"""


def with_reasoning(rows: str, averages: str) -> str:
    """Set attempts beside the average reasoning tokens of their endpoint, or the assumed value, marked as such.

    rows: what to select from; averages: what :func:`reasoning_averages` gave.
    """
    return f"""
    SELECT *, measured_prompts < reasoning_sample_prompts AS reasoning_assumed,
           if(measured_prompts >= reasoning_sample_prompts,
              measured_average, assumed_reasoning_tokens) AS reasoning_tokens
    FROM {rows}
    LEFT JOIN ({DEFINITION_VALUES}) AS d ON d.values_of = definition
    LEFT JOIN ({averages}) AS r ON r.average_vantage = vantage AND r.average_endpoint = endpoint
"""


WITH_REASONING: Final = with_reasoning("attempts FINAL", REASONING_AVERAGES)

TOTAL_100_S: Final = (
    "if(reasoning_hidden, ttft_us / 1e6 + reasoning_tokens / nullIf(output_speed, 0), ttfat_us / 1e6) "
    "+ 100 / nullIf(output_speed, 0)"
)
"""Total response time for 100 tokens, synthetic: TTFT + 100 / speed; TTFAT takes TTFT's place where reasoning
is shown, TTFT + average reasoning tokens / speed where it is hidden. NULL without a speed."""

SERIES_LABELS: Final[tuple[ResultColumn, ...]] = (
    label("vantage", "where it was measured from"),
    label("provider"),
    label("endpoint"),
    label("account"),
    label("workload"),
    label("scenario"),
)
GROUP: Final = "vantage, provider, endpoint, account, workload, scenario"

PROVENANCE: Final[tuple[ResultColumn, ...]] = (
    number("n", "attempts", "attempts that the figure was made from"),
    time("begin of the window", "window_start"),
    time("end of the window", "window_end"),
    text("definition", "definitions that the figures were made with"),
    time("newest attempt of the figure", "newest"),
)


WITH_INSTRUMENT: Final = """
    LEFT JOIN (
        SELECT toNullable(calibration) AS error_of, toNullable(argMax(error, abs(error))) AS instrument_error_ms
        FROM calibrations FINAL WHERE metric = 'ttft' AND statistic = 'p50' GROUP BY error_of
    ) AS i ON i.error_of = calibration
"""
"""Joins attempts with their calibration's median TTFT error, that over TLS or the plain one, whichever is larger."""

INSTRUMENT: Final[tuple[ResultColumn, ...]] = (
    number("calibrated", "attempts", "of n, those whose calibration's verdict is known"),
    number("out_of_bounds", "attempts", "of them measured out of bounds; null when none was calibrated"),
    measured("out_of_bounds_share", "out-of-bounds-share", "out of bounds among calibrated ones"),
    flag("any_out_of_bounds", "some attempt of the figure was measured out of bounds; null when none was calibrated"),
    measured("instrument_error_ms", "calibration-error", "median TTFT error of the newest calibration"),
)


def instrument(counted: str) -> str:
    """Columns of :data:`INSTRUMENT` over the attempts that a condition counts; see :data:`WITH_INSTRUMENT`."""
    known = f"countIf({counted} AND calibration_within_bounds IS NOT NULL)"
    out = f"countIf({counted} AND ifNull(NOT calibration_within_bounds, false))"
    return (
        f"{known} AS calibrated, if({known} = 0, NULL, {out}) AS out_of_bounds, "
        f"if({known} = 0, NULL, {out} / {known}) AS out_of_bounds_share, "
        f"if({known} = 0, NULL, {out} > 0) AS any_out_of_bounds, "
        f"argMaxIf(instrument_error_ms, time, {counted}) AS instrument_error_ms"
    )


P50_SAYS: Final = (
    "P50 is the exact median, the mean of the two middle attempts when n is even; failed attempts are in no "
    "latency or speed figure, answers below the workload's minimum in none of speed, end-to-end and total."
)

OWN_NAMES: Final = (
    "SETTINGS prefer_column_name_to_alias = 1, do_not_merge_across_partitions_select_final = 1, "
    "optimize_move_to_prewhere_if_final = 1"
)
"""Ends every query: an answer's column may bear the name of the table's column that it was made from.

Rows that replace one another are of one event and equal in every column, so they lie in one partition, and a
condition holds for all of them or none: ``FINAL`` need not look across partitions, nor before conditions.
"""


def quantile(level: float, expression: str) -> str:
    """Exact quantile, the mean of the two middle ones at 0.5; NULL over nothing."""
    return f"quantileExactInclusiveOrNull({level})({expression})"
