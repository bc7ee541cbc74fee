"""From events to what was asked, answered and judged: tries of one task joined, superseded judgments gone. Pure.

Events come in the order of one log. What they mean together is decided here; what is counted, in ``outcomes``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Final
from uuid import UUID

import msgspec

from daemon.attempts.pinning import OTHER_PROVIDER
from schemas.events import AttemptCompleted, Event, JudgmentRecorded
from schemas.events.rubric import RubricAsked
from schemas.rubric.kinds import Language
from schemas.rubric.report import JudgeKind

SUITE: Final = "rubric"
ASKING: Final = "rubric"
"""The workload of attempts that answer; those of judging models are another one."""

Timed = tuple[int, Event]
"""Wall time of an event in nanoseconds since 1970, and the event."""

JudgeKey = tuple[JudgeKind, str, str]
"""Kind, name and version of a judge; another version is another judge."""

GroupKey = tuple[str, str, Language, UUID, int]
"""Catalogue, endpoint, language, run and repetition: within it each text of a task is asked once."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One text of a task as it was asked, all tries together.

    asked: of the try that counts: the last one with a response, else the last. completed: None while it is open.
    judgments: in force, by criterion id and judge. stray: how many judged another text than the answer, or what is no
    criterion of the task.
    """

    asked: RubricAsked
    completed: AttemptCompleted | None
    tries: int
    judgments: Mapping[str, Mapping[JudgeKey, JudgmentRecorded]]
    stray: int


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """One repetition of a run with one endpoint in one language. on: day of its first request, UTC.

    tasks: by id. A task that was changed and asked again under the same run is there once for each of its texts, in
    the order of their first asks: which of them counts is for whoever knows the file as it is now.
    """

    catalogue: str
    endpoint: str
    language: Language
    run: UUID
    repetition: int
    on: date
    tasks: tuple[Asked, ...]

    def by_task(self) -> Mapping[str, tuple[Asked, ...]]:
        """Return the texts of each task, tasks by id."""
        found: dict[str, tuple[Asked, ...]] = {}
        for each in self.tasks:
            found[each.asked.task] = (*found.get(each.asked.task, ()), each)
        return found


def of_text(texts: Sequence[Asked], task_sha256: str) -> Asked | None:
    """Return the one of a task's texts that has this hash, None if it was not asked."""
    return next((each for each in texts if each.asked.task_sha256 == task_sha256), None)


def answer_sha256(completed: AttemptCompleted | None) -> str | None:
    """Hash of an answer's text, which judgments are bound to.

    None of an attempt without a response, and of one that another provider answered than the pinned one.
    """
    if completed is None or completed.status != "response" or OTHER_PROVIDER in completed.flags:
        return None
    return _OF_NOTHING if completed.answer is None else completed.answer.sha256


def subject_id(asked: RubricAsked, criterion: str) -> str:
    """Name a criterion of an asked task as judgments name it."""
    return f"{asked.catalogue}/{asked.task}/{asked.language}/{criterion}"


def gathered(events: Iterable[Timed], catalogue: str | None = None) -> tuple[Group, ...]:
    """Join the events of rubric tasks, of one catalogue or of all; other events are passed over.

    Groups are in the order of endpoint, language and first request, their tasks by id: never in an order of figures.
    """
    asked: list[tuple[int, RubricAsked]] = []
    completed: dict[UUID, AttemptCompleted] = {}
    judgments: list[JudgmentRecorded] = []
    for wall_ns, event in events:
        match event:
            case RubricAsked() if catalogue in {None, event.catalogue}:
                asked.append((wall_ns, event))
            case AttemptCompleted() if event.suite == SUITE and event.workload == ASKING:
                completed[event.attempt] = event
            case JudgmentRecorded() if event.suite == SUITE and event.subject.kind == "criterion":
                judgments.append(event)
    by_attempt = _by_attempt(judgments)
    groups: dict[GroupKey, list[tuple[int, RubricAsked]]] = {}
    for wall_ns, event in asked:
        key = (event.catalogue, event.endpoint, event.language, event.run, event.repetition)
        groups.setdefault(key, []).append((wall_ns, event))
    made = [(min(ns for ns, _ in rows), _group(key, rows, completed, by_attempt)) for key, rows in groups.items()]
    made.sort(key=_place)
    return tuple(group for _, group in made)


def in_force(judgments: Iterable[JudgmentRecorded]) -> list[JudgmentRecorded]:
    """Leave out what was superseded: by name, or by a later judgment of the same judge on the same subject."""
    latest: dict[tuple[UUID | None, str, JudgeKey], JudgmentRecorded] = {}
    superseded: set[UUID] = set()
    for event in judgments:
        latest[event.subject.attempt, event.subject.id, judge_key(event)] = event
        if event.supersedes is not None:
            superseded.add(event.supersedes)
    return [event for event in latest.values() if event.judgment not in superseded]


def judge_key(event: JudgmentRecorded) -> JudgeKey:
    """Tell who judged."""
    return event.judge.kind, event.judge.name, event.judge.version


_OF_NOTHING: Final = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""SHA-256 of no bytes: a response may be empty, and an empty answer can be judged."""


def _by_attempt(judgments: Sequence[JudgmentRecorded]) -> dict[UUID, list[JudgmentRecorded]]:
    found: dict[UUID, list[JudgmentRecorded]] = {}
    for event in in_force(judgments):
        if event.subject.attempt is not None:
            found.setdefault(event.subject.attempt, []).append(event)
    return found


def _place(made: tuple[int, Group]) -> tuple[str, str, str, int, int, int]:
    first_ns, group = made
    return group.catalogue, group.endpoint, group.language, first_ns, group.run.int, group.repetition


def _group(
    key: GroupKey,
    rows: Sequence[tuple[int, RubricAsked]],
    completed: Mapping[UUID, AttemptCompleted],
    judgments: Mapping[UUID, Sequence[JudgmentRecorded]],
) -> Group:
    tries: dict[tuple[str, str], list[RubricAsked]] = {}
    for _, event in rows:
        tries.setdefault((event.task, event.task_sha256), []).append(event)
    catalogue, endpoint, language, run, repetition = key
    first_ns = min(ns for ns, _ in rows)
    return Group(
        catalogue=catalogue,
        endpoint=endpoint,
        language=language,
        run=run,
        repetition=repetition,
        on=datetime.fromtimestamp(first_ns // 1_000_000_000, UTC).date(),
        tasks=tuple(_joined(tries[text], completed, judgments) for text in sorted(tries, key=lambda text: text[0])),
    )


def _joined(
    tries: Sequence[RubricAsked],
    completed: Mapping[UUID, AttemptCompleted],
    judgments: Mapping[UUID, Sequence[JudgmentRecorded]],
) -> Asked:
    answered = [each for each in tries if answer_sha256(completed.get(each.attempt)) is not None]
    counting = (answered or tries)[-1]
    end = completed.get(counting.attempt)
    wanted = {subject_id(counting, criterion.id): criterion.id for criterion in counting.criteria}
    digest = answer_sha256(end)
    found: dict[str, dict[JudgeKey, JudgmentRecorded]] = {}
    stray = 0
    for event in judgments.get(counting.attempt, ()):
        criterion = wanted.get(event.subject.id)
        if criterion is None or digest is None or event.subject.sha256 != digest:
            stray += 1
        else:
            found.setdefault(criterion, {})[judge_key(event)] = event
    return Asked(asked=counting, completed=end, tries=len(tries), judgments=found, stray=stray)
