"""What the public is shown: figures that stand by the decisions in force, as of each log's newest checkpoint.

Absent are endpoints whose figures are withheld, delayed beyond the moment asked about or removed, and those that
are delisted or whose provider is banned; the query ``standing`` tells operators why. No account is named.
"""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, flag, label, measured, number, text, time
from projections.queries.fragments import (
    CHOSEN,
    COUNTS,
    END,
    END_TO_END_S,
    IN_SPAN,
    IN_WINDOW,
    INSTRUMENT,
    LONG_ENOUGH,
    OWN_NAMES,
    P50_SAYS,
    PERFORMANCE,
    PROVENANCE,
    SPEED,
    START,
    TO_END,
    TOTAL_100_S,
    TTFAT_S,
    TTFT_S,
    WINDOW,
    instrument,
    quantile,
)
from projections.queries.published import (
    CHECKPOINT,
    CHECKPOINT_SQL,
    CHOICES,
    INTERVAL_SAYS,
    KINDS,
    KINDS_SQL,
    MEASURED_AGAIN,
    NEWEST_CHECKPOINTS,
    PUBLIC_GROUP,
    PUBLIC_LABELS,
    PUBLISHED,
    PUBLISHED_SAYS,
    PUBLISHED_WITH_REASONING,
    WINDOW_SAYS,
    median_interval,
)
from projections.queries.standing import STANDING
from schemas.metrics import metric, stated

_TTFT_LOW, _TTFT_HIGH = median_interval(TTFT_S)
_SPEED_LOW, _SPEED_HIGH = median_interval(SPEED)

LEADERBOARD: Final = NamedQuery(
    name="public-leaderboard",
    title="Public leaderboard",
    description=f"P50s, success and rate-limited share. {WINDOW_SAYS} {PUBLISHED_SAYS} {P50_SAYS} {INTERVAL_SAYS} "
    f"Success: {stated('success-share')}",
    shape="table",
    parameters=(END, *CHOICES),
    columns=(
        *PUBLIC_LABELS,
        label("model"),
        label("region", "endpoint's region where known"),
        label("quantization", "as the provider states it; empty where unknown"),
        KINDS,
        measured("ttft_p50", "ttft", "time to first token"),
        measured("ttft_low", "ttft", "lower end of the median's interval"),
        measured("ttft_high", "ttft", "upper end of the median's interval"),
        measured("ttfat_p50", "ttfat", "time to first answer token"),
        measured("output_speed_p50", "output-speed", "output speed"),
        measured("output_speed_low", "output-speed", "lower end of the median's interval"),
        measured("output_speed_high", "output-speed", "upper end of the median's interval"),
        measured("end_to_end_p50", "end-to-end", "end-to-end response time"),
        measured("total_100_p50", "total-100", "total response time for 100 tokens"),
        flag("total_assumed", "the total rests on the assumed count of reasoning tokens"),
        number("attempts", "attempts", "attempts sent and not ended by us"),
        measured("success_share", "success-share", "complete answers among them"),
        measured("rate_limited_share", "rate-limited-share", "refused for their rate among them"),
        measured("below_minimum_share", "below-minimum-share", "too short among complete answers"),
        flag("simulated", "reference endpoint or simulated clock"),
        MEASURED_AGAIN,
        *INSTRUMENT,
        *PROVENANCE,
        *CHECKPOINT,
    ),
    sql=f"""
SELECT {PUBLIC_GROUP}, anyLast(model) AS model, anyLast(region) AS region, anyLast(quantization) AS quantization,
       {KINDS_SQL},
       {quantile(0.5, TTFT_S)} AS ttft_p50, {_TTFT_LOW} AS ttft_low, {_TTFT_HIGH} AS ttft_high,
       {quantile(0.5, TTFAT_S)} AS ttfat_p50,
       {quantile(0.5, SPEED)} AS output_speed_p50,
       {_SPEED_LOW} AS output_speed_low, {_SPEED_HIGH} AS output_speed_high,
       {quantile(0.5, END_TO_END_S)} AS end_to_end_p50,
       {quantile(0.5, f"if({LONG_ENOUGH}, {TOTAL_100_S}, NULL)")} AS total_100_p50,
       max(ifNull(reasoning_hidden, false) AND reasoning_assumed) AS total_assumed,
       count() AS attempts, countIf(outcome = 'ok') / count() AS success_share,
       countIf(outcome = 'rate-limited') / count() AS rate_limited_share,
       if(countIf(outcome = 'ok') = 0, NULL,
          countIf(outcome = 'ok' AND ifNull(below_minimum, false)) / countIf(outcome = 'ok')) AS below_minimum_share,
       max(simulated) AS simulated, max(shown_account IS NOT NULL) AS measured_again,
       {instrument("outcome = 'ok'")}, countIf(outcome = 'ok') AS n,
       {TO_END} - toIntervalSecond(any({WINDOW})) AS window_start, {TO_END} AS window_end,
       any(definition) AS definition, max(time) AS newest, {CHECKPOINT_SQL}
FROM (SELECT * FROM ({PUBLISHED_WITH_REASONING}) WHERE {PERFORMANCE} AND {COUNTS} AND {CHOSEN} AND {IN_WINDOW})
GROUP BY {PUBLIC_GROUP}
ORDER BY workload, scenario, output_speed_p50 IS NULL, output_speed_p50 DESC, endpoint, vantage, source
{OWN_NAMES}
""",
)

