"""Does an ordinary account get the same: the newest looks, the cases with their state, decisions, attestations.

What the pairs themselves look like is in :mod:`projections.queries.pairs`.
"""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, flag, label, number, text, time
from projections.queries.fragments import END, FILTERS, OWN_NAMES, TO_END
from projections.queries.standing import EFFECTIVE, FIRST_CASES, MEASURES, PROVIDED

_CHOICES: Final = tuple(each for each in FILTERS if each.name in {"provider", "endpoint", "workload"})
_ENDPOINTS: Final = tuple(each for each in FILTERS if each.name in {"provider", "endpoint"})


def _chosen(*names: str) -> str:
    return " AND ".join(
        f"(empty({{{each}:Array(String)}}) OR has({{{each}:Array(String)}}, {each}))" for each in names
    )


_ONE_OF: Final = "(empty({workload:Array(String)}) OR has(arrayPushBack({workload:Array(String)}, 'all'), workload))"

_STATES: Final = f"""
    SELECT case_id AS state_of,
           countIf(current AND measure IN ({MEASURES})) AS in_force,
           multiIf(in_force > 0, 'measures-in-force',
                   countIf(current AND measure = 'investigate') > 0, 'investigating',
                   countIf(measure = 'clear') > 0, 'cleared', 'open') AS state,
           arrayStringConcat(
               arraySort(groupUniqArrayIf(toString(measure), current AND measure IN ({MEASURES}))), ', ') AS measures,
           max(position).1 AS newest_decision, argMax(person, position) AS newest_person,
           argMax(reason, position) AS newest_reason
    FROM (
        SELECT *, (time, toString(source), seq) AS position,
               (case_id, decision, source, seq) IN (SELECT case_id, decision, source, seq FROM ({EFFECTIVE}))
                   AS current
        FROM decisions FINAL
        WHERE measure = 'lift' OR (case_id, decision) NOT IN (
            SELECT case_id, assumeNotNull(lifts) FROM decisions FINAL WHERE measure = 'lift' AND lifts IS NOT NULL)
    )
    GROUP BY case_id
"""

_OPEN: Final = f"""
    SELECT toString(endpoint) FROM ({FIRST_CASES}) AS c
    LEFT JOIN ({_STATES}) AS s ON s.state_of = c.case_id WHERE state != 'cleared'
"""

