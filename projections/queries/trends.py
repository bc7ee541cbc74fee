"""Published figures over time: at each point the median that was the figure at that moment."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, number, text, time
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
    quantile,
)


def _rolling(name: str, title: str, unit: str, expression: str, rows: str, says: str) -> NamedQuery:
    """Build the rolling median of one metric: each point looks back over the whole window of its workload."""
    since_start_s = f"(toUnixTimestamp64Micro(time) - toUnixTimestamp64Micro({FROM_START})) / 1e6"
    span_s = f"(toUnixTimestamp64Micro({TO_END}) - toUnixTimestamp64Micro({FROM_START})) / 1e6"
    points = f"floor({span_s} / {{step_s:UInt32}})"
    first = f"ceil({since_start_s} / {{step_s:UInt32}})"
    # An attempt at t counts at every point p with t <= p < t + window, so that p's window is (p - window, p].
    after = f"ceil(({since_start_s} + {WINDOW}) / {{step_s:UInt32}})"
    return NamedQuery(
        name=name,
        title=title,
        description=f"{says} Each point is the P50 over the workload's window that ends there: 72 h, for text-100k "
        f"14 days. {P50_SAYS}",
        shape="series",
        parameters=(START, END, STEP, *FILTERS),
        columns=(
            time("end of the window"),
            *SERIES_LABELS,
            text("definition", "definitions that the figures were made with"),
            number("p50", unit, "exact median of the window's attempts"),
            number("p5", unit, "5th percentile"),
            number("p95", unit, "95th percentile"),
            number("n", "attempts", "attempts in the window"),
            number("window_s", "s", "length of the window"),
            number("newest_age_s", "s", "age of the newest attempt at that point"),
        ),
        sql=f"""
SELECT {FROM_START} + toIntervalSecond(point * {{step_s:UInt32}}) AS time, {GROUP},
       any(definition) AS definition,
       {quantile(0.5, "value")} AS p50, {quantile(0.05, "value")} AS p5, {quantile(0.95, "value")} AS p95,
       count() AS n, any(window_s) AS window_s,
       (toUnixTimestamp64Micro(time) - max(toUnixTimestamp64Micro(at))) / 1e6 AS newest_age_s
FROM (
    SELECT {GROUP}, definition, time AS at, {WINDOW} AS window_s, {expression} AS value,
           arrayJoin(range(toInt64(greatest({first}, 0)), toInt64(least({after}, {points} + 1)))) AS point
    FROM ({rows})
    WHERE {PERFORMANCE} AND outcome = 'ok' AND {FILTERED}
      AND time > {FROM_START} - toIntervalSecond({LONGEST_WINDOW_S}) AND time <= {TO_END}
)
WHERE value IS NOT NULL
GROUP BY time, {GROUP}
ORDER BY time, {GROUP}
{OWN_NAMES}
""",
    )


_PLAIN: Final = "SELECT * FROM attempts FINAL"

TTFT_OVER_TIME: Final = _rolling(
    "ttft-over-time",
    "Time to first token",
    "s",
    TTFT_S,
    _PLAIN,
    "From the first byte of the request to the first token received, reasoning or answer.",
)
TTFAT_OVER_TIME: Final = _rolling(
    "ttfat-over-time",
    "Time to first answer token",
    "s",
    TTFAT_S,
    _PLAIN,
    "From the first byte of the request to the first answer token, after any thinking.",
)
SPEED_OVER_TIME: Final = _rolling(
    "output-speed-over-time",
    "Output speed",
    "tokens/s",
    SPEED,
    _PLAIN,
    "o200k_base tokens received per second after the first; over the last 80 % of chunks where reasoning is hidden.",
)
END_TO_END_OVER_TIME: Final = _rolling(
    "end-to-end-over-time",
    "End-to-end response time",
    "s",
    END_TO_END_S,
    _PLAIN,
    "From the first byte of the request to the complete answer: input processing, reasoning and answer.",
)
TOTAL_OVER_TIME: Final = _rolling(
    "total-100-over-time",
    "Total response time for 100 tokens",
    "s",
    f"if({LONG_ENOUGH}, {TOTAL_100_S}, NULL)",
    WITH_REASONING,
    "Synthetic: TTFT (TTFAT where reasoning is shown; TTFT plus average reasoning tokens over speed where it is "
    "hidden) plus 100 over speed.",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (
    TTFT_OVER_TIME,
    TTFAT_OVER_TIME,
    SPEED_OVER_TIME,
    END_TO_END_OVER_TIME,
    TOTAL_OVER_TIME,
)
