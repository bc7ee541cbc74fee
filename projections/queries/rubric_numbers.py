"""Expert tasks: how much was right, and how often what decides was right? Both, side by side, never one of both."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, Parameter, flag, label, number, text
from projections.queries.fragments import OWN_NAMES
from projections.queries.resampling import wilson
from projections.queries.rubric import (
    CRITERIA,
    EVALUATION,
    NEWEST,
    PARAMETERS,
    RUN_COLUMNS,
    RUN_SQL,
    SAYS,
    SCORE_COLUMNS,
    USABILITY_COLUMNS,
    WHO,
    WHO_COLUMNS,
    score_sql,
    usable_of,
)

_LOW, _HIGH = wilson("usable", "tasks")
_USABILITY_SQL: Final = (
    "all_tasks AS tasks, all_usable AS usable, all_not_usable AS not_usable, "
    "tasks - usable - not_usable AS undecided, if(tasks = 0, NULL, usable / tasks) AS usability_rate, "
    f"{_LOW} AS usability_low, {_HIGH} AS usability_high"
)


def _summed(condition: str = "true") -> str:
    """Add up, over an evaluation, the tasks that a condition lets in."""
    return f"""
           sumIf(task_criteria, {condition}) AS all_criteria, sumIf(task_passed, {condition}) AS all_passed,
           sumIf(task_failed, {condition}) AS all_failed, sumIf(task_disputed, {condition}) AS all_disputed,
           countIf({condition}) AS all_tasks, countIf({condition} AND ifNull(is_usable, false)) AS all_usable,
           countIf({condition} AND ifNull(NOT is_usable, false)) AS all_not_usable"""


def _task_sums(verdict: str, disputed: str) -> str:
    return f"""
               count() AS task_criteria, countIf(ifNull({verdict}, false)) AS task_passed,
               countIf(ifNull(NOT {verdict}, false)) AS task_failed, countIf({disputed}) AS task_disputed,
               {usable_of(verdict)} AS is_usable"""


_SHOWN: Final = Parameter(
    name="shown",
    type="String",
    description="all evaluations, or newest: those of the newest run of each catalogue, endpoint and language",
    default="all",
)

NUMBERS: Final = NamedQuery(
    name="rubric-numbers",
    title="Expert tasks: both numbers",
    description=f"{SAYS} The rate counts undecided tasks as not usable, and its interval is Wilson's. Agreement is "
    "over criteria with two verdicts or more; alpha is Krippendorff's for nominal data.",
    shape="table",
    parameters=(*PARAMETERS, _SHOWN),
    columns=(
        *WHO_COLUMNS,
        text("catalogue_version", "version of the catalogue when it was asked"),
        text("models", "models as the provider returned them"),
        *SCORE_COLUMNS,
        *USABILITY_COLUMNS,
        number("judges", "judges", "judges with a judgment of these answers"),
        number("compared", "criteria", "criteria with two verdicts or more"),
        number("alike", "criteria", "of them judged alike by all"),
        number("alike_share", "share", "judged alike among compared ones; null of none"),
        number("alpha", "", "Krippendorff's alpha; null where chance could not have disagreed"),
        number("left_out", "tasks", "tasks that were asked and stay out: no second expert had read them"),
        text("left_out_names", "those tasks"),
        *RUN_COLUMNS,
    ),
    sql=f"""
SELECT {WHO}, catalogue_version, models, {score_sql("all_")}, {_USABILITY_SQL}, judges, compared, alike,
       if(compared = 0, NULL, alike / compared) AS alike_share,
       if(all_yes * all_no = 0, NULL, 1 - (all_yes + all_no - 1) * unlike / (2 * all_yes * all_no)) AS alpha,
       left_out, left_out_names, {RUN_SQL}
