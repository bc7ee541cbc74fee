"""Text reviews in SQL: what a record plans, what its attempts came to, and how people's judgments settle.

The rules, which ``daemon/judging/review`` states in Python; a test holds both to the same counts. The newest word of
a record counts. A failed response among the chosen answers makes a review invalid, a missing one missing; with all of
them valid it is incomplete where a rule needs evidence. A finished adjudication takes the judgments' place; of a
question a known failure decides, and true beside false is disputed.
"""

from __future__ import annotations

from typing import Final, get_args

from projections.queries.contract import NamedQuery, Parameter, flag, label, number, text, time
from projections.queries.fragments import END, OWN_NAMES, TO_END
from projections.queries.rubric import chosen
from schemas.review.kinds import ResponseFailure

VERSION: Final = 1
"""Of these rules; whatever could change a number of the same rows is another version."""

PARAMETERS: Final = (
    END,
    Parameter(name="record", type="Array(String)", description="records; none given means all", default=()),
    Parameter(
        name="language", type="Array(String)", description="de, en: of the texts; none given means both", default=()
    ),
)

_REVIEW: Final = "source, record, review"

_PLANS: Final = f"""
    SELECT * FROM (
        SELECT *, max(seq) OVER (PARTITION BY source, record) AS newest_seq
        FROM review_plans FINAL WHERE time <= {TO_END}
    )
    WHERE seq = newest_seq AND {chosen("record", "language")}
"""

_ATTEMPTS: Final = f"""
    SELECT r.source AS source, r.record AS record, r.review AS review, r.attempt_id AS attempt_id,
           r.request_id AS request_id, r.time AS made_at, r.retry_of AS retry_of, r.attempt AS attempt,
           toString(if(r.attempt IS NULL, r.status, o.own_status)) AS status,
           if(r.attempt IS NULL, r.cost_usd, o.own_usd) AS cost_usd, ifNull(o.own_simulated, false) AS simulated
    FROM (SELECT * FROM review_attempts FINAL WHERE time <= {TO_END}) AS r
    LEFT JOIN (
        SELECT toNullable(attempt) AS own_attempt, toString(status) AS own_status,
               toFloat64(cost_reported_usd) AS own_usd, toNullable(simulated) AS own_simulated
        FROM attempts FINAL WHERE suite = 'review' AND workload = 'review' AND ended <= {TO_END}
    ) AS o ON o.own_attempt = r.attempt
    WHERE r.attempt IS NULL OR o.own_simulated IS NOT NULL
"""
"""Attempts that are over; ours have status and cost as they were measured."""

_ANSWERS: Final = f"""
    SELECT source, record, attempt_id, toNullable(failure IS NULL) AS is_valid, toString(failure) AS failure, detail,
           has(decisions, 'needs-evidence') AS needs_evidence
    FROM review_answers FINAL WHERE time <= {TO_END}
    ORDER BY seq DESC LIMIT 1 BY source, record, attempt_id
"""

_MADE: Final = f"""
    SELECT *, has(final_attempts, attempt_id) AS selected
    FROM ({_PLANS}) AS p
    LEFT JOIN ({_ATTEMPTS}) AS a USING (source, record, review)
    LEFT JOIN ({_ANSWERS}) AS v USING (source, record, attempt_id)
"""
"""Planned reviews, a row for each of their attempts; one without attempts has a row with an empty ``attempt_id``."""

_FAILURES: Final[tuple[ResponseFailure, ...]] = get_args(ResponseFailure)

_COUNTED: Final = {
    "attempts": "attempt_id != ''",
    "retries": "retry_of IS NOT NULL",
    "responses": "status = 'response'",
    "valid_responses": "is_valid",
    "failed_responses": "NOT is_valid",
    "errors": "status = 'error'",
    "cancelled": "status = 'cancelled'",
    "not_completed": "status = 'not-completed'",
    "unknown_costs": "attempt_id != '' AND cost_usd IS NULL",
    **{each.replace("-", "_"): f"failure = '{each}'" for each in _FAILURES},
}
"""Counts over the attempts of a review, and of reviews."""

