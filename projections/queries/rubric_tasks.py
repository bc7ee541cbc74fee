"""Expert tasks, one by one: both numbers of each, where it tipped, and what every judge said of every criterion."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, Parameter, flag, label, number, text
from projections.queries.fragments import OWN_NAMES
from projections.queries.rubric import (
    CRITERIA,
    EVALUATION,
    IN_RUNS,
    NEWEST,
    PARAMETERS,
    RUN_COLUMNS,
    RUN_SQL,
    RUNS,
    SAYS,
    SCORE_COLUMNS,
    WHO,
    WHO_COLUMNS,
    score_sql,
    usable_of,
)

_CRITERIA: Final = f"SELECT * FROM (SELECT *, {NEWEST} FROM ({CRITERIA})) WHERE {IN_RUNS}"
_NEWEST: Final = "Without a choice of runs, those of the newest run of each catalogue, endpoint and language."


def _names(condition: str) -> str:
    """Ids of the criteria under a condition, critical ones first, then in the rubric's order."""
    return (
        "arrayStringConcat(arrayMap(c -> c.3, arraySort("
        f"groupArrayIf((NOT critical, place, criterion), {condition}))), ', ')"
    )


TASKS: Final = NamedQuery(
    name="rubric-tasks",
    title="Expert tasks, one by one",
    description=f"{SAYS} {_NEWEST} A task without an answer is ungraded, and neither usable nor not.",
    shape="table",
    parameters=(*PARAMETERS, RUNS),
    columns=(
        *WHO_COLUMNS,
        label("task"),
        text("title", "what the task is about"),
        label("field", "field of the profession"),
        flag("usable", "every critical criterion passed; null where one is ungraded and none failed"),
        *SCORE_COLUMNS,
        text("tipped", "criteria that failed, critical ones first"),
        text("open_critical", "critical criteria without a verdict, where they leave it undecided"),
        text("status", "of the try that counts; null while it has not ended"),
        text("failure", "class of its failure"),
        flag("other_provider", "another provider replied than the pinned one, which is no answer"),
        number("tries", "attempts", "how often it was asked"),
        label("standing", "read, example or unread: whether a second expert had read it"),
        text("reader", "of the second reading"),
        text("attempt", "the try that counts"),
        *RUN_COLUMNS,
    ),
    sql=f"""
SELECT {WHO}, task, title, field, usable, {score_sql("task_")}, tipped, open_critical, status, failure,
       other_provider, tries, standing, reader, toString(attempt) AS attempt, {RUN_SQL}
FROM (
    SELECT {EVALUATION}, task, any(title) AS title, any(field) AS field, {usable_of("together")} AS usable,
           count() AS task_criteria, countIf(ifNull(together, false)) AS task_passed,
           countIf(ifNull(NOT together, false)) AS task_failed, countIf(is_disputed) AS task_disputed,
           {_names("ifNull(NOT together, false)")} AS tipped,
           if(usable IS NULL, {_names("critical AND together IS NULL")}, '') AS open_critical,
           any(status) AS status, any(failure) AS failure, any(other_provider) AS other_provider, any(tries) AS tries,
           any(standing) AS standing, any(reader) AS reader, any(attempt) AS attempt, any(asked_at) AS asked_at,
           any(ended_at) AS ended_at,
           max(simulated) AS simulated
    FROM ({_CRITERIA})
    GROUP BY {EVALUATION}, task
)
ORDER BY catalogue, language, endpoint, asked_at DESC, run, repetition, task
{OWN_NAMES}
""",
)

_ABOUT: Final = (
    label("task"),
    text("title", "what the task is about"),
    label("criterion"),
    text("statement", "what it states about the answer"),
    flag("critical", "a violation makes the result unusable"),
)
_PLACE: Final = "catalogue, language, endpoint, asked_at DESC, run, repetition, task, critical DESC, place"

TIPPED: Final = NamedQuery(
    name="rubric-tipped",
    title="Where it tipped",
    description=f"Criteria that failed by all judges who gave a verdict, critical ones first in each task. {_NEWEST}",
    shape="table",
    parameters=(*PARAMETERS, RUNS),
    columns=(
        *WHO_COLUMNS,
        *_ABOUT,
        text("reasons", "what each judge wrote"),
        text("attempt", "whose answer it is"),
        *RUN_COLUMNS,
    ),
    sql=f"""
SELECT {WHO}, task, title, criterion, statement, critical,
       arrayStringConcat(arrayMap(g -> concat(g.2, ': ', ifNull(g.7, '')), arrayFilter(g -> g.5 IS NOT NULL, given)),
                         ' · ') AS reasons,
       toString(attempt) AS attempt, {RUN_SQL}
FROM ({_CRITERIA})
WHERE ifNull(NOT together, false)
ORDER BY {_PLACE}
{OWN_NAMES}
""",
)

_SHOWN: Final = Parameter(
    name="shown", type="String", description="all, or disputed: criteria that judges differ on", default="all"
)

VERDICTS: Final = NamedQuery(
    name="rubric-verdicts",
    title="Every verdict",
    description="Each criterion with what each judge said of it; one that nobody judged has one row without a judge. "
    f"{_NEWEST}",
    shape="table",
    parameters=(*PARAMETERS, RUNS, _SHOWN),
    columns=(
        *WHO_COLUMNS,
        *_ABOUT,
        flag("together", "what all judges say who gave a verdict; null where none did or they differ"),
        flag("is_disputed", "judges differ"),
        label("judge", "person, or endpoint of the judging model"),
        label("judge_kind", "person or model"),
        label("judge_version", "version of instructions or prompt"),
        text("judge_model", "model of a judging endpoint"),
        flag("verdict", "what that judge says"),
        text("category", "why there is no verdict"),
        text("reason", "the judge's reason"),
        text("attempt", "whose answer it is"),
        *RUN_COLUMNS,
    ),
    sql=f"""
SELECT {WHO}, task, title, criterion, statement, critical, together, is_disputed, said.2 AS judge,
       said.1 AS judge_kind, said.3 AS judge_version, said.4 AS judge_model, said.5 AS verdict,
       said.6 AS category, said.7 AS reason, toString(attempt) AS attempt, {RUN_SQL}
FROM (SELECT * FROM ({_CRITERIA}) WHERE {{shown:String}} = 'all' OR is_disputed)
LEFT ARRAY JOIN given AS said
ORDER BY {_PLACE}, judge_kind, judge, judge_version
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (TASKS, TIPPED, VERDICTS)
