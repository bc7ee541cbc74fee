"""Expert tasks in SQL: which try of a task counts, which verdicts are in force, and what all judges together say.

The rules, which ``daemon/judging/rubric`` states in Python; a test holds both to the same numbers. An evaluation is
one repetition of one run with one endpoint in one language. Of each task the text that was asked last counts, and of
its tries the last one with a response, else the last; a reply of another provider than the pinned one is no answer. A
verdict is in force for the exact answer that it judged, until it is superseded by name or by a later one of the same
judge. What a second expert had not read when it was asked stays out unless it is asked for.
"""

from __future__ import annotations

from typing import Final

from projections.queries.contract import Parameter, ResultColumn, flag, label, number, text, time
from projections.queries.fragments import END, FILTERS, TO_END

VERSION: Final = 1
"""Of these rules; whatever could change a number of the same rows is another version."""

DEFINITION: Final = f"'rubric {VERSION}' AS definition"


def _list(name: str, what: str, none: str = "all") -> Parameter:
    return Parameter(name=name, type="Array(String)", description=f"{what}; none given means {none}", default=())


ENDPOINT: Final = next(each for each in FILTERS if each.name == "endpoint")
LANGUAGE: Final = _list("language", "de, en: languages of the tasks", "both")
PARAMETERS: Final = (
    END,
    _list("catalogue", "catalogues of tasks"),
    ENDPOINT,
    LANGUAGE,
    _list("standing", "read, example, unread: what a second expert had read, and what not", "what was read"),
)
RUNS: Final = _list("run", "runs", "the newest of each catalogue, endpoint and language")


def chosen(*names: str) -> str:
    """Rows that lists of names select."""
    return " AND ".join(
        f"(empty({{{name}:Array(String)}}) OR has({{{name}:Array(String)}}, {name}))" for name in names
    )


_COUNTS: Final = "if(empty({standing:Array(String)}), standing = 'read', has({standing:Array(String)}, standing))"
_OF_NOTHING: Final = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""SHA-256 of no bytes: a response may be empty, and an empty answer can be judged."""

_ENDS: Final = f"""
    SELECT attempt AS ended_attempt, toNullable(toString(status)) AS status, toString(failure) AS failure,
           toNullable(has(flags, 'other-provider')) AS other_provider, toString(returned_model) AS returned_model,
           toNullable(simulated) AS simulated
    FROM attempts FINAL WHERE suite = 'rubric' AND workload = 'rubric' AND ended <= {TO_END}
"""
_HASHES: Final = """
    SELECT attempt AS hashed_attempt, answer_sha256 FROM timelines FINAL
    WHERE attempt IN (SELECT attempt FROM rubric_attempts FINAL)
"""

EVALUATION: Final = "catalogue, endpoint, language, run, repetition"

TASKS: Final = f"""
    SELECT toString(catalogue) AS catalogue, toString(catalogue_version) AS catalogue_version,
           toString(endpoint) AS endpoint, toString(language) AS language, run, repetition,
           asked_at, ended_at, run_at, task, title, toString(field) AS field,
           toString(standing) AS standing, toString(reader) AS reader,
           attempt, tries, status, failure, ifNull(other_provider, false) AS other_provider, models,
           ifNull(simulated, false) AS simulated, criteria, statements, criticals, {_COUNTS} AS counts,
           if(answered, ifNull(answer_sha256, '{_OF_NOTHING}'), NULL) AS answer_sha256
    FROM (
      SELECT *, groupUniqArray(returned_model) OVER (PARTITION BY {EVALUATION}) AS models
      FROM (
        SELECT *, ifNull(status = 'response' AND NOT other_provider, false) AS answered,
               count() OVER x AS tries, argMax(task_sha256, (source, seq)) OVER t AS newest_text,
               min(time) OVER e AS asked_at, max(time) OVER e AS ended_at, min(time) OVER r AS run_at
        FROM (SELECT * FROM rubric_attempts FINAL
              WHERE time <= {TO_END} AND {chosen("catalogue", "endpoint", "language")}) AS a
        LEFT JOIN ({_ENDS}) AS ends ON ends.ended_attempt = a.attempt
        LEFT JOIN ({_HASHES}) AS hashes ON hashes.hashed_attempt = a.attempt
        WINDOW t AS (PARTITION BY {EVALUATION}, task), x AS (PARTITION BY {EVALUATION}, task, task_sha256),
               e AS (PARTITION BY {EVALUATION}), r AS (PARTITION BY catalogue, endpoint, language, run)
        ORDER BY answered DESC, source DESC, seq DESC
        LIMIT 1 BY {EVALUATION}, task, task_sha256
      )
    )
    WHERE task_sha256 = newest_text
"""
"""Tasks as they were asked, all tries together; ``counts`` tells which of them enter.

