"""How much a choice of the methodology matters: output speed under other shares than the last 80 % of the chunks."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, ResultColumn, measured, number
from projections.queries.fragments import (
    END,
    FILTERED,
    FILTERS,
    GROUP,
    IN_WINDOW,
    LONG_ENOUGH,
    LONGEST_WINDOW_S,
    OWN_NAMES,
    P50_SAYS,
    PERFORMANCE,
    PROVENANCE,
    SERIES_LABELS,
    TO_END,
    WINDOW,
    quantile,
)

SHARES: Final = (60, 70, 80, 90, 100)
"""Shares of the chunks that are set side by side, in per cent; 100 is the speed without the rule."""


def speed_over_last(share_percent: int) -> str:
    """Speed over the last share of a timeline's chunks, as ``projections.metrics.output_speed`` has it.

    ``arrivals`` and ``counts`` hold time in microseconds and tokens of each token-bearing chunk,
    ``short_window_us`` the shortest window that is believed. Whole per cent keep floor((1 - share) n) exact.
    """
    first = f"intDiv(length(arrivals) * {100 - share_percent}, 100) + 1"
    window_us = f"(arrivals[-1] - arrivals[{first}])"
    tokens = f"arraySum(arraySlice(counts, {first} + 1))"
    return f"if({window_us} = 0 OR {window_us} < short_window_us, NULL, {tokens} * 1000000 / {window_us})"


def _column(share_percent: int) -> ResultColumn:
    return measured(f"last_{share_percent}_p50", "output-speed", f"median over the last {share_percent} % of chunks")


_COUNTED: Final = f"{PERFORMANCE} AND outcome = 'ok' AND {LONG_ENOUGH} AND {FILTERED} AND {IN_WINDOW}"

SPEED_BY_SHARE: Final = NamedQuery(
    name="speed-by-last-share",
    title="Output speed by share of chunks",
    description="Median output speed over the last 60, 70, 80 and 90 % of each answer's chunks and over all of them, "
    "computed from the stored timelines over the workload's window that ends at the chosen end: what the published "
    "speed would be under another share. The rule applies where reasoning is hidden; elsewhere all chunks count, and "
    f"the figures show how even the stream is. {P50_SAYS}",
    shape="table",
    parameters=(END, *FILTERS),
    columns=(
        *SERIES_LABELS,
        measured("published_p50", "output-speed", "median under the definitions in force"),
        *(_column(share) for share in SHARES),
        number(
            "spread_share",
            "share",
            "largest minus smallest of the medians over 60 to 90 %, over the one over 80 %",
            metric_id="output-speed",
        ),
        number("hidden_share", "share", "attempts that hide reasoning: the rule applies", metric_id="output-speed"),
        number("last_share", "share", "share of chunks that the definitions in force name"),
        *PROVENANCE,
    ),
    sql=f"""
SELECT {GROUP}, {quantile(0.5, "output_speed")} AS published_p50,
       {", ".join(f"{quantile(0.5, speed_over_last(share))} AS last_{share}_p50" for share in SHARES)},
       (greatest(last_60_p50, last_70_p50, last_80_p50, last_90_p50)
           - least(last_60_p50, last_70_p50, last_80_p50, last_90_p50)) / nullIf(last_80_p50, 0) AS spread_share,
       avgOrNull(reasoning_hidden) AS hidden_share, any(last_share) AS last_share, count() AS n,
       {TO_END} - toIntervalSecond(any({WINDOW})) AS window_start, {TO_END} AS window_end,
       any(definition) AS definition, max(time) AS newest
FROM (SELECT * FROM attempts FINAL WHERE {_COUNTED}) AS a
INNER JOIN (
    SELECT attempt AS timed, arrayFilter((at, kind) -> kind != 0, elapsed_us, channel) AS arrivals,
           arrayFilter((count, kind) -> kind != 0, tokens, channel) AS counts
    FROM timelines FINAL
    WHERE attempt IN (SELECT attempt FROM attempts FINAL WHERE {_COUNTED})
      AND time > {TO_END} - toIntervalSecond({LONGEST_WINDOW_S}) AND time <= {TO_END}
) AS t ON t.timed = attempt
LEFT JOIN (SELECT definition AS values_of, last_share, short_window_us FROM definitions FINAL) AS d
    ON d.values_of = definition
GROUP BY {GROUP}
ORDER BY {GROUP}
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (SPEED_BY_SHARE,)
