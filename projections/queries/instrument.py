"""Can the instrument be believed: slots, calibration, how far tables have come, what is in the catalogue."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, Parameter, flag, label, number, text, time
from projections.queries.fragments import END, FROM_START, IN_SPAN, LIMIT, OWN_NAMES, START, TO_END

_WORKLOAD: Final = Parameter(
    name="workload", type="Array(String)", description="workloads; none given means all", default=()
)
_WORKLOADS: Final = "(empty({workload:Array(String)}) OR has({workload:Array(String)}, workload))"

SLOTS: Final = NamedQuery(
    name="slots",
    title="Slots",
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
        time("newest slot", "newest"),
        time("begin of the span", "window_start"),
        time("end of the span", "window_end"),
    ),
    sql=f"""
SELECT r.source AS source, workload, scenario, count() AS slots, countIf(kind = 'planned') AS run,
       countIf(ifNull(late, false)) AS late, countIf(ifNull(reason, '') = 'missed') AS missed,
       countIf(kind = 'skipped' AND reason != 'missed') AS skipped,
       sum(r.attempts) AS planned_attempts, sum(ifNull(e.ended, 0)) AS ended_attempts, max(time) AS newest,
       {FROM_START} AS window_start, {TO_END} AS window_end
FROM (SELECT *, ifNull(run, toUUID('00000000-0000-0000-0000-000000000000')) AS run_id FROM runs FINAL
      WHERE slot IS NOT NULL AND {IN_SPAN} AND {_WORKLOADS}) AS r
LEFT JOIN (SELECT run AS run_id, count() AS ended FROM attempts FINAL WHERE retry_of IS NULL GROUP BY run) AS e
       ON e.run_id = r.run_id
GROUP BY r.source, workload, scenario
ORDER BY r.source, workload, scenario
{OWN_NAMES}
""",
)

LAST_SLOTS: Final = NamedQuery(
    name="last-slots",
    title="Last slots",
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
        text("detail", "more about a skipped slot"),
    ),
    sql=f"""
SELECT time, r.source AS source, slot, workload, scenario,
       multiIf(kind = 'skipped', ifNull(reason, 'skipped'), ifNull(late, false), 'late', 'in-time') AS state,
       r.attempts AS attempts, ifNull(e.ok, 0) AS ok, detail
FROM (SELECT *, ifNull(run, toUUID('00000000-0000-0000-0000-000000000000')) AS run_id FROM runs FINAL
      WHERE slot IS NOT NULL AND time <= {TO_END} AND {_WORKLOADS}) AS r
LEFT JOIN (SELECT run AS run_id, countIf(outcome = 'ok') AS ok FROM attempts FINAL GROUP BY run) AS e
       ON e.run_id = r.run_id
ORDER BY time DESC, r.source, workload, scenario
LIMIT {{limit:UInt32}}
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
    ),
    sql=f"""
SELECT time, source, profile, metric, statistic, unit, truth, measured, error, within_bounds, n, loop_lag_p99_us
FROM calibrations FINAL
WHERE {IN_SPAN}
ORDER BY time, profile, metric, statistic
{OWN_NAMES}
""",
)

POSITIONS: Final = NamedQuery(
    name="positions",
    title="Positions",
    description="How far each projection has folded each source, and under which definitions.",
    shape="table",
    parameters=(),
    columns=(
        label("projection"),
        label("source"),
        number("seq", "events", "position up to which everything is folded"),
        number("version", "", "version of the projection"),
        text("definition", "definitions that the rows were made with"),
    ),
    sql=f"""
SELECT projection, source, seq, version, definition
FROM checkpoints FINAL
WHERE NOT startsWith(projection, 'rebuild:')
ORDER BY projection, source
{OWN_NAMES}
""",
)

CATALOGUE: Final = NamedQuery(
    name="catalogue",
    title="Catalogue",
    description="Endpoints of the newest declaration of each source, with the newest price up to the chosen end.",
    shape="table",
    parameters=(END,),
    columns=(
        label("source"),
        label("vantage"),
        label("provider"),
        label("endpoint"),
        label("model"),
        label("dialect"),
        label("reasoning"),
        text("provider_title", "provider's name for people"),
        text("region", "where it runs"),
        text("quantization", "as the provider states it"),
        number("context_tokens", "tokens", "context length"),
        flag("vision", "takes pictures"),
        flag("simulated", "reference endpoint"),
        number("input_usd", "USD per million tokens", "input"),
        number("output_usd", "USD per million tokens", "output"),
        number("cached_input_usd", "USD per million tokens", "input from a cache"),
        time("when it was declared", "declared"),
        text("overrides", "parameters that differ from the methodology, JSON"),
    ),
    sql=f"""
SELECT e.source AS source, e.vantage AS vantage, e.provider AS provider, e.endpoint AS endpoint, e.model AS model,
       e.dialect AS dialect, e.reasoning AS reasoning, e.provider_title AS provider_title, e.region AS region,
       e.quantization AS quantization, e.context_tokens AS context_tokens, e.vision AS vision,
       e.simulated AS simulated, p.input_usd AS input_usd, p.output_usd AS output_usd,
       p.cached_usd AS cached_input_usd,
       e.time AS declared, e.overrides AS overrides
FROM (SELECT * FROM endpoints FINAL
      WHERE (source, seq) IN (SELECT source, max(seq) FROM declarations FINAL GROUP BY source)) AS e
LEFT JOIN (
    SELECT source, seq, endpoint, toNullable(toFloat64(argMax(input_usd, valid_from))) AS input_usd,
           toNullable(toFloat64(argMax(output_usd, valid_from))) AS output_usd,
           toFloat64(argMax(tuple(cached_input_usd), valid_from).1) AS cached_usd
    FROM prices FINAL WHERE valid_from <= toDate({TO_END}) GROUP BY source, seq, endpoint
) AS p ON p.source = e.source AND p.seq = e.seq AND p.endpoint = e.endpoint
ORDER BY e.source, e.provider, e.endpoint
{OWN_NAMES}
""",
)

CHOICES: Final = NamedQuery(
    name="choices",
    title="Choices",
    description="Values that the common parameters can take: whatever occurs in attempts, newest first seen last.",
    shape="table",
    parameters=(),
    columns=(
        label("parameter", "vantage, provider, endpoint, account, workload or scenario"),
        label("value"),
        number("n", "attempts", "attempts with it"),
        time("newest attempt with it", "newest"),
    ),
    sql=f"""
SELECT choice.1 AS parameter, choice.2 AS value, count() AS n, max(time) AS newest
FROM attempts FINAL
ARRAY JOIN [('vantage', toString(vantage)), ('provider', toString(provider)), ('endpoint', toString(endpoint)),
            ('account', toString(account)), ('workload', toString(workload)),
            ('scenario', toString(scenario))] AS choice
GROUP BY parameter, value
ORDER BY parameter, value
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (SLOTS, LAST_SLOTS, CALIBRATION, POSITIONS, CATALOGUE, CHOICES)
