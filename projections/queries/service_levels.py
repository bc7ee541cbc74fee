"""What is left of the error budget: objectives over 28 days, how fast the budget burns, and both over time."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, Parameter, label, measured, number, text, time
from projections.queries.fragments import (
    COUNTS,
    END,
    FILTERED,
    FILTERS,
    FROM_START,
    OWN_NAMES,
    PERFORMANCE,
    PROVENANCE,
    START,
    STEP,
    TO_END,
)
from schemas.metrics import stated

BUDGET_DAYS: Final = 28
SUCCESS_OBJECTIVE: Final = 0.95
"""The share that the page's strips and the alert use as well: at least this is green."""

_DAY_S: Final = 86_400

OBJECTIVE: Final = Parameter(
    name="objective_s", type="Float64", description="latency objective: longest TTFT that is in time, s", default=2.0
)
SHARE: Final = Parameter(
    name="objective_share",
    type="Float64",
    description="share of attempts that shall succeed, and of complete answers that shall be in time",
    default=SUCCESS_OBJECTIVE,
)

_GROUP: Final = "vantage, provider, endpoint, account"
_LABELS: Final = (label("vantage"), label("provider"), label("endpoint"), label("account"))
_ALLOWED: Final = "(1 - {objective_share:Float64})"

# Of the counts bad and all: 1 untouched, 0 used up, negative overdrawn. None where nothing was counted.
_LEFT: Final = f"if({{all}} = 0, NULL, 1 - {{bad}} / ({{all}} * {_ALLOWED}))"
_BURN: Final = f"if({{all}} = 0, NULL, {{bad}} / {{all}} / {_ALLOWED})"

_SAYS: Final = (
    f"The budget is the share of attempts that may fail: 1 minus the objective. Success: {stated('success-share')} "
    "In time are complete answers whose TTFT is at most the latency objective; their budget is counted over complete "
    "answers. A budget of 1 is untouched, 0 is used up, less is overdrawn."
)
_BURN_SAYS: Final = (
    "Burn rate: failed share over the share that may fail; at 1 the budget lasts exactly its 28 days, at 2 half of "
    "them."
)


def _left(bad: str, everything: str) -> str:
    return _LEFT.replace("{bad}", bad).replace("{all}", everything)


def _burn(bad: str, everything: str) -> str:
    return _BURN.replace("{bad}", bad).replace("{all}", everything)


def _recent(days: int) -> tuple[str, str]:
    since = f"time > {TO_END} - toIntervalDay({days})"
    return f"countIf(outcome != 'ok' AND {since})", f"countIf({since})"


_OK: Final = "countIf(outcome = 'ok')"
_FAILED: Final = "countIf(outcome != 'ok')"
_TIMED: Final = "countIf(outcome = 'ok' AND ttft_us IS NOT NULL)"
_LATE: Final = "countIf(outcome = 'ok' AND ttft_us > {objective_s:Float64} * 1e6)"

SERVICE_LEVELS: Final = NamedQuery(
    name="service-levels",
    title="Service levels",
    description=f"Over the {BUDGET_DAYS} days that end at the chosen end. {_SAYS} {_BURN_SAYS}",
    shape="table",
    parameters=(END, OBJECTIVE, SHARE, *FILTERS),
    columns=(
        *_LABELS,
        measured("success_share", "success-share", "complete answers among the attempts"),
        number("failed", "attempts", "attempts that came to no complete answer"),
        number("budget_left", "share", "error budget that is left", metric_id="success-share"),
        number("burn_1d", "ratio", "burn rate of the last day", metric_id="success-share"),
        number("burn_3d", "ratio", "burn rate of the last 3 days", metric_id="success-share"),
        number("burn_7d", "ratio", "burn rate of the last 7 days", metric_id="success-share"),
        number("in_time_share", "share", "complete answers whose TTFT keeps the objective", metric_id="ttft"),
        number("late", "attempts", "complete answers whose TTFT does not"),
        number("latency_budget_left", "share", "latency budget that is left", metric_id="ttft"),
        *PROVENANCE,
    ),
    sql=f"""
SELECT {_GROUP}, {_OK} / count() AS success_share, {_FAILED} AS failed,
       {_left(_FAILED, "count()")} AS budget_left,
       {", ".join(f"{_burn(*_recent(days))} AS burn_{days}d" for days in (1, 3, 7))},
       if({_TIMED} = 0, NULL, 1 - {_LATE} / {_TIMED}) AS in_time_share, {_LATE} AS late,
       {_left(_LATE, _TIMED)} AS latency_budget_left,
       count() AS n, {TO_END} - toIntervalDay({BUDGET_DAYS}) AS window_start, {TO_END} AS window_end,
       any(definition) AS definition, max(time) AS newest
FROM (SELECT * FROM attempts FINAL
      WHERE {PERFORMANCE} AND {COUNTS} AND {FILTERED}
        AND time > {TO_END} - toIntervalDay({BUDGET_DAYS}) AND time <= {TO_END})
GROUP BY {_GROUP}
ORDER BY budget_left, {_GROUP}
{OWN_NAMES}
""",
)