asked_at, ended_at: first and last request of the evaluation; run_at: first of the run. answer_sha256:
null without an answer. models: that answered in the evaluation, whatever counts.
"""

_IN_FORCE: Final = f"""
    SELECT assumeNotNull(attempt) AS judged_attempt, subject, answer_sha256 AS judged_sha256,
           arraySort(groupArray((toString(judge_kind), toString(judge), toString(judge_version),
                      toString(judge_model), verdict, toString(category), reason))) AS given
    FROM (
        SELECT *, row_number() OVER (PARTITION BY attempt, subject, judge_kind, judge, judge_version
                                     ORDER BY source DESC, seq DESC) AS newer
        FROM rubric_judgments FINAL WHERE time <= {TO_END} AND attempt IS NOT NULL
    )
    WHERE newer = 1 AND judgment NOT IN (
        SELECT assumeNotNull(supersedes) FROM rubric_judgments FINAL
        WHERE supersedes IS NOT NULL AND time <= {TO_END})
    GROUP BY judged_attempt, subject, judged_sha256
"""

CRITERIA: Final = f"""
    SELECT *, arrayCount(g -> ifNull(g.5, false), given) AS yes, arrayCount(g -> ifNull(NOT g.5, false), given) AS no,
           yes > 0 AND no > 0 AS is_disputed,
           multiIf(is_disputed OR yes + no = 0, NULL, yes > 0) AS together
    FROM (
        SELECT t.*, j.given AS given
        FROM (SELECT *, criterion, statement, critical, place FROM ({TASKS})
              ARRAY JOIN criteria AS criterion, statements AS statement, criticals AS critical,
                         arrayEnumerate(criteria) AS place) AS t
        LEFT JOIN ({_IN_FORCE}) AS j ON j.judged_attempt = t.attempt AND j.judged_sha256 = t.answer_sha256
            AND j.subject = concat(t.catalogue, '/', t.task, '/', t.language, '/', t.criterion)
    )
"""
"""Criteria of those tasks, a row each, with what every judge gave: kind, name, version, model, verdict, category,
reason. together: the verdict of all who gave one, null where nobody did or they differ."""


def usable_of(verdict: str) -> str:
    """Whether all critical criteria of a task passed: false if one failed, else null if one is ungraded."""
    return (
        f"multiIf(countIf(critical AND ifNull(NOT {verdict}, false)) > 0, false, "
        f"countIf(critical AND {verdict} IS NULL) > 0, NULL, true)"
    )


def score_sql(of: str = "") -> str:
    """Columns of :data:`SCORE_COLUMNS` from counts of criteria; ``of``: a prefix of their names."""
    return (
        f"{of}criteria AS criteria, {of}passed AS passed, {of}failed AS failed, "
        f"{of}criteria - {of}passed - {of}failed AS ungraded, {of}disputed AS disputed, "
        f"if(criteria = 0 OR ungraded > 0, NULL, passed / criteria) AS score"
    )


SCORE_COLUMNS: Final[tuple[ResultColumn, ...]] = (
    number("criteria", "criteria", "criteria that the score is counted over"),
    number("passed", "criteria", "of them passed, unweighted"),
    number("failed", "criteria", "of them failed"),
    number("ungraded", "criteria", "of them without a verdict, disputed ones too"),
    number("disputed", "criteria", "of them judged differently by different judges"),
    number("score", "share", "passed among all criteria; null as soon as one is ungraded"),
)

USABILITY_COLUMNS: Final[tuple[ResultColumn, ...]] = (
    number("tasks", "tasks", "tasks that were asked and count"),
    number("usable", "tasks", "of them with every critical criterion passed"),
    number("not_usable", "tasks", "of them with a critical criterion failed"),
    number("undecided", "tasks", "of them with neither: counted as not usable"),
    number("usability_rate", "share", "usable among all tasks; null of none"),
    number("usability_low", "share", "lower end of its 95 % interval (Wilson)"),
    number("usability_high", "share", "upper end of its 95 % interval (Wilson)"),
)

WHO: Final = "catalogue, endpoint, language"
WHO_COLUMNS: Final[tuple[ResultColumn, ...]] = (
    label("catalogue", "catalogue of tasks"),
    label("endpoint"),
    label("language", "language of the tasks"),
)
RUN_COLUMNS: Final[tuple[ResultColumn, ...]] = (
    time("first request of the evaluation", "oldest"),
    time("last request of the evaluation", "newest"),
    text("run", "run"),
    number("repetition", "", "repetition within the run"),
    flag("simulated", "reference endpoint, simulated clock or simulated transport"),
    text("definition", "rules that the numbers were made by, with their version"),
)
RUN_SQL: Final = f"asked_at AS oldest, ended_at AS newest, toString(run) AS run, repetition, simulated, {DEFINITION}"

IN_RUNS: Final = (
    "counts AND if(empty({run:Array(String)}), run_at = newest_run_at, has({run:Array(String)}, toString(run)))"
)
"""Tasks that count, of the chosen runs; of rows with :data:`NEWEST`."""

NEWEST: Final = "max(run_at) OVER (PARTITION BY catalogue, endpoint, language) AS newest_run_at"

SAYS: Final = (
    "Two numbers that are never combined: the rubric score counts criteria, unweighted, and is null as soon as one "
    "is ungraded; usable is a task whose critical criteria all passed. Judges are taken together: where they differ, "
    "a criterion is disputed and ungraded. Tasks count by their text and second reading when they were asked; "
    "messwerk rubric report holds them to the catalogue's files as they are now."
)
