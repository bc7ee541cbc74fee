"""Published figures over time: at each point the median that was the figure at that moment."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, measured, number, text, time
from projections.queries.fragments import (
    END,
    END_TO_END_S,
    FILTERED,
    FILTERS,
    FROM_START,
    GROUP,
    LONG_ENOUGH,
    LONGEST_WINDOW_S,
    OWN_NAMES,
    P50_SAYS,
    PERFORMANCE,
    SERIES_LABELS,
    SPEED,
    START,
    STEP,
    TO_END,
    TOTAL_100_S,
    TTFAT_S,
    TTFT_S,
    WINDOW,
    WITH_REASONING,
)
from schemas.metrics import metric, stated


def _rolling(metric_id: str, expression: str, rows: str) -> NamedQuery:
    """Build the rolling median of one metric: each point looks back over the whole window of its workload."""
    since_start_s = f"(toUnixTimestamp64Micro(time) - toUnixTimestamp64Micro({FROM_START})) / 1e6"
    span_s = f"(toUnixTimestamp64Micro({TO_END}) - toUnixTimestamp64Micro({FROM_START})) / 1e6"
    points = f"floor({span_s} / {{step_s:UInt32}})"
    first = f"ceil({since_start_s} / {{step_s:UInt32}})"
    # An attempt at t counts at every point p with t <= p < t + window, so that p's window is (p - window, p].
    after = f"ceil(({since_start_s} + {WINDOW}) / {{step_s:UInt32}})"
    return NamedQuery(
        name=f"{metric_id}-over-time",
        title=metric(metric_id).title,
        description=f"{stated(metric_id)} Each point is the P50 over the workload's window that ends there: 72 h, "
        f"for text-100k 14 days. {P50_SAYS}",
        shape="series",
        parameters=(START, END, STEP, *FILTERS),
        columns=(
            time("end of the window"),
            *SERIES_LABELS,
            text("definition", "definitions that the figures were made with"),
            measured("p50", metric_id, "exact median of the window's attempts"),
            measured("p5", metric_id, "5th percentile"),
            measured("p95", metric_id, "95th percentile"),
            number("n", "attempts", "attempts in the window"),
            number("window_s", "s", "length of the window"),
            number("newest_age_s", "s", "age of the newest attempt at that point"),
        ),
        sql=f"""
SELECT {FROM_START} + toIntervalSecond(point * {{step_s:UInt32}}) AS time, {GROUP},
       any(definition) AS definition,
       {_levels()},
       count() AS n, any(window_s) AS window_s,
       (toUnixTimestamp64Micro(time) - max(toUnixTimestamp64Micro(at))) / 1e6 AS newest_age_s
FROM (
    SELECT {GROUP}, definition, time AS at, {WINDOW} AS window_s, {expression} AS value,
           arrayJoin(range(toInt64(greatest({first}, 0)), toInt64(least({after}, {points} + 1)))) AS point
    FROM ({rows})
    WHERE {PERFORMANCE} AND outcome = 'ok' AND {FILTERED}
      AND time > {FROM_START} - toIntervalSecond({LONGEST_WINDOW_S}) AND time <= {TO_END}
      AND time > {FROM_START} - toIntervalSecond({WINDOW}) AND value IS NOT NULL
)
GROUP BY time, {GROUP}
ORDER BY time, {GROUP}
{OWN_NAMES}
""",
    )


def _levels() -> str:
    """Quantiles out of one state: the server computes equal aggregates once."""
    levels = {"p50": 0.5, "p5": 0.05, "p95": 0.95}
    of_all = f"quantilesExactInclusive({', '.join(map(str, levels.values()))})(assumeNotNull(value))"
    return ", ".join(f"toNullable({of_all}[{place}]) AS {name}" for place, name in enumerate(levels, start=1))


_PLAIN: Final = "SELECT * FROM attempts FINAL"

TTFT_OVER_TIME: Final = _rolling("ttft", TTFT_S, _PLAIN)
TTFAT_OVER_TIME: Final = _rolling("ttfat", TTFAT_S, _PLAIN)
SPEED_OVER_TIME: Final = _rolling("output-speed", SPEED, _PLAIN)
END_TO_END_OVER_TIME: Final = _rolling("end-to-end", END_TO_END_S, _PLAIN)
TOTAL_OVER_TIME: Final = _rolling("total-100", f"if({LONG_ENOUGH}, {TOTAL_100_S}, NULL)", WITH_REASONING)

QUERIES: Final[tuple[NamedQuery, ...]] = (
    TTFT_OVER_TIME,
    TTFAT_OVER_TIME,
    SPEED_OVER_TIME,
    END_TO_END_OVER_TIME,
    TOTAL_OVER_TIME,
)