# A step's point is its end, in seconds after the start. Windows are made of whole steps, by where those end.
_POINT_S: Final = (
    f"toInt64(ceil((toUnixTimestamp64Micro(at) - toUnixTimestamp64Micro({FROM_START})) / 1e6 / {{step_s:UInt32}}))"
    " * {step_s:UInt32}"
)
_LAST_POINT_S: Final = _POINT_S.replace("(at)", f"({TO_END})")
_COUNTS: Final = {"counted": "count()", "failed": _FAILED, "timed": _TIMED, "late": _LATE}


def _rolled(*windows_days: int) -> str:
    """Count each step's attempts and those of the windows that end with it: ``counted_28d`` and so on.

    A step enters every window at its own point and leaves each when that has passed, so that one running sum
    gives any window. Sums over moving frames would add each step up again for every frame that holds it. Steps
    before the start that leave no window before the end are one: nothing shows where in it they were.
    """
    longest_days = max(windows_days)
    stays = f"{_POINT_S} < 0 AND {_POINT_S} + {min(windows_days) * _DAY_S} > {_LAST_POINT_S} + 1"
    counts = ", ".join(f"{expression} AS {name}" for name, expression in _COUNTS.items())
    edges = ", ".join(["(point_s, 0)", *(f"(point_s + {days * _DAY_S}, {days})" for days in windows_days)])
    running = ", ".join(
        f"sum(multiIf(left_days = 0, toInt64({name}), left_days = {days}, -toInt64({name}), 0)) "
        f"OVER (PARTITION BY {_GROUP} ORDER BY at_s) AS {name}_{days}d"
        for name in _COUNTS
        for days in windows_days
    )
    return f"""
SELECT * FROM (
    SELECT {_GROUP}, at_s AS point_s, definition, left_days, {running}
    FROM (
        SELECT {_GROUP}, definition, {", ".join(_COUNTS)}, edge.1 AS at_s, edge.2 AS left_days
        FROM (
            SELECT {_GROUP}, if({stays}, -1, {_POINT_S}) AS point_s, any(definition) AS definition, {counts}
            FROM (SELECT * EXCEPT time, time AS at FROM attempts FINAL
                  WHERE {PERFORMANCE} AND {COUNTS} AND {FILTERED}
                    AND time > {FROM_START} - toIntervalDay({longest_days}) AND time <= {TO_END})
            GROUP BY {_GROUP}, point_s
        )
        ARRAY JOIN [{edges}] AS edge
        WHERE at_s <= {_LAST_POINT_S}
    )
)
WHERE left_days = 0 AND point_s >= 0
"""


BUDGET_OVER_TIME: Final = NamedQuery(
    name="error-budget-over-time",
    title="Error budget",
    description=f"Each point looks back over the {BUDGET_DAYS} days that end with its step; steps without an attempt "
    f"have no point. {_SAYS}",
    shape="series",
    parameters=(START, END, STEP, OBJECTIVE, SHARE, *FILTERS),
    columns=(
        time("end of the step"),
        *_LABELS,
        text("definition", "definitions that outcomes were decided by"),
        number("budget_left", "share", "error budget that is left", metric_id="success-share"),
        number("latency_budget_left", "share", "latency budget that is left", metric_id="ttft"),
        number("n", "attempts", "attempts in the window"),
    ),
    sql=f"""
SELECT {FROM_START} + toIntervalSecond(point_s) AS time, {_GROUP}, definition,
       {_left("failed_28d", "counted_28d")} AS budget_left,
       {_left("late_28d", "timed_28d")} AS latency_budget_left,
       toUInt64(counted_28d) AS n
FROM ({_rolled(BUDGET_DAYS)})
ORDER BY time, {_GROUP}
{OWN_NAMES}
""",
)

BURN_OVER_TIME: Final = NamedQuery(
    name="burn-rate-over-time",
    title="Burn rate",
    description=f"Each point looks back over the day, or the 3 days, that end with its step. {_BURN_SAYS} {_SAYS}",
    shape="series",
    parameters=(START, END, STEP, OBJECTIVE, SHARE, *FILTERS),
    columns=(
        time("end of the step"),
        *_LABELS,
        text("definition", "definitions that outcomes were decided by"),
        number("burn_1d", "ratio", "burn rate of the day before", metric_id="success-share"),
        number("burn_3d", "ratio", "burn rate of the 3 days before", metric_id="success-share"),
        number("latency_burn_3d", "ratio", "burn rate of the latency budget, 3 days before", metric_id="ttft"),
        number("n", "attempts", "attempts in the 3 days"),
    ),
    sql=f"""
SELECT {FROM_START} + toIntervalSecond(point_s) AS time, {_GROUP}, definition,
       {_burn("failed_1d", "counted_1d")} AS burn_1d, {_burn("failed_3d", "counted_3d")} AS burn_3d,
       {_burn("late_3d", "timed_3d")} AS latency_burn_3d, toUInt64(counted_3d) AS n
FROM ({_rolled(1, 3)})
ORDER BY time, {_GROUP}
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (SERVICE_LEVELS, BUDGET_OVER_TIME, BURN_OVER_TIME)
