"""What a report on a rubric catalogue says: two numbers side by side, and everything that they rest on.

The rubric score counts criteria, the usability rate counts tasks. No field here is made of both, nothing is sorted by
either, and whoever adds a number has to say which of the two it belongs to (a test asks). Null is unknown.
"""

from __future__ import annotations

from datetime import date
from typing import Any, Literal
from uuid import UUID

import msgspec

from schemas.benchmarks import BenchmarkTable
from schemas.events.attempts import AttemptStatus, FailureClass
from schemas.rubric.kinds import Language
from schemas.rubric.task import Person

Exclusion = Literal[
    "unreadable", "errors", "changed-since", "reader-refused", "unread", "earlier-text", "not-in-catalogue"
]
"""Why a task stays out of a report.

The first five keep it out of runs, too: its file cannot be read or breaks rules, it was changed since its second
reading, was read by somebody who cannot be its second reader, or by nobody. earlier-text: its file has changed since
it was asked. not-in-catalogue: the catalogue has no such task in that language any more.
"""

ReadStanding = Literal["read", "unread", "example"]
"""Whether a second expert has checked a task: yes, no, or no because it was written as an example."""


JudgeKind = Literal["rule-set", "person", "model"]


class RubricScore(msgspec.Struct, frozen=True, kw_only=True):
    """How much was right. ``passed``, ``failed`` and ``ungraded`` add up to ``criteria``; disputed ones are ungraded.

    score: passed / criteria, unweighted; null as soon as one is ungraded, and of no criteria.
    """

    criteria: int
    passed: int
    failed: int
    ungraded: int
    disputed: int
    score: float | None


class UsabilityRate(msgspec.Struct, frozen=True, kw_only=True):
    """Whether what decides was right, over tasks. ``usable``, ``not_usable`` and ``undecided`` add up to ``tasks``.

    rate: usable / tasks, so that an undecided task counts as not usable; null of no tasks. rate_low, rate_high:
    Wilson's 95 % interval.
    """

    tasks: int
    usable: int
    not_usable: int
    undecided: int
    rate: float | None
    rate_low: float | None
    rate_high: float | None


class ReportedJudge(msgspec.Struct, frozen=True, kw_only=True):
    """Who judged: a person by id, or a judging model by its endpoint; version of instructions or prompt."""

    kind: JudgeKind
    name: str
    version: str


class GivenVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What one judge said of one criterion, as far as it is in force.

    category: why there is no verdict. parameters: of a judging model, such as its prompt's hash.
    """

    judge: ReportedJudge
    verdict: bool | None
    category: str | None
    reason: str | None
    parameters: dict[str, Any]


class CriterionOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A criterion: what all judges together say, and what each of them said.

    verdict: null where no judge gave one, and where they differ, which is then ``disputed``.
    """

    id: str
    statement: str
    critical: bool
    verdict: bool | None
    disputed: bool
    verdicts: tuple[GivenVerdict, ...]


class JudgeOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One task by one judge alone."""

    judge: ReportedJudge
    score: RubricScore
    usable: bool | None


class TaskFailure(msgspec.Struct, frozen=True, kw_only=True):
    """Why there is no answer."""

    kind: FailureClass
    message: str


class TaskOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One task as it was answered.

    reader: of the second reading that is valid now. attempt: the last try; tries: how many there were. status: null
    while it has not ended. other_provider: another one replied than the pinned one, which is no answer. answer: in
    full; null where there is none, or where its text is kept no longer and only its hash remains. tipped: ids of
    failed criteria, critical ones first: where it tipped. undecided_by: ids of critical criteria without a verdict,
    where they are why ``usable`` is null.
    """

    task: str
    title: str
    field: str
    author: str
    standing: ReadStanding
    reader: str | None
    attempt: UUID
    tries: int
    status: AttemptStatus | None
    other_provider: bool
    failure: TaskFailure | None
    answer: str | None
    answer_sha256: str | None
    score: RubricScore
    usable: bool | None
    tipped: tuple[str, ...]
    undecided_by: tuple[str, ...]
    judges: tuple[JudgeOutcome, ...]
    criteria: tuple[CriterionOutcome, ...]


class JudgeNumbers(msgspec.Struct, frozen=True, kw_only=True):
    """Both numbers by one judge alone.

    models: of a judging endpoint, as its provider returned them. own_answers: the judging model, or another endpoint
    of it, is the one that answered.
    """

    judge: ReportedJudge
    models: tuple[str, ...]
    own_answers: bool
    score: RubricScore
    usability: UsabilityRate


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far judges agree. compared: criteria with two verdicts or more; alike: all verdicts equal.

    alike_share: alike / compared. alpha: Krippendorff's, nominal, over all criteria. Both null where undefined.
    """

    judges: int
    compared: int
    alike: int
    alike_share: float | None
    alpha: float | None


class ExcludedTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task that stays out, and why. task: its id, or its file's name where the file cannot be read."""

    task: str
    language: Language | None
    reason: Exclusion


class CatalogueTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task of the catalogue that this report takes in."""

    task: str
    language: Language
    field: str
    title: str
    author: str
    task_sha256: str
    standing: ReadStanding
    reader: str | None


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """One repetition of one run with one endpoint in one language, so that each task counts once.

    models: as the provider returned them. catalogue_version: when it was asked. on: day of its first request, UTC.
    asked_excluded: tasks that were asked and stay out. never_asked: tasks of the catalogue that this run did not
    ask. stray_judgments: verdicts on another text than the answer, which count nowhere.
    """

    endpoint: str
    models: tuple[str, ...]
    language: Language
    on: date
    run: UUID
    repetition: int
    catalogue_version: str
    score: RubricScore
    usability: UsabilityRate
    agreement: Agreement
    judges: tuple[JudgeNumbers, ...]
    tasks: tuple[TaskOutcome, ...]
    asked_excluded: tuple[ExcludedTask, ...]
    never_asked: tuple[str, ...]
    stray_judgments: int


class RubricReport(msgspec.Struct, frozen=True, kw_only=True):
    """The whole report on a catalogue as its files are now.

    include_unread: whether tasks without a valid second reading were taken in. excluded: tasks of the catalogue
    that stay out. public_tables: benchmarks of others, each from one dated source; nothing of ours is in them.
    """

    format: Literal["messwerk-rubric-report/1"]
    catalogue: str
    catalogue_version: str
    title: str
    persons: tuple[Person, ...]
    include_unread: bool
    tasks: tuple[CatalogueTask, ...]
    excluded: tuple[ExcludedTask, ...]
    evaluations: tuple[Evaluation, ...]
    public_tables: tuple[BenchmarkTable, ...]