_ANSWERED: Final = f"""
    SELECT *, multiIf(chosen_failed > 0, 'invalid', chosen_valid < requests, 'missing',
                      chosen_open > 0, 'incomplete', 'complete') AS answers
    FROM (
        SELECT {_REVIEW}, any(origin) AS origin, any(notice) AS notice, any(time) AS recorded,
               minIf(toNullable(made_at), attempt_id != '') AS oldest,
               any(condition) AS condition, any(candidate) AS candidate, any(provider) AS provider,
               any(model) AS model, any(cohort) AS cohort, any(strategy) AS strategy,
               any(source_text) AS source_text, any(language) AS language, any(repetition) AS repetition,
               any(requests) AS requests,
               {", ".join(f"countIf({condition}) AS {name}" for name, condition in _COUNTED.items())},
               sumKahanIf(assumeNotNull(cost_usd), cost_usd IS NOT NULL) AS known_usd, max(simulated) AS simulated,
               countIf(selected AND NOT is_valid) AS chosen_failed, countIf(selected AND is_valid) AS chosen_valid,
               countIf(selected AND is_valid AND needs_evidence) AS chosen_open
        FROM ({_MADE})
        GROUP BY {_REVIEW}
    )
"""

_JUDGED: Final = f"""
    SELECT j.*, max(role = 'adjudicator' AND finished) OVER (PARTITION BY source, record, review) AS adjudicated
    FROM (
        SELECT * FROM review_judgments FINAL WHERE time <= {TO_END}
        ORDER BY seq DESC LIMIT 1 BY source, record, review, role, reviewer
    ) AS j
    INNER JOIN (
        SELECT source, record, review, judges, toString(adjudicator) AS adjudicator FROM ({_PLANS})
    ) AS p USING (source, record, review)
    WHERE if(role = 'judge', has(judges, reviewer), ifNull(adjudicator = reviewer, false))
"""
"""Judgments in force, the persons' newest; adjudicated: whether a finished adjudication decides."""

_SETTLED: Final = f"""
    SELECT {_REVIEW}, said.1 AS question, max(adjudicated) AS adjudicated,
           countIf(role = 'judge' AND finished) AS complete_judgments,
           groupUniqArrayIf(toString(reviewer), role = 'judge') AS reviewers,
           countIf(decides AND ifNull(said.2, false)) AS yes,
           countIf(decides AND ifNull(NOT said.2, false)) AS no,
           countIf(decides AND said.2 IS NULL) AS unsaid,
           multiIf(yes > 0 AND no > 0, 'disputed', no > 0, 'fail', yes > 0 AND unsaid = 0, 'pass',
                   'not-judged') AS settled,
           uniqExactIf(said.3, role = 'judge' AND said.3 IS NOT NULL) > 1 AS differs
    FROM (SELECT *, if(adjudicated, role = 'adjudicator', role = 'judge') AS decides FROM ({_JUDGED}))
    ARRAY JOIN arrayConcat(
        [('facts', facts_preserved, toInt64(facts_preserved)),
         ('intent', intent_preserved, toInt64(intent_preserved)),
         ('harm', NOT harmful_change, toInt64(harmful_change))],
        arrayMap((r, x) -> (concat(r, ', decision'), x, toInt64(x)), judged_rules, justified),
        arrayMap((r, x) -> (concat(r, ', missed issues'), toBool(x = 0), toInt64(x)), judged_rules, missed)
    ) AS said
    GROUP BY {_REVIEW}, question
"""
"""Questions about a review: how the judgments settle each. The answer is a truth, true for what is good."""

_STATES: Final = f"""
    SELECT {_REVIEW}, max(adjudicated) AS adjudicated, max(complete_judgments) AS complete_judgments,
           arrayStringConcat(arraySort(groupUniqArrayArray(reviewers)), ', ') AS reviewers,
           countIf(differs) AS disagreements,
           arrayStringConcat(arraySort(groupArrayIf(question, differs)), ' · ') AS disagreed_on,
           anyIf(settled, question = 'facts') AS facts, anyIf(settled, question = 'intent') AS intent,
           anyIf(settled, question = 'harm') AS harmless,
           multiIf(countIf(settled = 'fail') > 0, 'rejected', countIf(settled = 'disputed') > 0, 'disputed',
                   countIf(settled != 'pass') = 0, 'accepted', 'unjudged') AS state
    FROM ({_SETTLED})
    GROUP BY {_REVIEW}
"""

