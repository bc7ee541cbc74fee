"""One asked task: its answer, each criterion's verdicts, and both numbers by all judges and by each alone. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from daemon.attempts.pinning import OTHER_PROVIDER
from daemon.judging.rubric.gathering import Asked, JudgeKey, answer_sha256, judge_key
from daemon.judging.rubric.scoring import Graded, agreed, score_of, usable
from schemas.events import JudgmentRecorded, ReceivedText
from schemas.events.judgments import Judge
from schemas.rubric.report import (
    CriterionOutcome,
    GivenVerdict,
    JudgeOutcome,
    ReadStanding,
    ReportedJudge,
    TaskFailure,
    TaskOutcome,
)
from schemas.rubric.task import RubricTask

Texts = Callable[[ReceivedText], str | None]
"""Gives an answer's text, from the event itself or from elsewhere; None where it is kept no longer."""


class TaskNow(msgspec.Struct, frozen=True, kw_only=True):
    """A task as its file is now. reader: of the valid second reading, None for a task that was let in unread."""

    task: RubricTask
    sha256: str
    reader: str | None

    @property
    def standing(self) -> ReadStanding:
        """Whether a second expert has checked it."""
        if self.reader is not None:
            return "read"
        return "example" if self.task.example else "unread"


class JudgedTask(msgspec.Struct, frozen=True, kw_only=True):
    """What is counted over a catalogue. graded: by all judges together. by_judge: the same by each alone."""

    outcome: TaskOutcome
    graded: tuple[Graded, ...]
    by_judge: dict[JudgeKey, tuple[Graded, ...]]
    judges: dict[JudgeKey, tuple[Judge, ...]]


def judged_task(now: TaskNow, asked: Asked, texts: Texts) -> JudgedTask:
    """Work out one task. Without an answer every criterion is ungraded."""
    criteria = tuple(
        _criterion(criterion.id, criterion.statement, critical=criterion.critical, given=_given(asked, criterion.id))
        for criterion in asked.asked.criteria
    )
    graded = tuple(Graded(critical=each.critical, verdict=each.verdict, disputed=each.disputed) for each in criteria)
    keys = sorted({key for verdicts in asked.judgments.values() for key in verdicts})
    by_judge = {
        key: tuple(
            Graded(critical=each.critical, verdict=_verdict(asked, each.id, key)) for each in asked.asked.criteria
        )
        for key in keys
    }
    completed = asked.completed
    received = None if completed is None else completed.answer
    nothing = answer_sha256(completed) is not None and received is None
    failure = None if completed is None else completed.failure
    outcome = TaskOutcome(
        task=asked.asked.task,
        title=asked.asked.title,
        field=asked.asked.field,
        author=now.task.author,
        standing=now.standing,
        reader=now.reader,
        attempt=asked.asked.attempt,
        tries=asked.tries,
        status=None if completed is None else completed.status,
        other_provider=completed is not None and OTHER_PROVIDER in completed.flags,
        failure=None if failure is None else TaskFailure(kind=failure.kind, message=failure.message),
        answer="" if nothing else None if received is None else texts(received),
        answer_sha256=answer_sha256(completed) if received is None else received.sha256,
        score=score_of(graded),
        usable=usable(graded),
        tipped=tipped(criteria),
        undecided_by=tuple(each.id for each in criteria if each.critical and each.verdict is None)
        if usable(graded) is None
        else (),
        judges=tuple(
            JudgeOutcome(judge=_reported(key), score=score_of(own), usable=usable(own))
            for key, own in by_judge.items()
        ),
        criteria=criteria,
    )
    judges = {
        key: tuple(verdicts[key].judge for verdicts in asked.judgments.values() if key in verdicts) for key in keys
    }
    return JudgedTask(outcome=outcome, graded=graded, by_judge=by_judge, judges=judges)


def tipped(criteria: Iterable[CriterionOutcome]) -> tuple[str, ...]:
    """Name the failed criteria, critical ones first, else in the rubric's order: where it tipped."""
    failed = [each for each in criteria if each.verdict is False]
    return tuple(each.id for each in sorted(failed, key=lambda each: not each.critical))


def _given(asked: Asked, criterion: str) -> list[JudgmentRecorded]:
    return [event for _, event in sorted(asked.judgments.get(criterion, {}).items())]


def _verdict(asked: Asked, criterion: str, judge: JudgeKey) -> bool | None:
    event = asked.judgments.get(criterion, {}).get(judge)
    return None if event is None else event.verdict


def _criterion(identifier: str, statement: str, *, critical: bool, given: list[JudgmentRecorded]) -> CriterionOutcome:
    together = agreed(critical, (event.verdict for event in given))
    return CriterionOutcome(
        id=identifier,
        statement=statement,
        critical=critical,
        verdict=together.verdict,
        disputed=together.disputed,
        verdicts=tuple(
            GivenVerdict(
                judge=_reported(judge_key(event)),
                verdict=event.verdict,
                category=event.category,
                reason=event.reason,
                parameters=event.judge.parameters,
            )
            for event in given
        ),
    )


def _reported(key: JudgeKey) -> ReportedJudge:
    kind, name, version = key
    return ReportedJudge(kind=kind, name=name, version=version)