_LEVELS: Final = {"p5": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}
_EXPRESSIONS: Final = {
    "ttft": TTFT_S,
    "ttfat": TTFAT_S,
    "output-speed": SPEED,
    "end-to-end": END_TO_END_S,
    "total-100": f"if({LONG_ENOUGH}, {TOTAL_100_S}, NULL)",
}
_METRICS: Final = ", ".join(f"('{name}', '{metric(name).unit}', {value})" for name, value in _EXPRESSIONS.items())
_LOW, _HIGH = median_interval("figure.3")

ENDPOINTS: Final = NamedQuery(
    name="public-endpoints",
    title="Public figures of each endpoint",
    description="TTFT, TTFAT, output speed, end-to-end and total response time for 100 tokens by endpoint, workload "
    f"and scenario. {WINDOW_SAYS} {PUBLISHED_SAYS} {P50_SAYS} {INTERVAL_SAYS} "
    f"Total for 100 tokens: {stated('total-100')}",
    shape="table",
    parameters=(END, *CHOICES),
    columns=(
        *PUBLIC_LABELS,
        label("metric", ", ".join(_EXPRESSIONS)),
        label("unit", "s or tokens/s"),
        KINDS,
        *(number(name, "as the column unit says", f"{name.upper()} of the attempts") for name in _LEVELS),
        number("low", "as the column unit says", "lower end of the median's interval"),
        number("high", "as the column unit says", "upper end of the median's interval"),
        flag("assumed", "rests on the assumed count of reasoning tokens"),
        flag("simulated", "reference endpoint or simulated clock"),
        MEASURED_AGAIN,
        *INSTRUMENT,
        *PROVENANCE,
        *CHECKPOINT,
    ),
    sql=f"""
SELECT {PUBLIC_GROUP}, figure.1 AS metric, figure.2 AS unit, {KINDS_SQL},
       {", ".join(f"{quantile(level, 'figure.3')} AS {name}" for name, level in _LEVELS.items())},
       {_LOW} AS low, {_HIGH} AS high,
       metric = 'total-100' AND max(ifNull(reasoning_hidden, false) AND reasoning_assumed) AS assumed,
       max(simulated) AS simulated, max(shown_account IS NOT NULL) AS measured_again,
       {instrument("figure.3 IS NOT NULL")}, countIf(figure.3 IS NOT NULL) AS n,
       {TO_END} - toIntervalSecond(any({WINDOW})) AS window_start, {TO_END} AS window_end,
       any(definition) AS definition, maxIf(toNullable(time), figure.3 IS NOT NULL) AS newest, {CHECKPOINT_SQL}
FROM (SELECT * FROM ({PUBLISHED_WITH_REASONING}) WHERE {PERFORMANCE} AND outcome = 'ok' AND {CHOSEN} AND {IN_WINDOW})
ARRAY JOIN [{_METRICS}] AS figure
GROUP BY {PUBLIC_GROUP}, metric, unit
ORDER BY endpoint, vantage, source, workload, scenario, metric
{OWN_NAMES}
""",
)