_OUTCOMES: Final = f"""
    SELECT r.*, ifNull(s.adjudicated, false) AS adjudicated, s.complete_judgments AS complete_judgments,
           s.reviewers AS reviewers, s.disagreements AS disagreements, s.disagreed_on AS disagreed_on,
           if(s.facts = '', 'not-judged', s.facts) AS facts, if(s.intent = '', 'not-judged', s.intent) AS intent,
           if(s.harmless = '', 'not-judged', s.harmless) AS harmless,
           multiIf(answers IN ('missing', 'invalid'), 'not-judgeable', s.state = '', 'unjudged', s.state) AS judgment
    FROM ({_ANSWERED}) AS r
    LEFT JOIN ({_STATES}) AS s USING (source, record, review)
"""
"""Planned reviews, a row each, with what became of them."""

_WHO: Final = "record, condition, language"
_WHO_SQL: Final = "record, toString(condition) AS condition, toString(language) AS language"
_WHO_COLUMNS: Final = (
    label("record", "record of a run"),
    label("condition"),
    label("language", "language of the texts"),
)
_DATED: Final = (
    label("origin", "measured here, or imported from a file"),
    text("notice", "what the run says of itself"),
    flag("simulated", "reference endpoint, simulated clock or simulated transport"),
    time("oldest attempt of the figure, as its record came into the log", "oldest"),
    time("when the record was written so", "newest"),
    text("definition", "rules that the numbers were made by, with their version"),
)
_DEFINITION: Final = f"'review {VERSION}' AS definition"
_REVIEWS: Final = "reviews"
_FAILED_SO: Final = ", ".join(each.replace("-", "_") for each in _FAILURES)


def _counted(column: str, *states: str) -> str:
    """Count reviews by their state, a column each."""
    return ", ".join(f"countIf({column} = '{state}') AS {state}" for state in states)


OUTCOMES: Final = NamedQuery(
    name="review-outcomes",
    title="What became of planned reviews",
    description="By condition and language; the denominator is every planned review. Accepted are those whose facts "
    "and intent are preserved, whose decisions are justified, with no issue missed and no harmful alternative; "
    "accepted complete, if besides no rule needs evidence. A failed response stays here and is no answer. Cost is of "
    "all attempts, each once; one unknown makes the total null, the known part stays. There is no overall score.",
    shape="table",
    parameters=PARAMETERS,
    columns=(
        *_WHO_COLUMNS,
        label("candidate", "what the condition is about"),
        label("provider", "as the run names it"),
        label("model", "model asked for"),
        label("cohort", "scope of rules"),
        label("strategy", "bundled, or single: a request for each rule"),
        number("planned", _REVIEWS, "planned reviews"),
        number("missing", _REVIEWS, "a request has no response, or none was chosen"),
        number("invalid", _REVIEWS, "a chosen response failed"),
        number("incomplete", _REVIEWS, "all responses are valid, and some rule needs evidence"),
        number("complete", _REVIEWS, "all are valid and decided"),
        number("unjudged", _REVIEWS, "nobody has judged all of it yet"),
        number("disputed", _REVIEWS, "people judge differently, and nobody has settled it"),
        number("rejected", _REVIEWS, "judged, and something is wrong"),
        number("accepted", _REVIEWS, "editorially accepted"),
        number("accepted_complete", _REVIEWS, "complete and accepted"),
        number("with_disagreement", _REVIEWS, "people judged differently, also where it was settled"),
        number("adjudicated", _REVIEWS, "settled by a finished adjudication"),
        number("attempts", "attempts", "attempts at their requests"),
        number("retries", "attempts", "of them repetitions of another one"),
        number("responses", "attempts", "with a response"),
        number("valid_responses", "attempts", "with a valid response"),
        number("failed_responses", "attempts", "with a response that failed by its form"),
        *(number(each.replace("-", "_"), "attempts", f"failed as {each}") for each in _FAILURES),
        number("errors", "attempts", "ended in an error"),
        number("cancelled", "attempts", "cancelled"),
        number("not_completed", "attempts", "not completed"),
        number("unknown_costs", "attempts", "attempts of unknown cost"),
        number("known_usd", "USD", "what is known of the cost of all attempts"),
        number("total_usd", "USD", "cost of all attempts; null when one is unknown"),
        number(
            "usd_per_accepted_complete",
            "USD",
            "cost of all attempts for each accepted complete review; null when one is unknown or none was accepted",
        ),
        *_DATED,
    ),
    sql=f"""
SELECT {_WHO_SQL}, candidate, provider, model, cohort, strategy, planned, missing, invalid, incomplete, complete,
       unjudged, disputed, rejected, accepted, accepted_complete, with_disagreement, adjudicated, attempts, retries,
       responses, valid_responses, failed_responses, {_FAILED_SO}, errors,
       cancelled, not_completed, unknown_costs, known_usd, if(unknown_costs > 0, NULL, known_usd) AS total_usd,
       if(accepted_complete = 0, NULL, total_usd / accepted_complete) AS usd_per_accepted_complete,
       origin, notice, simulated, oldest, newest, {_DEFINITION}
FROM (
    SELECT source, {_WHO}, any(candidate) AS candidate, any(provider) AS provider, any(model) AS model,
           any(cohort) AS cohort, any(strategy) AS strategy, count() AS planned,
           {_counted("answers", "missing", "invalid", "incomplete", "complete")},
           {_counted("judgment", "unjudged", "disputed", "rejected", "accepted")},
           countIf(answers = 'complete' AND judgment = 'accepted') AS accepted_complete,
           countIf(disagreements > 0) AS with_disagreement, countIf(r.adjudicated) AS adjudicated,
           {", ".join(f"sum(r.{name}) AS {name}" for name in _COUNTED)}, sumKahan(r.known_usd) AS known_usd,
           any(origin) AS origin, any(notice) AS notice, max(r.simulated) AS simulated,
           min(r.oldest) AS oldest, any(recorded) AS newest
    FROM ({_OUTCOMES}) AS r
    GROUP BY source, {_WHO}
)
ORDER BY {_WHO}
{OWN_NAMES}
""",
)

