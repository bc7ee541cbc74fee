"""A person judges answers criterion by criterion, blind: neither whose an answer is nor what is critical is shown.

Each verdict is recorded before the next question, so that whoever leaves goes on where they left. Where the words are
shown and where verdicts are recorded is the caller's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal
from uuid import UUID

import msgspec

from daemon.rubric.answers import Answer, judgment
from daemon.rubric.judging_words import INSTRUCTIONS_VERSION, JUDGING_WORDS, JudgingWords
from daemon.terminal import Terminal
from schemas.errors import ConfigurationError
from schemas.events import JudgmentRecorded
from schemas.events.judgments import Judge
from schemas.rubric.task import Catalogue, Criterion

_Choice = Literal["yes", "no", "skip", "leave"]
_CHOICES: Final[dict[str, _Choice]] = {
    **dict.fromkeys(("y", "yes", "j", "ja"), "yes"),
    **dict.fromkeys(("n", "no", "nein"), "no"),
    **dict.fromkeys(("s", "skip"), "skip"),
    **dict.fromkeys(("q", "quit"), "leave"),
}


class Sat(msgspec.Struct, frozen=True, kw_only=True):
    """What a sitting came to. before: criteria that this person had judged; left: whether it was ended by leaving."""

    criteria: int
    before: int
    passed: int
    failed: int
    skipped: int
    left: bool

    @property
    def still_open(self) -> int:
        """How many criteria this person has not judged."""
        return self.criteria - self.before - self.passed - self.failed


def person(catalogue: Catalogue, name: str) -> Judge:
    """Return a person of the catalogue as a judge; raises ConfigurationError for a stranger."""
    if catalogue.person(name) is None:
        known = ", ".join(each.id for each in catalogue.persons) or "nobody"
        raise ConfigurationError(
            f"no person {name!r} in catalogue.toml of {catalogue.id}, which names {known}; add a [[person]] first"
        )
    return Judge(kind="person", name=name, version=INSTRUCTIONS_VERSION)


def is_judged(answer: Answer, judge: Judge, criterion: str) -> bool:
    """Tell whether this person gave a verdict that is in force."""
    before = answer.by(judge, criterion)
    return before is not None and before.verdict is not None


class Sitting:
    """One person, all answers. again: also asks about what they have judged; new verdicts supersede."""

    def __init__(
        self,
        answers: Sequence[Answer],
        judge: Judge,
        record: Callable[[JudgmentRecorded], None],
        new_id: Callable[[], UUID],
        *,
        again: bool = False,
    ) -> None:
        self._answers = answers
        self._judge = judge
        self._record = record
        self._new_id = new_id
        self._again = again
        self._passed = self._failed = self._skipped = 0

    def carry_out(self, terminal: Terminal) -> Sat:
        """Ask about every criterion that is open, until the person leaves."""
        left = not all(self._judge_answer(terminal, number, each) for number, each in enumerate(self._answers, 1))
        every = [(answer, each.id) for answer in self._answers for each in answer.loaded.task.criteria]
        before = sum(is_judged(answer, self._judge, criterion) for answer, criterion in every)
        return Sat(
            criteria=len(every),
            before=0 if self._again else before,
            passed=self._passed,
            failed=self._failed,
            skipped=self._skipped,
            left=left,
        )

    def _judge_answer(self, terminal: Terminal, number: int, answer: Answer) -> bool:
        wanted = [
            (place, each)
            for place, each in enumerate(answer.loaded.task.criteria, 1)
            if self._again or not is_judged(answer, self._judge, each.id)
        ]
        if wanted:
            terminal.show("\n".join(_case(answer, number, len(self._answers))))
        return all(self._judge_criterion(terminal, answer, place, each) for place, each in wanted)

    def _judge_criterion(self, terminal: Terminal, answer: Answer, place: int, criterion: Criterion) -> bool:
        """Return False where the person leaves."""
        task = answer.loaded.task
        words = JUDGING_WORDS[task.language]
        statement = words.statement.format(number=place, count=len(task.criteria), statement=criterion.statement)
        terminal.show(f"\n{statement}")
        choice = _chosen(terminal, words)
        if choice == "skip":
            self._skipped += 1
        if choice in {"skip", "leave"}:
            return choice == "skip"
        reason = _reason(terminal, words)
        if reason is None:
            return False
        verdict = choice == "yes"
        self._record(judgment(answer, criterion.id, self._judge, self._new_id, verdict=verdict, reason=reason))
        self._passed += verdict
        self._failed += not verdict
        return True


def _chosen(terminal: Terminal, words: JudgingWords) -> _Choice:
    while True:
        said = terminal.ask(words.choices)
        choice = "leave" if said is None else _CHOICES.get(said.strip().lower())
        if choice is not None:
            return choice
        terminal.show(words.choose)


def _reason(terminal: Terminal, words: JudgingWords) -> str | None:
    while True:
        said = terminal.ask(words.reason)
        if said is None or said.strip():
            return None if said is None else said.strip()
        terminal.show(words.no_reason)


def _case(answer: Answer, number: int, count: int) -> Iterator[str]:
    task = answer.loaded.task
    words = JUDGING_WORDS[task.language]
    sources = {each.id: each.citation for each in task.sources}
    yield f"\n{'=' * 78}\n{task.title} ({task.id}, {task.language}): {words.which.format(number=number, count=count)}"
    for heading, text in ((words.facts, task.facts), (words.question, task.question)):
        yield f"\n--- {heading} ---\n{text.strip()}"
    yield f"\n--- {words.solution} ---"
    for section in task.solution:
        cited = "; ".join(sources.get(each, each) for each in section.citations)
        yield f"{section.text.strip()}{f' [{cited}]' if cited else ''}\n"
    yield f"--- {words.answer} ---\n{answer.text.strip() or words.no_answer}"
    yield f"\n--- {words.judgment} ---\n{words.instructions}"
