"""Pairs of attempts: the same bytes, sent at the same time by the account that is shown and by another one.

What is tested on them is recorded by the daemon and read by :mod:`projections.queries.integrity`; here they are
only drawn.
"""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, label, measured, number, text, time
from projections.queries.fragments import (
    CHOSEN,
    COUNTS,
    END,
    FILTERS,
    IN_SPAN,
    MEASURING,
    OWN_NAMES,
    START,
    STEP,
    STEP_START,
    TO_END,
    quantile,
)

USUAL_SKEW_MS: Final = 50
"""Pairs begun further apart are not drawn, unless the newest look of their log names another bound."""

_COMPARED: Final = "(empty({account:Array(String)}) OR has({account:Array(String)}, compared_with))"
_FIRST: Final = f"{CHOSEN} AND retry_of IS NULL AND {IN_SPAN}"

PAIRS: Final = f"""
    SELECT m.time AS time, m.vantage AS vantage, m.endpoint AS endpoint, m.account AS account,
           c.account AS compared_with, m.workload AS workload, m.scenario AS scenario, m.definition AS definition,
           if(both, m.ttft_us, NULL) / 1e6 AS ttft, if(both, c.ttft_us, NULL) / 1e6 AS compared_ttft,
           if(both AND long, m.output_speed, NULL) AS speed,
           if(both AND long, c.output_speed, NULL) AS compared_speed,
           m.outcome = 'ok' AND c.outcome = 'ok' AS both,
           ifNull(m.below_minimum, false) = false AND ifNull(c.below_minimum, false) = false AS long
    FROM (SELECT * FROM attempts FINAL WHERE {_FIRST} AND {MEASURING}) AS m
    INNER JOIN (SELECT * FROM attempts FINAL WHERE {_FIRST} AND NOT ({MEASURING})) AS c
            ON c.source = m.source AND c.run = m.run AND c.endpoint = m.endpoint AND c.ordinal = m.ordinal
    LEFT JOIN (
        SELECT source AS bound_of, argMax(max_start_skew_ms, (time, seq)) AS bound_ms FROM comparisons FINAL
        WHERE max_start_skew_ms IS NOT NULL AND time <= {TO_END} GROUP BY source
    ) AS b ON b.bound_of = m.source
    WHERE abs(dateDiff('microsecond', m.time, c.time)) <= 1000 * ifNull(bound_ms, {USUAL_SKEW_MS})
"""
"""First attempts beside one another: values where both answered completely, speed where both are long enough."""

_SAYS: Final = (
    "A pair is the same request to the same endpoint at the same time from two accounts; first attempts alone, begun "
    f"within the bound of the newest look ({USUAL_SKEW_MS} ms before any), both with a complete answer."
)
_PAIR: Final = "endpoint, account, compared_with, vantage, workload, scenario"

OVER_TIME: Final = NamedQuery(
    name="account-pairs-over-time",
    title="Paired difference over time",
    all_accounts=True,
    description=f"{_SAYS} The ratio is the other account's value over that of the account that is shown: median of "
    "the pairs of each step, with P25 and P75. 1 is no difference.",
    shape="series",
    parameters=(START, END, STEP, *FILTERS),
    columns=(
        time("begin of the step"),
        label("endpoint"),
        label("account", "account whose figures are shown"),
        label("compared_with", "the other account"),
        label("vantage"),
        label("workload"),
        label("scenario"),
        text("definition", "definitions that the figures were made with"),
        number("ttft_p50", "ratio", "TTFT, other over shown, median", metric_id="ttft"),
        number("ttft_p25", "ratio", "TTFT, other over shown, P25", metric_id="ttft"),
        number("ttft_p75", "ratio", "TTFT, other over shown, P75", metric_id="ttft"),
        number("speed_p50", "ratio", "output speed, other over shown, median", metric_id="output-speed"),
        number("speed_p25", "ratio", "output speed, other over shown, P25", metric_id="output-speed"),
        number("speed_p75", "ratio", "output speed, other over shown, P75", metric_id="output-speed"),
        number("n", "pairs", "pairs of the step"),
    ),
    sql=f"""
SELECT {STEP_START} AS time, {_PAIR}, any(definition) AS definition,
       {quantile(0.5, "compared_ttft / nullIf(ttft, 0)")} AS ttft_p50,
       {quantile(0.25, "compared_ttft / nullIf(ttft, 0)")} AS ttft_p25,
       {quantile(0.75, "compared_ttft / nullIf(ttft, 0)")} AS ttft_p75,
       {quantile(0.5, "compared_speed / nullIf(speed, 0)")} AS speed_p50,
       {quantile(0.25, "compared_speed / nullIf(speed, 0)")} AS speed_p25,
       {quantile(0.75, "compared_speed / nullIf(speed, 0)")} AS speed_p75,
       count() AS n
FROM (SELECT * EXCEPT time, time AS at FROM ({PAIRS}) WHERE both AND {_COMPARED})
GROUP BY time, {_PAIR}
ORDER BY time, {_PAIR}
{OWN_NAMES}
""",
)