REVIEWS: Final = NamedQuery(
    name="reviews",
    title="Planned reviews, one by one",
    description="What became of each planned review, and where people judged differently. A question about it is "
    "passed, failed, disputed or not judged; a finished adjudication takes the judgments' place, which stay.",
    shape="table",
    parameters=PARAMETERS,
    columns=(
        *_WHO_COLUMNS,
        label("source_text", "text under review"),
        number("repetition", "", "repetition"),
        label("answers", "missing, invalid, incomplete or complete"),
        label("judgment", "not-judgeable, unjudged, disputed, rejected or accepted"),
        label("facts", "facts preserved: pass, fail, disputed or not-judged"),
        label("intent", "intent preserved, likewise"),
        label("harmless", "no harmful alternative, likewise"),
        text("reviewers", "who judged"),
        number("complete_judgments", "judgments", "finished ones, without an adjudication"),
        number("disagreements", "questions", "questions that people answered differently"),
        text("disagreed_on", "those questions"),
        flag("adjudicated", "a finished adjudication decides"),
        number("attempts", "attempts", "attempts at its requests"),
        number("failed_responses", "attempts", "of them with a response that failed by its form"),
        number("known_usd", "USD", "what is known of their cost"),
        number("unknown_costs", "attempts", "attempts of unknown cost"),
        *_DATED,
    ),
    sql=f"""
SELECT {_WHO_SQL}, source_text, repetition, answers, judgment, facts, intent, harmless, reviewers, complete_judgments,
       disagreements, disagreed_on, adjudicated, attempts, failed_responses, known_usd, unknown_costs,
       origin, notice, simulated, oldest, recorded AS newest, {_DEFINITION}
FROM ({_OUTCOMES})
ORDER BY {_WHO}, source_text, repetition
{OWN_NAMES}
""",
)

FAILED: Final = NamedQuery(
    name="review-failed-responses",
    title="Failed responses",
    description="Responses that fail by their form alone: no JSON, another structure, another source, a rule without "
    "an answer, a quotation that is not exact.",
    shape="table",
    parameters=PARAMETERS,
    columns=(
        *_WHO_COLUMNS,
        text("review", "condition/source/repetition"),
        text("request_id", "frozen request"),
        text("attempt_id", "attempt's id in the run"),
        flag("selected", "it was chosen as an answer"),
        label("failure", "how it failed"),
        text("detail", "where"),
        text("attempt", "attempt of ours; null of an imported one"),
        *_DATED,
    ),
    sql=f"""
SELECT {_WHO_SQL}, review, request_id, attempt_id, selected, failure, detail, toString(attempt) AS attempt,
       origin, notice, simulated, made_at AS oldest, time AS newest, {_DEFINITION}
FROM ({_MADE})
WHERE ifNull(NOT is_valid, false)
ORDER BY {_WHO}, review, request_id, attempt_id
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (OUTCOMES, REVIEWS, FAILED)
