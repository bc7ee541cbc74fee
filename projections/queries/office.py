"""Office tasks in SQL: which asks make an answer, which verdicts are in force, and documents with both.

The rules. Of each endpoint and task the newest data set counts, of each document the newest answer, with the
asks that led to it: from the beginning of the run that asked first, to the answer. A verdict is in force when
nothing supersedes it, and of several the one by the newest version. Private documents add to costs and latencies
and are never a row of their own.
"""

from __future__ import annotations

from typing import Final

from projections.queries.contract import Parameter, ResultColumn, flag, label, number, text, time
from projections.queries.fragments import END, FILTERS, TO_END
from schemas.office import SCORER

WHOSE: Final = (END, *(each for each in FILTERS if each.name in {"vantage", "provider", "endpoint"}))
TASK: Final = Parameter(
    name="task", type="Array(String)", description="invoice, email, personal; none given means all", default=()
)
LANGUAGE: Final = Parameter(
    name="language", type="Array(String)", description="cs, en: of the documents; none given means both", default=()
)
PARAMETERS: Final = (*WHOSE, TASK, LANGUAGE)

CHOSEN: Final = " AND ".join(
    f"(empty({{{name}:Array(String)}}) OR has({{{name}:Array(String)}}, {name}))"
    for name in ("vantage", "provider", "endpoint")
)

IN_LANGUAGE: Final = "(empty({language:Array(String)}) OR has({language:Array(String)}, language))"
IN_TASK: Final = "(empty({task:Array(String)}) OR has({task:Array(String)}, work))"
CHOSEN_DOCUMENTS: Final = f"{CHOSEN} AND {IN_TASK} AND {IN_LANGUAGE}"


def asks(chosen: str) -> str:
    """Select asks that made the newest answers; chosen: condition on rows of ``office_attempts``."""
    return f"""
    SELECT * FROM (
        SELECT *, argMaxIf(run_start, time, kind != 'again' AND time <= final_time) OVER d AS chain_start
        FROM (
            SELECT *, maxIf(time, answered) OVER d AS final_time, minIf(time, kind != 'again') OVER r AS run_start,
                   argMax(data_set, (answered, time)) OVER (PARTITION BY vantage, endpoint, work) AS newest_set
            FROM office_attempts FINAL
            WHERE time <= {TO_END} AND role = 'measuring' AND repetition = 1 AND NOT own_end AND {chosen}
            WINDOW d AS (PARTITION BY vantage, endpoint, work, data_set, language, document),
                   r AS (PARTITION BY vantage, endpoint, work, data_set, language, document, run)
        )
        WHERE data_set = newest_set
        WINDOW d AS (PARTITION BY vantage, endpoint, work, language, document)
    )
    WHERE final_time > toDateTime64(0, 6, 'UTC') AND time BETWEEN chain_start AND final_time
"""


def documents(chosen: str) -> str:
    """Select answered documents: what the answer cost and took, and which attempt it is.

    One row for each document and endpoint. source: log of the answer. latency_s: sum over the asks that were
    answered. known_usd: what is known of the cost; unknown_costs: how many asks have none.
    """
    return f"""
    SELECT vantage, toString(endpoint) AS endpoint, toString(work) AS task, toString(language) AS language,
           toString(split) AS split, toString(data_set) AS data_set, document,
           argMax(provider, time) AS provider, argMax(model, time) AS model,
           any(pair) AS pair, any(tier) AS tier, any(variant) AS variant, any(layout) AS layout,
           argMaxIf(attempt, time, answered) AS final_attempt,
           argMaxIf(prompt_version, time, answered) AS prompt_version,
           argMaxIf(toString(source), time, answered) AS source,
           max(final_time) AS answered_at, sumIf(latency_us, answered) / 1e6 AS latency_s,
           sum(cost_usd) AS known_usd, countIf(may_cost AND cost_usd IS NULL) AS unknown_costs,
           max(kind = 'again') AS asked_again, max(kind = 'without-schema') AS without_schema,
           max(simulated) AS simulated
    FROM ({asks(f"work != 'language-tax' AND {chosen}")})
    GROUP BY vantage, endpoint, task, language, split, data_set, document
"""


def in_force(chosen: str = "true") -> str:
    """Select verdicts by the rules in force, one for each field of each judged answer.

    category is empty where nothing is wrong. chosen: condition on rows of ``office_judgments``.
    """
    recorded = f"time <= {TO_END} AND {chosen}"
    return f"""
    SELECT assumeNotNull(attempt) AS judged_attempt, toString(field) AS field, verdict,
           toString(category) AS category, judge_version
    FROM (
        SELECT *, row_number() OVER (PARTITION BY attempt, document, field ORDER BY
            arrayMap(part -> toUInt64(part), extractAll(toString(judge_version), '[0-9]+')) DESC,
            time DESC, source DESC, seq DESC) AS place
        FROM office_judgments FINAL
        WHERE {recorded} AND judge = '{SCORER}' AND attempt IS NOT NULL AND judgment NOT IN (
            SELECT assumeNotNull(supersedes) FROM office_judgments FINAL
            WHERE supersedes IS NOT NULL AND {recorded})
    )
    WHERE place = 1
"""


def judged(chosen: str, *, verdicts: str = "true") -> str:
    """Select open documents whose answer was judged, with counts of their fields.

    verdicts: as ``chosen`` of :func:`in_force`.
    """
    return f"""
    SELECT d.*, right, judged, valid, valid AND right = judged AS error_free, judge_version
    FROM (SELECT * FROM ({documents(chosen)}) WHERE split = 'open') AS d
    INNER JOIN (
        SELECT judged_attempt, countIf(verdict) AS right, countIf(verdict IS NOT NULL) AS judged,
               countIf(category = 'invalid_json') = 0 AS valid, max(judge_version) AS judge_version
        FROM ({in_force(verdicts)}) GROUP BY judged_attempt
    ) AS j ON j.judged_attempt = d.final_attempt
    WHERE judged > 0
"""


WHO: Final = "vantage, provider, endpoint, task, language"
WHO_COLUMNS: Final[tuple[ResultColumn, ...]] = (
    label("vantage"),
    label("provider"),
    label("endpoint"),
    label("task", "invoice, email or personal"),
    label("language", "language of the documents"),
)

DATED: Final[tuple[ResultColumn, ...]] = (
    flag("simulated", "reference endpoint, simulated clock or simulated transport"),
    label("data_set", "version of the data set"),
    text("prompts", "versions of the prompts"),
    time("oldest answer of the figure", "oldest"),
    time("newest answer of the figure", "newest"),
    text("definition", "rules that the figure was made by, with their version"),
)
DATED_SQL: Final = (
    "max(simulated) AS simulated, any(data_set) AS data_set, "
    "arrayStringConcat(arraySort(groupUniqArray(toString(prompt_version))), ', ') AS prompts, "
    "min(answered_at) AS oldest, max(answered_at) AS newest"
)
SCORED_BY: Final = (
    f"arrayStringConcat(arraySort(groupUniqArray(concat('{SCORER} ', toString(judge_version)))), ', ') AS definition"
)
"""Column of the rules of scoring, with every version that the rows were judged by."""

DOCUMENTS_COLUMN: Final = number("n", "documents", "documents that the figure was made from")