def _distribution(name: str, title: str, metric_id: str, mine: str, theirs: str) -> NamedQuery:
    """Share of each side's pairs at or below every value that occurs."""
    return NamedQuery(
        name=name,
        title=title,
        all_accounts=True,
        description=f"{_SAYS} The share of each side's values that are at most so large (empirical distribution).",
        shape="table",
        parameters=(START, END, *FILTERS),
        columns=(
            measured("value", metric_id, "value"),
            number("shown", "share", "of the account that is shown, values at most so large"),
            number("compared", "share", "of the other accounts, values at most so large"),
            number("n", "pairs", "pairs that have the value"),
            text("definition", "definitions that the figures were made with"),
        ),
        sql=f"""
SELECT value, sum(ours) OVER upto / sum(ours) OVER everything AS shown,
       sum(others) OVER upto / sum(others) OVER everything AS compared,
       toUInt64(sum(ours) OVER everything) AS n, definition
FROM (
    SELECT each.1 AS value, countIf(each.2) AS ours, countIf(NOT each.2) AS others, any(definition) AS definition
    FROM (SELECT * FROM ({PAIRS}) WHERE {_COMPARED} AND {mine} IS NOT NULL AND {theirs} IS NOT NULL)
    ARRAY JOIN [(assumeNotNull({mine}), true), (assumeNotNull({theirs}), false)] AS each
    GROUP BY value
)
WINDOW upto AS (ORDER BY value ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), everything AS ()
ORDER BY value
{OWN_NAMES}
""",
    )


TTFT_DISTRIBUTION: Final = _distribution(
    "account-ttft-distribution", "TTFT of both accounts", "ttft", "ttft", "compared_ttft"
)
SPEED_DISTRIBUTION: Final = _distribution(
    "account-speed-distribution", "Output speed of both accounts", "output-speed", "speed", "compared_speed"
)

FAILURE_MIX: Final = NamedQuery(
    name="account-failures",
    title="Failures by account",
    all_accounts=True,
    description="Attempts of each account that were sent and not ended by us, retries among them, and the shares of "
    "those that came to no complete answer. Rate-limited are answers with status 429.",
    shape="table",
    parameters=(START, END, *FILTERS),
    columns=(
        label("endpoint"),
        label("account"),
        label("role", "measuring: its figures are shown; control: it asks the same beside it"),
        number("rate_limited_share", "share", "refused for their rate", metric_id="rate-limited-share"),
        number("failed_share", "share", "all other failures"),
        number("truncated_share", "share", "answers cut off"),
        number("empty_share", "share", "answers without a token"),
        number("n", "attempts", "attempts that count"),
        text("definition", "definitions that outcomes were decided by"),
    ),
    sql=f"""
SELECT endpoint, account, role, countIf(outcome = 'rate-limited') / count() AS rate_limited_share,
       countIf(outcome = 'failed') / count() AS failed_share,
       countIf(outcome = 'truncated') / count() AS truncated_share,
       countIf(outcome = 'empty') / count() AS empty_share, count() AS n, any(definition) AS definition
FROM attempts FINAL
WHERE {COUNTS} AND {CHOSEN} AND (empty({{account:Array(String)}}) OR has({{account:Array(String)}}, account)
      OR {MEASURING}) AND {IN_SPAN}
GROUP BY endpoint, account, role
ORDER BY endpoint, role DESC, account
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (OVER_TIME, TTFT_DISTRIBUTION, SPEED_DISTRIBUTION, FAILURE_MIX)
