"""Can the instrument be believed: slots, calibration, and what held up the loop that measures."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, Parameter, flag, label, measured, number, text, time
from projections.queries.fragments import (
    END,
    FROM_START,
    IN_SPAN,
    LIMIT,
    OWN_NAMES,
    START,
    STEP,
    STEP_START,
    TO_END,
)
from schemas.metrics import stated

_WORKLOAD: Final = Parameter(
    name="workload", type="Array(String)", description="workloads; none given means all", default=()
)
# A run's attempts are not sent before its slot begins. A day to spare costs nothing and allows for a wall clock
# that was set back in between.
_EARLY_S: Final = 86_400
_WORKLOADS: Final = "(empty({workload:Array(String)}) OR has({workload:Array(String)}, workload))"

SLOTS: Final = NamedQuery(
    name="slots",
    title="Slots",
    all_accounts=True,
    description="Slots of the span by workload: run in time, run late, or never run, with the reasons. Attempts that "
    "were planned and have not ended are those under way and those a crash left open.",
    shape="table",
    parameters=(START, END, _WORKLOAD),
    columns=(
        label("source"),
        label("workload"),
        label("scenario"),
        number("slots", "slots", "slots that came due"),
        number("run", "slots", "slots that ran, late ones included"),
        number("late", "slots", "of them late"),
        number("missed", "slots", "never run because nobody was there"),
        number("skipped", "slots", "never run for another reason"),
        number("planned_attempts", "attempts", "attempts of the slots that ran"),
        number("ended_attempts", "attempts", "of them ended, retries not counted"),
        number("out_of_bounds", "slots", "run out of bounds; null when no run's verdict is known"),
        number("uncalibrated", "slots", "run without a calibration to go by"),
        time("newest slot", "newest"),
        time("begin of the span", "window_start"),
        time("end of the span", "window_end"),
    ),
    sql=f"""
SELECT r.source AS source, workload, scenario, count() AS slots, countIf(kind = 'planned') AS run,
       countIf(ifNull(late, false)) AS late, countIf(ifNull(reason, '') = 'missed') AS missed,
       countIf(kind = 'skipped' AND reason != 'missed') AS skipped,
       sum(r.attempts) AS planned_attempts, sum(ifNull(e.ended, 0)) AS ended_attempts,
       if(countIf(calibration_within_bounds IS NOT NULL) = 0, NULL,
          countIf(ifNull(NOT calibration_within_bounds, false))) AS out_of_bounds,
       countIf(kind = 'planned' AND calibration_within_bounds IS NULL) AS uncalibrated, max(time) AS newest,
       {FROM_START} AS window_start, {TO_END} AS window_end
FROM (SELECT *, ifNull(run, toUUID('00000000-0000-0000-0000-000000000000')) AS run_id FROM runs FINAL
      WHERE slot IS NOT NULL AND {IN_SPAN} AND {_WORKLOADS}) AS r
LEFT JOIN (SELECT run AS run_id, count() AS ended FROM attempts FINAL
           WHERE retry_of IS NULL AND time >= {FROM_START} - toIntervalSecond({_EARLY_S}) GROUP BY run) AS e
       ON e.run_id = r.run_id
GROUP BY r.source, workload, scenario
ORDER BY r.source, workload, scenario
{OWN_NAMES}
""",
)

_LAST_SLOTS: Final = f"""
    SELECT *, ifNull(run, toUUID('00000000-0000-0000-0000-000000000000')) AS run_id FROM runs FINAL
    WHERE slot IS NOT NULL AND time <= {TO_END} AND {_WORKLOADS}
    ORDER BY time DESC, source, workload, scenario
    LIMIT {{limit:UInt32}}
"""

LAST_SLOTS: Final = NamedQuery(
    name="last-slots",
    title="Last slots",
    all_accounts=True,
    description="The newest slots up to the chosen end, each by itself, run or not.",
    shape="table",
    parameters=(END, LIMIT, _WORKLOAD),
    columns=(
        time("slot's nominal time"),
        label("source"),
        label("slot"),
        label("workload"),
        label("scenario"),
        label("state", "in-time, late, or why it was skipped"),
        number("attempts", "attempts", "attempts planned"),
        number("ok", "attempts", "of them complete answers, retries included"),
        flag("calibration_within_bounds", "verdict of the calibration that it was measured under"),
        label("calibration_basis", "fresh, recent, older, none or failed; null where not calibrated"),
        text("detail", "more about a skipped slot"),
    ),
    sql=f"""
SELECT time, r.source AS source, slot, workload, scenario,
       multiIf(kind = 'skipped', ifNull(reason, 'skipped'), ifNull(late, false), 'late', 'in-time') AS state,
       r.attempts AS attempts, ifNull(e.ok, 0) AS ok, calibration_within_bounds, calibration_basis, detail
