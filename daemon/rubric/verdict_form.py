"""The form of a person's file of verdicts, and refusals that name file, place and rule. Pure."""

from __future__ import annotations

import json
from typing import Final, Literal, NoReturn
from uuid import UUID

import msgspec

from daemon.workloads.rubric.places import Lines, ValuePath, json_lines, parted
from schemas.errors import MesswerkError
from schemas.rubric.kinds import Language

VerdictRule = Literal["form", "catalogue", "answer", "answer-hash", "statement", "once", "reason"]

RULES: Final[dict[VerdictRule, str]] = {
    "form": "the file is JSON in the template's form, and a verdict is true, false or null",
    "catalogue": "the file is of this catalogue",
    "answer": "an answer is one that the log has, to a task as its file is now",
    "answer-hash": "verdicts are bound to the answer's text by its SHA-256",
    "statement": "a criterion is one of the task, in its words",
    "once": "an answer has one entry, and a criterion one in it",
    "reason": "true and false have a written reason",
}
"""What each rule demands, in one sentence."""


class VerdictsRefusedError(MesswerkError):
    """A file of verdicts was refused as a whole: nothing was recorded. place: where, with its line."""

    def __init__(self, rule: VerdictRule, *, file: str, place: str, problem: str, todo: str) -> None:
        super().__init__(f"{file}{place and f', {place}'}: {problem}; {todo} [{rule}: {RULES[rule]}]")
        self.rule = rule
        self.place = place


class WrittenVerdict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One criterion. verdict: null for one that is not judged."""

    id: str
    statement: str
    verdict: bool | None
    reason: str | None = None


class WrittenAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answer. facts, question, solution and answer are for reading alone."""

    task: str
    language: Language
    attempt: UUID
    answer_sha256: str
    facts: str = ""
    question: str = ""
    solution: tuple[str, ...] = ()
    answer: str = ""
    criteria: tuple[WrittenVerdict, ...]


class WrittenVerdicts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file."""

    format: Literal[1]
    catalogue: str
    answers: tuple[WrittenAnswer, ...]


class VerdictFile:
    """A file as it was written, with the lines of its values. Raises :class:`VerdictsRefusedError`."""

    def __init__(self, content: bytes, file: str) -> None:
        self._file = file
        self._lines = Lines({})
        try:
            text = content.decode("utf-8-sig")
            plain = json.loads(text, object_pairs_hook=_unique)
        except (ValueError, RecursionError) as problem:
            raise self._refusal(
                "form", "", f"no JSON ({problem})", "write the template again with --template"
            ) from None
        self._lines = json_lines(text)
        try:
            self.written = msgspec.convert(plain, WrittenVerdicts, strict=True)
        except msgspec.ValidationError as problem:
            said, path = parted(problem)
            self.refuse("form", path, said, "keep the form that --template writes")

    def refuse(self, rule: VerdictRule, path: ValuePath, problem: str, todo: str) -> NoReturn:
        """Raise the refusal, with the place of a value."""
        name = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
        line = f"line {self._lines(*path)}"
        raise self._refusal(rule, f"{name} ({line})" if name else line, problem, todo)

    def _refusal(self, rule: VerdictRule, place: str, problem: str, todo: str) -> VerdictsRefusedError:
        return VerdictsRefusedError(rule, file=self._file, place=place, problem=problem, todo=todo)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return made