VERDICTS: Final = NamedQuery(
    name="account-verdicts",
    title="Accounts compared",
    description="The newest look at each endpoint and pair of accounts. A ratio is the other account's value over "
    "that of the account that is shown, the median of the runs, with the interval of the Hodges-Lehmann estimate, "
    "which is near the median and need not hold it; shares have none and stand beside each other. p is corrected "
    "over everything tested in the look. Material: the corrected p is below the level in force and the difference "
    "passes the practical threshold; unknown: too few pairs to tell; case open: compared on, and not judged again.",
    shape="table",
    parameters=(END, *_CHOICES),
    columns=(
        label("provider"),
        label("endpoint"),
        label("account", "account whose figures are shown"),
        label("compared_with", "the other account"),
        label("workload", "workload, or all of them together"),
        label("metric"),
        number("window_h", "hours", "length of the window"),
        number("n", "pairs", "pairs compared"),
        number("runs", "runs", "runs that had the metric from both; a run counts once"),
        number("ratio", "ratio", "other account over the one that is shown"),
        number("low", "ratio", "lower end of the Hodges-Lehmann interval"),
        number("high", "ratio", "upper end of that interval"),
        number("corrected_p", "probability", "p, corrected over the look"),
        number("account_share", "share", "of a share, that of the account that is shown"),
        number("compared_share", "share", "of a share, that of the other account"),
        number("account_limited_share", "share", "refused for their rate (429), of the account that is shown"),
        number("compared_limited_share", "share", "refused for their rate (429), of the other account"),
        text("verdict", "material, not-material, case open or unknown"),
        time("when it was looked at", "looked"),
        text("definition", "definitions that the figures were made with"),
        text("parameters", "parameters of the comparison"),
    ),
    sql=f"""
SELECT provider, endpoint, account, compared_with, workload, metric, window_h, pairs AS n, runs,
       if(account_share IS NULL OR metric = 'input-tokens', ratio, NULL) AS ratio, low, high,
       corrected_p_value AS corrected_p, account_share, compared_share, account_limited_share, compared_limited_share,
       verdict, time AS looked, definition, parameters
FROM (
    SELECT * EXCEPT (verdict, metric, endpoint, workload), toString(endpoint) AS endpoint, toString(metric) AS metric,
           ifNull(toString(workload), 'all') AS workload,
           multiIf(ifNull(toString(verdict), 'unknown') != 'unknown', assumeNotNull(toString(verdict)),
                   toString(endpoint) IN ({_OPEN}), 'case open',
                   'unknown') AS verdict,
           p.provided_by AS provider,
           anyIf(account_share, metric = 'rate-limited-share') OVER alike AS account_limited_share,
           anyIf(compared_share, metric = 'rate-limited-share') OVER alike AS compared_limited_share,
           (seq = max(seq) OVER (PARTITION BY source, endpoint, account, compared_with)) AS newest
    FROM (SELECT * FROM comparisons FINAL WHERE time <= {TO_END}) AS c
    LEFT JOIN ({PROVIDED}) AS p ON p.provided = c.endpoint
    WINDOW alike AS (PARTITION BY source, seq, ifNull(workload, 'all'), ifNull(window_h, 0))
)
WHERE newest AND {_chosen("provider", "endpoint")} AND {_ONE_OF}
ORDER BY verdict = 'material' DESC, verdict = 'case open' DESC, endpoint, account, compared_with, workload, window_h,
         metric
{OWN_NAMES}
""",
)

CASES: Final = NamedQuery(
    name="integrity-cases",
    title="Cases",
    description="Suspicions, by the comparison or by a person, with what became of them: open, investigating, "
    "measures in force, or cleared. A finding is a metric that differed materially when the case was opened. Nothing "
    "is decided by the program.",
    shape="table",
    parameters=(END, *_ENDPOINTS),
    columns=(
        label("case_id"),
        time("when it was opened", "opened"),
        label("state", "open, investigating, measures-in-force or cleared"),
        text("measures", "measures in force"),
        label("provider"),
        label("endpoint"),
        label("account", "account whose figures are shown"),
        label("compared_with", "the other account"),
        label("workload", "workload, or all"),
        number("findings", "findings", "metrics that differed materially"),
        text("evidence", "the findings in words"),
        text("opened_by", "the comparison, or the person who suspected and why"),
        time("newest decision", "decided"),
        text("person", "who took it"),
        text("reason", "why"),
        label("source", "daemon whose log holds the case"),
    ),
    sql=f"""
SELECT toString(case_id) AS case_id, time AS opened, if(state = '', 'open', state) AS state, measures,
       p.provided_by AS provider, endpoint, account, compared_with, workload, findings,
       arrayStringConcat(arrayMap(each -> concat(
           JSONExtractString(each, 'metric'), ' ',
           multiIf(JSONExtractRaw(each, 'primary') NOT IN ('', 'null'),
                   concat(toString(round(100 * JSONExtractFloat(each, 'primary'), 1)), ' % against ',
                          toString(round(100 * JSONExtractFloat(each, 'other'), 1)), ' %'),
                   JSONExtractRaw(each, 'ratio') NOT IN ('', 'null'),
                   concat('ratio ', toString(round(JSONExtractFloat(each, 'ratio'), 3))), '')),
           JSONExtractArrayRaw(evidence)), ', ') AS evidence,
       if(person IS NULL, 'the comparison', concat(person, ': ', ifNull(reason, ''))) AS opened_by,
       if(state_of = toUUID('00000000-0000-0000-0000-000000000000'), NULL, newest_decision) AS decided,
       nullIf(newest_person, '') AS person, nullIf(newest_reason, '') AS reason, source
FROM ({FIRST_CASES}) AS c
LEFT JOIN ({_STATES}) AS s ON s.state_of = c.case_id
LEFT JOIN ({PROVIDED}) AS p ON p.provided = c.endpoint
WHERE time <= {TO_END} AND {_chosen("endpoint")}
  AND (empty({{provider:Array(String)}}) OR has({{provider:Array(String)}}, p.provided_by))
ORDER BY state = 'cleared', opened DESC, case_id
{OWN_NAMES}
""",
)

