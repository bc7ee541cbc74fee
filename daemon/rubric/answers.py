"""Which answers can be judged now, and by what: those to tasks as their files are, whose texts are still kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from uuid import UUID

import msgspec

from daemon.judging.rubric.gathering import SUITE, Asked, answer_sha256, of_text, subject_id
from daemon.rubric.memory import RubricMemory
from daemon.workloads.rubric.admission import Admission
from daemon.workloads.rubric.loading import LoadedTask
from schemas.errors import MesswerkError
from schemas.events import AttemptCompleted, JudgmentRecorded
from schemas.events.judgments import Judge, Subject
from schemas.rubric.task import Catalogue


class NothingToJudgeError(MesswerkError):
    """The log has no answer to any task of a catalogue, or none that can be judged."""

    def __init__(self, catalogue: str, of: Collection[str] = ()) -> None:
        whose = f" of {', '.join(of)}" if of else ""
        super().__init__(
            f"no task of {catalogue} has an answer{whose} in the log: ask first, with `messwerk rubric run`"
        )


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with its task. sha256: of the text, which judgments are bound to."""

    asked: Asked
    completed: AttemptCompleted
    loaded: LoadedTask
    text: str
    sha256: str

    @property
    def attempt(self) -> UUID:
        """The attempt that answered."""
        return self.completed.attempt

    def by(self, judge: Judge, criterion: str) -> JudgmentRecorded | None:
        """Return this judge's judgment in force on a criterion."""
        key = (judge.kind, judge.name, judge.version)
        return self.asked.judgments.get(criterion, {}).get(key)


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """Answers in an order that says nothing of whose they are; and what cannot be judged, with the reason."""

    found: tuple[Answer, ...]
    unusable: tuple[str, ...]


def answers(memory: RubricMemory, catalogue: Catalogue, admission: Admission, of: Collection[str] = ()) -> Answers:
    """Find the answers to a catalogue's tasks that were asked. Unread tasks are among them where admitted.

    of: endpoints whose answers are wanted; without any, everybody's.
    An answer to an earlier text is told of unless the same endpoint was asked the text of now.
    """
    known = {(each.loaded.task.id, each.loaded.task.language): each.loaded for each in admission.admitted}
    groups = [each for each in memory.groups(catalogue.id) if not of or each.endpoint in of]
    texts_asked = {
        (group.endpoint, each.asked.task, group.language, each.asked.task_sha256)
        for group in groups
        for each in group.tasks
    }
    found: list[Answer] = []
    unusable: list[str] = []
    for group in groups:
        for name, texts in group.by_task().items():
            loaded = known.get((name, group.language))
            if loaded is None:
                continue
            now = of_text(texts, loaded.sha256)
            asked = now or texts[-1]
            completed, digest = asked.completed, answer_sha256(asked.completed)
            if completed is None or digest is None:
                continue
            told = f"{name} ({group.language}), attempt {asked.asked.attempt}"
            text = memory.text(completed)
            if now is None and (group.endpoint, name, group.language, loaded.sha256) in texts_asked:
                continue
            if now is None:
                unusable.append(f"{told}: the task's file has changed since; ask it again with `messwerk rubric run`")
            elif text is None:
                unusable.append(f"{told}: the answer's text is kept no longer; ask it again with --again")
            else:
                found.append(Answer(asked=asked, completed=completed, loaded=loaded, text=text, sha256=digest))
    found.sort(key=_blind)
    return Answers(found=tuple(found), unusable=tuple(unusable))


def judgment(  # what a judgment is made of
    answer: Answer,
    criterion: str,
    judge: Judge,
    new_id: Callable[[], UUID],
    *,
    verdict: bool | None,
    reason: str | None = None,
    category: str | None = None,
) -> JudgmentRecorded:
    """Make the event of one verdict; it takes the place of the same judge's earlier one."""
    before = answer.by(judge, criterion)
    return JudgmentRecorded(
        judgment=new_id(),
        suite=SUITE,
        subject=Subject(
            kind="criterion",
            id=subject_id(answer.asked.asked, criterion),
            sha256=answer.sha256,
            attempt=answer.attempt,
        ),
        judge=judge,
        verdict=verdict,
        category=category,
        reason=reason,
        supersedes=None if before is None else before.judgment,
    )


def _blind(answer: Answer) -> tuple[str, str, str]:
    """Sort a task's answers by hashes: in the order of their attempts all of one endpoint's would come together."""
    task = answer.loaded.task
    return task.id, task.language, hashlib.sha256(answer.attempt.bytes).hexdigest()
