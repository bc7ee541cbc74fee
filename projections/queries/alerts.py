"""What alerts look at: one row for each subject, labels that name it, and one ``value`` that is compared.

What each value is compared with, and what to do then, is in ``dashboards/alerts.py``. Only measuring
accounts count, as in every figure. A subject without data has no row.
"""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, label, number
from projections.queries.fragments import (
    COUNTS,
    END,
    FROM_START,
    IN_SPAN,
    LONG_ENOUGH,
    MEASURED,
    MEASURING,
    OWN_NAMES,
    PERFORMANCE,
    START,
    TO_END,
)

_WHO: Final = "vantage, provider, endpoint"
_WHO_COLUMNS: Final = (label("vantage"), label("provider"), label("endpoint"))
_SLOT_LABELS: Final = (label("source"), label("workload"), label("scenario"))

PERIODS_BACK_DAYS: Final = 28
BAND_DAYS: Final = 14
BAND_LEAST_DAYS: Final = 5
BAND_WIDTH: Final = 3
BAND_LEAST_SHARE: Final = 0.1

SUCCESS: Final = NamedQuery(
    name="alert-success",
    title="Success",
    description="Complete answers among the attempts of the span that were sent and not ended by us, by endpoint.",
    shape="table",
    parameters=(START, END),
    columns=(
        *_WHO_COLUMNS,
        number("value", "share", "complete answers among the attempts", metric_id="success-share"),
    ),
    sql=f"""
SELECT {_WHO}, countIf(outcome = 'ok') / count() AS value
FROM attempts FINAL
WHERE {COUNTS} AND {MEASURED} AND {IN_SPAN}
GROUP BY {_WHO}
ORDER BY {_WHO}
{OWN_NAMES}
""",
)

# A period is the shortest distance of two nominal times. A workload whose source goes on with others and has
# passed it over for three periods was taken out of the schedule; a source that is silent altogether was not.
SILENCE: Final = NamedQuery(
    name="alert-without-success",
    title="Periods without a successful attempt",
    description="Time since the newest complete answer, or since the first slot where there was none, in periods of "
    f"the workload's schedule, by endpoint of the newest catalogue; over the last {PERIODS_BACK_DAYS} days.",
    shape="table",
    parameters=(END,),
    columns=(*_SLOT_LABELS, label("endpoint"), number("value", "periods", "periods since the newest success")),
    sql=f"""
SELECT source, workload, scenario, endpoint,
       (toUnixTimestamp64Micro({TO_END}) - toUnixTimestamp64Micro(ifNull(newest_ok, first_planned))) / 1e6
           / period_s AS value
FROM (
    SELECT source, workload, scenario, endpoint, min(time) AS first_planned
    FROM planned_attempts FINAL
    WHERE slot IS NOT NULL AND {MEASURING}
      AND time > {TO_END} - toIntervalDay({PERIODS_BACK_DAYS}) AND time <= {TO_END}
      AND (source, endpoint) IN (
          SELECT source, endpoint FROM endpoints FINAL
          WHERE (source, seq) IN (SELECT source, max(seq) FROM declarations FINAL GROUP BY source))
    GROUP BY source, workload, scenario, endpoint
) AS planned
INNER JOIN (
    SELECT source AS slot_source, workload AS slot_workload, scenario AS slot_scenario,
           arraySort(groupUniqArray(toUnixTimestamp(nominal))) AS nominals,
           arrayMin(arrayPopFront(arrayDifference(nominals))) AS period_s, max(nominal) AS newest_slot
    FROM runs FINAL
    WHERE slot IS NOT NULL AND nominal IS NOT NULL
      AND time > {TO_END} - toIntervalDay({PERIODS_BACK_DAYS}) AND time <= {TO_END}
    GROUP BY source, workload, scenario
    HAVING length(nominals) > 1
) AS slots ON slot_source = source AND slot_workload = workload AND slot_scenario = scenario
INNER JOIN (
    SELECT source AS alive_source, max(time) AS newest_of_source
    FROM runs FINAL WHERE time <= {TO_END} GROUP BY source
) AS alive ON alive_source = source
LEFT JOIN (
    SELECT source AS ok_source, workload AS ok_workload, scenario AS ok_scenario, endpoint AS ok_endpoint,
           toNullable(max(time)) AS newest_ok
    FROM attempts FINAL
    WHERE outcome = 'ok' AND {MEASURED}
      AND time > {TO_END} - toIntervalDay({PERIODS_BACK_DAYS}) AND time <= {TO_END}
    GROUP BY source, workload, scenario, endpoint
) AS good ON ok_source = source AND ok_workload = workload AND ok_scenario = scenario AND ok_endpoint = endpoint
WHERE newest_of_source < newest_slot + toIntervalSecond(3 * period_s)
ORDER BY source, workload, scenario, endpoint
{OWN_NAMES}
""",
)

_SERIES: Final = "vantage, provider, endpoint, account, workload, scenario"
_DAY: Final = f"toInt64(floor((toUnixTimestamp64Micro({TO_END}) - toUnixTimestamp64Micro(time)) / 86400e6))"
_P50_EACH: Final = "[('ttft', ttft_us / 1e6), ('output-speed', if(" + LONG_ENOUGH + ", output_speed, NULL))]"