HISTORY: Final = NamedQuery(
    name="public-history",
    title="Public history",
    description="P50 of TTFT and output speed by UTC day, with success; the first and last day of a span may be "
    f"parts of days. {PUBLISHED_SAYS} {P50_SAYS} Success: {stated('success-share')}",
    shape="series",
    parameters=(START, END, *CHOICES),
    columns=(
        time("begin of the UTC day"),
        *PUBLIC_LABELS,
        text("definition", "definitions that the figures were made with"),
        text("checkpoint_root", "Merkle root of the checkpoint that figures are as of, hexadecimal"),
        measured("ttft_p50", "ttft", "time to first token"),
        measured("output_speed_p50", "output-speed", "output speed"),
        measured("success_share", "success-share", "complete answers among attempts"),
        number("attempts", "attempts", "attempts sent and not ended by us"),
        number("n", "attempts", "of them complete answers"),
        number("checkpoint_size", "events", "events of the log under that checkpoint"),
    ),
    sql=f"""
SELECT toDateTime(toStartOfDay(at), 'UTC') AS time, {PUBLIC_GROUP}, any(definition) AS definition,
       any(checkpoint_root) AS checkpoint_root,
       {quantile(0.5, TTFT_S)} AS ttft_p50, {quantile(0.5, SPEED)} AS output_speed_p50,
       countIf(outcome = 'ok') / count() AS success_share, count() AS attempts, countIf(outcome = 'ok') AS n,
       any(checkpoint_size) AS checkpoint_size
FROM (SELECT * EXCEPT time, time AS at FROM ({PUBLISHED}) WHERE {PERFORMANCE} AND {COUNTS} AND {CHOSEN} AND {IN_SPAN})
GROUP BY time, {PUBLIC_GROUP}
ORDER BY time, {PUBLIC_GROUP}
{OWN_NAMES}
""",
)

CHECKPOINTS: Final = NamedQuery(
    name="public-checkpoints",
    title="Checkpoints of public figures",
    description="The newest checkpoint of each log, up to the chosen end, whose events are folded into every table. "
    "Public figures are as of it.",
    shape="table",
    parameters=(END,),
    columns=(
        label("source", "log"),
        time("when it was recorded"),
        number("size", "events", "events of the log under it"),
        label("root", "its Merkle root, hexadecimal"),
    ),
    sql=f"""
SELECT checkpoint_of AS source, checkpointed AS time, checkpoint_size AS size, checkpoint_root AS root
FROM ({NEWEST_CHECKPOINTS})
ORDER BY source
{OWN_NAMES}
""",
)

DISCLOSURES: Final = NamedQuery(
    name="public-disclosures",
    title="Public statements on cases",
    description="What persons decided to tell the public about an endpoint; a statement stands until it is lifted or "
    "its case is cleared. Endpoints whose figures are absent are named here when there is a statement about them.",
    shape="table",
    parameters=(END,),
    columns=(
        label("endpoint"),
        text("statement", "what the public is told"),
        flag("figures_absent", "no figures of it are published at the chosen end"),
        time("when the newest measure was taken", "decided"),
    ),
    sql=f"""
SELECT standing_of AS endpoint, disclosed AS statement,
       withheld OR removed OR delisted OR banned OR ifNull(delayed_until > {TO_END}, false) AS figures_absent,
       decided
FROM ({STANDING})
WHERE disclosed IS NOT NULL
ORDER BY endpoint
{OWN_NAMES}
""",
)

ATTESTATIONS: Final = NamedQuery(
    name="public-attestations",
    title="What providers attest",
    description="The newest attestation of each endpoint up to the chosen end, as the provider gave it: a statement, "
    "not a measurement.",
    shape="table",
    parameters=(END,),
    columns=(
        label("endpoint"),
        text("statement", "in the provider's words"),
        text("stated_by", "who confirmed it, and where that can be found"),
        text("model_version", "model version"),
        text("quantization", "precision or quantization"),
        number("context_tokens", "tokens", "context length"),
        flag("public_standard_offer", "what is measured is the public standard offer"),
        time("when it was recorded", "attested"),
    ),
    sql=f"""
SELECT endpoint, statement, stated_by, model_version, quantization, context_tokens, public_standard_offer,
       time AS attested
FROM attestations FINAL
WHERE time <= {TO_END}
ORDER BY endpoint, time DESC, source, seq DESC
LIMIT 1 BY endpoint
{OWN_NAMES}
""",
)

DEFINITIONS: Final = NamedQuery(
    name="definitions",
    title="Definitions",
    description="Values of every set of definitions that these tables' rows were folded under.",
    shape="table",
    parameters=(),
    columns=(
        label("definition", "identifier, as stamped on rows"),
        text("version", "name of the set"),
        number("last_share", "share", "share of chunks for the speed of hidden reasoning"),
        number("assumed_reasoning_tokens", "tokens", "stands in for an unknown average"),
        number("reasoning_sample_prompts", "prompts", "distinct prompts that a measured average needs"),
        number("short_window_us", "us", "speed windows below this are not believed"),
    ),
    sql=f"""
SELECT definition, version, last_share, assumed_reasoning_tokens, reasoning_sample_prompts, short_window_us
FROM definitions FINAL
ORDER BY version, definition
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (
    LEADERBOARD,
    ENDPOINTS,
    HISTORY,
    CHECKPOINTS,
    DISCLOSURES,
    ATTESTATIONS,
    DEFINITIONS,
)