FROM (SELECT *, {NEWEST} FROM (
    SELECT {EVALUATION}, any(catalogue_version) AS catalogue_version, any(asked_at) AS asked_at,
           any(ended_at) AS ended_at, any(run_at) AS run_at,
           arrayStringConcat(arraySort(any(models)), ', ') AS models,
           {_summed("counts")},
           length(groupUniqArrayArrayIf(task_judges, counts)) AS judges,
           sumIf(task_compared, counts) AS compared, sumIf(task_alike, counts) AS alike,
           sumIf(task_unlike, counts) AS unlike, sumIf(task_yes, counts) AS all_yes, sumIf(task_no, counts) AS all_no,
           countIf(NOT counts) AS left_out,
           arrayStringConcat(arraySort(groupUniqArrayIf(task, NOT counts)), ', ') AS left_out_names,
           max(simulated) AS simulated
    FROM (
        SELECT {EVALUATION}, task, counts, any(catalogue_version) AS catalogue_version, any(asked_at) AS asked_at,
               any(ended_at) AS ended_at, any(run_at) AS run_at, any(models) AS models,
               max(simulated) AS simulated, {_task_sums("together", "is_disputed")},
               groupUniqArrayArray(arrayMap(g -> (g.1, g.2, g.3), given)) AS task_judges,
               countIf(yes + no > 1) AS task_compared, countIf(yes + no > 1 AND NOT is_disputed) AS task_alike,
               sumIf(2 * yes * no / (yes + no - 1), yes + no > 1) AS task_unlike,
               sumIf(yes, yes + no > 1) AS task_yes, sumIf(no, yes + no > 1) AS task_no
        FROM ({CRITERIA})
        GROUP BY {EVALUATION}, task, counts
    )
    GROUP BY {EVALUATION}
))
WHERE {{shown:String}} = 'all' OR run_at = newest_run_at
ORDER BY catalogue, language, endpoint, asked_at DESC, run, repetition
{OWN_NAMES}
""",
)

_OF_JUDGE: Final = "arrayElement(arrayFilter(g -> (g.1, g.2, g.3) = judge_key, given), 1)"

JUDGES: Final = NamedQuery(
    name="rubric-judges",
    title="Expert tasks: both numbers by each judge alone",
    description=f"{SAYS} Here each judge is alone: what a judge has not judged is ungraded. A judge is a person, or "
    "a model with a version of the prompt.",
    shape="table",
    parameters=PARAMETERS,
    columns=(
        *WHO_COLUMNS,
        label("judge", "person, or endpoint of the judging model"),
        label("judge_kind", "person or model"),
        label("judge_version", "version of instructions or prompt"),
        text("judge_models", "models of a judging endpoint"),
        flag("own_answers", "the judging model, or another endpoint of it, is the one that answered"),
        *SCORE_COLUMNS,
        *USABILITY_COLUMNS,
        *RUN_COLUMNS,
    ),
    sql=f"""
SELECT {WHO}, judge, judge_kind, judge_version, judge_models,
       judge_kind = 'model' AND (judge = endpoint OR hasAny(judging, models)) AS own_answers,
       {score_sql("all_")}, {_USABILITY_SQL}, {RUN_SQL}
FROM (
    SELECT {EVALUATION}, judge_key.1 AS judge_kind, judge_key.2 AS judge, judge_key.3 AS judge_version,
           any(asked_at) AS asked_at, any(ended_at) AS ended_at, max(simulated) AS simulated,
           groupUniqArrayArray(task_models) AS judging, any(models) AS models,
           arrayStringConcat(arraySort(judging), ', ') AS judge_models, {_summed()}
    FROM (
        SELECT {EVALUATION}, task, judge_key, any(asked_at) AS asked_at, any(ended_at) AS ended_at,
               max(simulated) AS simulated, any(models) AS models,
               groupUniqArrayIf(ifNull(said.4, ''), said.4 IS NOT NULL) AS task_models,
               {_task_sums("said.5", "false")}
        FROM (
            SELECT *, judge_key, {_OF_JUDGE} AS said
            FROM (
                SELECT *, groupUniqArrayArray(arrayMap(g -> (g.1, g.2, g.3), given))
                          OVER (PARTITION BY {EVALUATION}) AS judge_keys
                FROM ({CRITERIA}) WHERE counts
            )
            ARRAY JOIN judge_keys AS judge_key
        )
        GROUP BY {EVALUATION}, task, judge_key
    )
    GROUP BY {EVALUATION}, judge_key
)
ORDER BY catalogue, language, endpoint, asked_at DESC, run, repetition, judge_kind, judge, judge_version
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (NUMBERS, JUDGES)