DECIDED: Final = NamedQuery(
    name="integrity-decisions",
    title="Decisions",
    description="What persons decided, newest first, with their reason. In force: neither lifted nor ended by "
    "clearing the case.",
    shape="table",
    parameters=(END, *_ENDPOINTS),
    columns=(
        time("when it was decided"),
        label("provider"),
        label("endpoint"),
        text("measure", "what was decided"),
        flag("in_force", "neither lifted nor ended by clearing the case"),
        text("person", "who decided"),
        text("reason", "why"),
        text("account", "with re-measure, the account that is shown"),
        time("with delay, when figures are shown again", "until"),
        text("statement", "with disclose, what the public is told"),
        text("lifts", "with lift, the decision that is taken back"),
        label("decision", "its id"),
        label("case_id", "case"),
    ),
    sql=f"""
SELECT time, p.provided_by AS provider, toString(c.endpoint) AS endpoint, measure,
       measure != 'lift'
           AND (case_id, decision, source, seq) IN (SELECT case_id, decision, source, seq FROM ({EFFECTIVE}))
           AS in_force,
       person, reason, account, until, statement, toString(lifts) AS lifts, toString(decision) AS decision,
       toString(case_id) AS case_id
FROM (SELECT * FROM decisions FINAL WHERE time <= {TO_END}) AS d
INNER JOIN (SELECT case_id AS opened_case, endpoint FROM ({FIRST_CASES})) AS c ON c.opened_case = d.case_id
LEFT JOIN ({PROVIDED}) AS p ON p.provided = c.endpoint
WHERE (empty({{provider:Array(String)}}) OR has({{provider:Array(String)}}, p.provided_by))
  AND (empty({{endpoint:Array(String)}}) OR has({{endpoint:Array(String)}}, toString(c.endpoint)))
ORDER BY time DESC, source, seq DESC
{OWN_NAMES}
""",
)

ATTESTED: Final = NamedQuery(
    name="attestations",
    title="Attestations",
    description="What providers confirmed of an endpoint, the newest of each: model version, precision or "
    "quantization, context length, and that it is the public standard offer. Empty where nothing was said about it.",
    shape="table",
    parameters=(END, *_ENDPOINTS),
    columns=(
        label("provider"),
        label("endpoint"),
        time("when it was recorded", "recorded"),
        text("stated_by", "who confirmed it"),
        text("statement", "in the provider's words"),
        text("model_version", "model version"),
        text("quantization", "precision or quantization"),
        number("context_tokens", "tokens", "context length"),
        flag("public_standard_offer", "it is the public standard offer"),
        label("source", "daemon whose log holds it"),
    ),
    sql=f"""
SELECT p.provided_by AS provider, toString(endpoint) AS endpoint, time AS recorded, stated_by, statement,
       model_version, quantization, context_tokens, public_standard_offer, source
FROM (SELECT * FROM attestations FINAL WHERE time <= {TO_END}
      ORDER BY time DESC, source DESC, seq DESC LIMIT 1 BY endpoint) AS a
LEFT JOIN ({PROVIDED}) AS p ON p.provided = a.endpoint
WHERE (empty({{provider:Array(String)}}) OR has({{provider:Array(String)}}, p.provided_by)) AND {_chosen("endpoint")}
ORDER BY endpoint
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (VERDICTS, CASES, DECIDED, ATTESTED)