FROM ({_LAST_SLOTS}) AS r
LEFT JOIN (SELECT run AS run_id, countIf(outcome = 'ok') AS ok FROM attempts FINAL
           WHERE time >= (SELECT min(time) FROM ({_LAST_SLOTS})) - toIntervalSecond({_EARLY_S}) GROUP BY run) AS e
       ON e.run_id = r.run_id
ORDER BY time DESC, r.source, workload, scenario
{OWN_NAMES}
""",
)

CALIBRATION: Final = NamedQuery(
    name="calibration",
    title="Calibration",
    description="What the instrument found at sources whose truth is known; the error is measured minus truth.",
    shape="table",
    parameters=(START, END),
    columns=(
        time("when it was measured"),
        label("source"),
        label("transport"),
        flag("tls", "over TLS"),
        number("streams", "streams", "streams at once"),
        label("profile"),
        label("metric"),
        label("statistic"),
        label("unit"),
        number("truth", "as the column unit says", "what it was"),
        number("measured", "as the column unit says", "what was measured"),
        number("error", "as the column unit says", "measured minus truth"),
        flag("within_bounds", "the error is within its bound"),
        number("n", "measurements", "measurements behind the figure"),
        number("loop_lag_p99_us", "us", "lateness of the event loop, 99th percentile"),
        number("gc_pauses", "count", "collections of garbage meanwhile"),
        number("gc_longest_us", "us", "longest of them"),
        label("clock", "what took the times"),
        number("user_space_reads", "attempts", "attempts of which some read had no usable kernel time"),
    ),
    sql=f"""
SELECT time, source, transport, tls, streams, profile, metric, statistic, unit, truth, measured, error,
       within_bounds, n, loop_lag_p99_us, gc_pauses, gc_longest_us, clock, user_space_reads
FROM calibrations FINAL
WHERE {IN_SPAN}
ORDER BY time, transport, tls, streams, profile, metric, statistic
{OWN_NAMES}
""",
)

CALIBRATION_OVER_TIME: Final = NamedQuery(
    name="calibration-over-time",
    title="Calibration error over time",
    description=f"{stated('calibration-error')} The largest of each step, signed.",
    shape="series",
    parameters=(START, END, STEP),
    columns=(
        time("begin of the step"),
        label("source"),
        label("transport"),
        label("way", "plain or TLS"),
        label("at_once", "streams at once, in words"),
        measured("error_ms", "calibration-error", "largest of the step's median TTFT errors"),
        number("out_of_bounds", "calibrations", "calibrations of the step that were out of bounds"),
        number("n", "calibrations", "calibrations of the step"),
    ),
    sql=f"""
SELECT {STEP_START} AS time, source, transport, if(tls, 'TLS', 'plain') AS way,
       if(streams = 1, '1 stream', concat(toString(streams), ' streams')) AS at_once,
       argMax(error, abs(error)) AS error_ms,
       uniqExactIf(calibration, NOT calibration_within_bounds) AS out_of_bounds, uniqExact(calibration) AS n
FROM (SELECT * EXCEPT time, time AS at FROM calibrations FINAL
      WHERE metric = 'ttft' AND statistic = 'p50' AND {IN_SPAN})
GROUP BY time, source, transport, way, at_once
ORDER BY time, source, transport, way, at_once
{OWN_NAMES}
""",
)

STRAIN: Final = NamedQuery(
    name="strain-over-time",
    title="Strain on the measuring",
    all_accounts=True,
    description="What held up the event loop that measured, by step: the longest lateness and the longest collection "
    "of garbage of any attempt, and reads that had to do without a kernel time. Attempts that recorded none of it "
    "are in no figure.",
    shape="series",
    parameters=(START, END, STEP),
    columns=(
        time("begin of the step"),
        label("source"),
        number("loop_lag_max_us", "us", "longest lateness of the event loop"),
        number("loop_lag_p50_us", "us", "median over attempts of each one's longest"),
        number("gc_pauses", "count", "collections of garbage, summed over attempts: one counts for all under way"),
        number("gc_longest_us", "us", "longest of them"),
        number("user_space_reads", "reads", "reads without a usable kernel time"),
        number("n", "attempts", "attempts that recorded any of it"),
    ),
    sql=f"""
SELECT {STEP_START} AS time, source, max(loop_lag_max_us) AS loop_lag_max_us,
       quantileExactInclusiveOrNull(0.5)(loop_lag_max_us) AS loop_lag_p50_us,
       sumOrNull(gc_pauses) AS gc_pauses, max(gc_longest_us) AS gc_longest_us,
       sumOrNull(user_space_reads) AS user_space_reads, count() AS n
FROM (SELECT * EXCEPT time, time AS at FROM attempts FINAL
      WHERE (loop_lag_max_us IS NOT NULL OR gc_pauses IS NOT NULL OR user_space_reads IS NOT NULL) AND {IN_SPAN})
GROUP BY time, source
ORDER BY time, source
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (SLOTS, LAST_SLOTS, CALIBRATION, CALIBRATION_OVER_TIME, STRAIN)
