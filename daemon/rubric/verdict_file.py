"""A person's verdicts as a JSON file: a template to fill in, and what a filled one comes to. Pure.

A file is taken whole or not at all. Everything in it but verdicts and reasons is there for the reader, and bound: an
answer by its hash, a statement by its words. A criterion with null stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from uuid import UUID

import msgspec

from daemon.rubric.answers import Answer, judgment
from daemon.rubric.person_judging import is_judged
from daemon.rubric.verdict_form import VerdictFile, WrittenAnswer, WrittenVerdict, WrittenVerdicts
from daemon.workloads.rubric.places import ValuePath
from schemas.events import JudgmentRecorded
from schemas.events.judgments import Judge
from schemas.rubric.task import Catalogue


def template(catalogue: Catalogue, answers: Iterable[Answer], judge: Judge) -> bytes:
    """Write a file of every criterion, with this person's verdicts where there are any. No model is named."""
    written = WrittenVerdicts(
        format=1, catalogue=catalogue.id, answers=tuple(_written(each, judge) for each in answers)
    )
    return msgspec.json.format(msgspec.json.encode(written), indent=2) + b"\n"


def verdicts(
    content: bytes,
    catalogue: Catalogue,
    answers: Sequence[Answer],
    judge: Judge,
    new_id: Callable[[], UUID],
    *,
    file: str,
) -> list[JudgmentRecorded]:
    """Read a file's verdicts as judgments, without those that are in force as they stand.

    Raises :class:`VerdictsRefusedError` at the first fault.
    """
    given = VerdictFile(content, file)
    written = given.written
    if written.catalogue != catalogue.id:
        given.refuse(
            "catalogue",
            ("catalogue",),
            f"it is of catalogue {written.catalogue!r}, not {catalogue.id!r}",
            "name the folder of the catalogue that it was written for",
        )
    known = {each.attempt: each for each in answers}
    made: list[JudgmentRecorded] = []
    seen: set[UUID] = set()
    for place, entry in enumerate(written.answers):
        answer = _answer(given, ("answers", place), entry, known, seen)
        made += _judgments(given, ("answers", place, "criteria"), entry, answer, judge, new_id)
    return made


def _written(answer: Answer, judge: Judge) -> WrittenAnswer:
    task = answer.loaded.task
    given = {each.id: answer.by(judge, each.id) for each in task.criteria if is_judged(answer, judge, each.id)}
    return WrittenAnswer(
        task=task.id,
        language=task.language,
        attempt=answer.attempt,
        answer_sha256=answer.sha256,
        facts=task.facts.strip(),
        question=task.question.strip(),
        solution=tuple(section.text.strip() for section in task.solution),
        answer=answer.text,
        criteria=tuple(
            WrittenVerdict(
                id=each.id,
                statement=each.statement,
                verdict=None if (before := given.get(each.id)) is None else before.verdict,
                reason=None if before is None else before.reason,
            )
            for each in task.criteria
        ),
    )


def _answer(
    given: VerdictFile, path: ValuePath, entry: WrittenAnswer, known: Mapping[UUID, Answer], seen: set[UUID]
) -> Answer:
    """Find the answer that an entry is about."""
    answer = known.get(entry.attempt)
    if answer is None:
        given.refuse(
            "answer",
            (*path, "attempt"),
            f"there is no answer {entry.attempt} to a task as its file is now",
            "write the template again with --template, from the right data directory",
        )
    if entry.attempt in seen:
        given.refuse("once", (*path, "attempt"), f"answer {entry.attempt} occurs twice", "leave one of them out")
    seen.add(entry.attempt)
    task = answer.loaded.task
    if (entry.task, entry.language) != (task.id, task.language):
        given.refuse(
            "answer",
            (*path, "task"),
            f"answer {entry.attempt} is to {task.id} ({task.language}), not to {entry.task} ({entry.language})",
            "put the template's words back",
        )
    if entry.answer_sha256 != answer.sha256:
        given.refuse(
            "answer-hash",
            (*path, "answer_sha256"),
            f"it is not the hash of the answer in the log, which is {answer.sha256}",
            "judge the answer that the log has: write the template again with --template",
        )
    return answer


def _judgments(
    given: VerdictFile,
    path: ValuePath,
    entry: WrittenAnswer,
    answer: Answer,
    judge: Judge,
    new_id: Callable[[], UUID],
) -> Iterator[JudgmentRecorded]:
    task, seen = answer.loaded.task, set[str]()
    for place, written in enumerate(entry.criteria):
        criterion = task.criterion(written.id)
        if criterion is None:
            given.refuse(
                "statement",
                (*path, place, "id"),
                f"{task.id} ({task.language}) has no criterion {written.id!r}",
                f"name one of {', '.join(each.id for each in task.criteria)}",
            )
        if written.id in seen:
            given.refuse("once", (*path, place, "id"), f"criterion {written.id!r} occurs twice", "leave one out")
        seen.add(written.id)
        if written.statement != criterion.statement:
            given.refuse(
                "statement",
                (*path, place, "statement"),
                f"it is not the statement of criterion {written.id!r}",
                f"put its words back: {criterion.statement}",
            )
        if written.verdict is None:
            continue
        reason = (written.reason or "").strip()
        if not reason:
            given.refuse(
                "reason",
                (*path, place, "reason"),
                f"criterion {written.id!r} has a verdict and no reason",
                "say in a sentence what the answer says, or set the verdict to null",
            )
        before = answer.by(judge, written.id)
        if before is None or (before.verdict, before.reason) != (written.verdict, reason):
            yield judgment(answer, written.id, judge, new_id, verdict=written.verdict, reason=reason)