OFF_BAND: Final = NamedQuery(
    name="alert-off-band",
    title="P50 off its own band",
    description="Distance of the last day's P50 from the median of the daily P50s of the 14 days before, in widths "
    f"of the band. The band reaches {BAND_WIDTH} robust standard deviations (1.4826 times the median absolute "
    f"deviation) to either side, at least {BAND_LEAST_SHARE:.0%} of the median; it needs {BAND_LEAST_DAYS} "
    "days with figures.",
    shape="table",
    parameters=(END,),
    columns=(
        *_WHO_COLUMNS,
        label("account"),
        label("workload"),
        label("scenario"),
        label("metric", "ttft or output-speed"),
        number("value", "band widths", "distance from the middle of the band; over 1 is outside"),
    ),
    sql=f"""
SELECT {_SERIES}, metric, abs(today - middle) / greatest(
           {BAND_WIDTH} * 1.4826 * arrayReduce('quantileExactInclusive(0.5)', arrayMap(x -> abs(x - middle), before)),
           {BAND_LEAST_SHARE} * middle) AS value
FROM (
    SELECT {_SERIES}, metric, anyIf(p50, day = 0) AS today, groupArrayIf(p50, day > 0) AS before,
           arrayReduce('quantileExactInclusive(0.5)', before) AS middle
    FROM (
        SELECT {_SERIES}, day, metric, quantileExactInclusive(0.5)(assumeNotNull(figure)) AS p50
        FROM (
            SELECT {_SERIES}, {_DAY} AS day, each.1 AS metric, each.2 AS figure
            FROM (SELECT * FROM attempts FINAL
                  WHERE {PERFORMANCE} AND outcome = 'ok' AND {MEASURED}
                    AND time > {TO_END} - toIntervalDay({BAND_DAYS + 1}) AND time <= {TO_END})
            ARRAY JOIN {_P50_EACH} AS each
            WHERE figure IS NOT NULL
        )
        GROUP BY {_SERIES}, day, metric
    )
    GROUP BY {_SERIES}, metric
    HAVING countIf(day = 0) = 1 AND length(before) >= {BAND_LEAST_DAYS} AND middle > 0
)
ORDER BY {_SERIES}, metric
{OWN_NAMES}
""",
)

CASES: Final = NamedQuery(
    name="alert-integrity-cases",
    title="Integrity cases opened",
    description="Cases that were opened in the span, by endpoint, account and the account it was compared with.",
    shape="table",
    parameters=(START, END),
    columns=(
        label("source"),
        label("endpoint"),
        label("account"),
        label("compared_with", "account that it was compared with"),
        number("value", "cases", "cases opened"),
    ),
    sql=f"""
SELECT source, endpoint, account, compared_with, count() AS value
FROM cases FINAL
WHERE {IN_SPAN}
GROUP BY source, endpoint, account, compared_with
ORDER BY source, endpoint, account, compared_with
{OWN_NAMES}
""",
)

LAG: Final = NamedQuery(
    name="alert-projection-lag",
    title="Projection lag",
    description="Age of the newest event that a projection has folded. Tables cannot see the log: a daemon that "
    "writes nothing looks the same, and its rhythm is the least age that can be told from it.",
    shape="table",
    parameters=(END,),
    columns=(label("source"), label("projection"), number("value", "s", "age of the newest event folded")),
    sql=f"""
SELECT c.source AS source, projection,
       (toUnixTimestamp64Micro({TO_END}) - toUnixTimestamp64Micro(e.time)) / 1e6 AS value
FROM (SELECT * FROM checkpoints FINAL WHERE NOT startsWith(projection, 'rebuild:')) AS c
INNER JOIN (SELECT source, seq, time FROM events FINAL
            WHERE (source, seq) IN (SELECT source, seq FROM checkpoints FINAL)) AS e
        ON e.source = c.source AND e.seq = c.seq
ORDER BY source, projection
{OWN_NAMES}
""",
)

CALIBRATION: Final = NamedQuery(
    name="alert-calibration",
    title="Calibration error out of bounds",
    description="Medians of the newest calibration of the span, by source, transport and way, that are out "
    "of their bound: 2 % or 2 ms, whichever is larger.",
    shape="table",
    parameters=(START, END),
    columns=(
        label("source"),
        label("transport"),
        label("way", "plain or TLS"),
        number("value", "medians", "medians out of bounds"),
    ),
    sql=f"""
SELECT source, transport, if(tls, 'TLS', 'plain') AS way, countIf(NOT within_bounds) AS value
FROM calibrations FINAL
WHERE statistic = 'p50' AND {IN_SPAN}
  AND (source, transport, tls, seq) IN (
      SELECT source, transport, tls, max(seq) FROM calibrations FINAL WHERE {IN_SPAN} GROUP BY source, transport, tls)
GROUP BY source, transport, tls
ORDER BY source, transport, tls
{OWN_NAMES}
""",
)

MISSED: Final = NamedQuery(
    name="alert-slots-missed",
    title="Slots missed",
    description="Slots of the span that nobody was there to run, by workload. They are recorded when the daemon is "
    "back, under the time of that record.",
    shape="table",
    parameters=(START, END),
    columns=(*_SLOT_LABELS, number("value", "slots", "slots missed")),
    sql=f"""
SELECT source, workload, scenario, countIf(kind = 'skipped' AND ifNull(reason, '') = 'missed') AS value
FROM runs FINAL
WHERE recorded >= {FROM_START} AND recorded < {TO_END} AND slot IS NOT NULL
GROUP BY source, workload, scenario
ORDER BY source, workload, scenario
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (SUCCESS, SILENCE, OFF_BAND, CASES, LAG, CALIBRATION, MISSED)
