"""Rules on each criterion: one statement, without discretion, with its value, found in the solution. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from daemon.workloads.rubric.compound import joins
from daemon.workloads.rubric.findings import Finding, Teller
from daemon.workloads.rubric.lint_request import first_found, same_words
from daemon.workloads.rubric.loading import LoadedTask
from daemon.workloads.rubric.values import values
from daemon.workloads.rubric.words import Words, words_of
from schemas.rubric.kinds import Language
from schemas.rubric.task import Criterion, RubricTask, Section

_LEAST_QUOTED: Final = 3
_SHOWN_CHARACTERS: Final = 60
# Hyphens and dashes of all widths, quotation marks of both languages: what word processors exchange.
_ALIKE: Final = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        **dict.fromkeys("\u201e\u201c\u201d\u00ab\u00bb\u2018\u2019\u201a", '"'),
        "'": '"',
    }
)


def criteria_findings(loaded: LoadedTask, tell: Teller) -> Iterator[Finding]:
    """Hold every criterion of a task against its rules."""
    task, words = loaded.task, words_of(loaded.task.language)
    solution = values("\n\n".join(section.text for section in task.solution), task.language)
    seen: dict[str, str] = {}
    for at, criterion in enumerate(task.criteria):
        line = loaded.lines("criterion", at, "statement")
        if not criterion.statement.strip():
            yield tell("statement", "empty", line, id=criterion.id)
        else:
            yield from _statement(criterion, task.language, words, line, tell)
            yield from _repeated(criterion, seen, line, tell)
            yield from _values(criterion, task.language, solution, line, tell)
        yield from _found(criterion, task, loaded.lines("criterion", at, "found"), tell)


def _statement(criterion: Criterion, language: Language, words: Words, line: int, tell: Teller) -> Iterator[Finding]:
    statement, name = criterion.statement.strip(), criterion.id
    if statement.endswith("?"):
        yield tell("statement", "question", line, id=name)
    for join in joins(statement, language):
        if join.phrase is None:
            yield tell("compound", "two", line, id=name, word=join.word, first=join.first, second=join.second)
            break
        yield tell("compound", "fixed-phrase", line, id=name, word=join.word, phrase=join.phrase)
    small = statement[:1].lower() + statement[1:]
    for word in dict.fromkeys(found[0].strip() for pattern in words.vague for found in pattern.finditer(small)):
        yield tell("vague", "word", line, id=name, word=word)
    step = first_found(words.reasoning, statement) if criterion.critical else None
    if step is not None:
        yield tell("critical-reasoning", "step", line, id=name, word=step)
    untold = first_found(words.result_words, statement)
    if untold is not None and not criterion.result and not values(statement, language):
        yield tell("result-value", "no-target", line, id=name, word=untold)


def _repeated(criterion: Criterion, seen: dict[str, str], line: int, tell: Teller) -> Iterator[Finding]:
    first = seen.setdefault(same_words(criterion.statement), criterion.id)
    if first != criterion.id:
        yield tell("repeated-statement", "twice", line, id=criterion.id, first=first)


def _values(
    criterion: Criterion, language: Language, solution: frozenset[str], line: int, tell: Teller
) -> Iterator[Finding]:
    if not criterion.result:
        return
    named = values(criterion.statement, language)
    strange = ", ".join(sorted(_as_written(each, language) for each in named - solution))
    if not named:
        yield tell("result-value", "no-number", line, id=criterion.id)
    elif not named & solution:
        yield tell("result-value", "not-in-solution", line, id=criterion.id, values=strange)
    elif strange:
        yield tell("result-value", "partly-in-solution", line, id=criterion.id, values=strange)


def _as_written(value: str, language: Language) -> str:
    return value.replace(".", ",") if language == "de" else value


def _found(criterion: Criterion, task: RubricTask, line: int, tell: Teller) -> Iterator[Finding]:
    if not criterion.found:
        yield tell("found-in-solution", "missing", line, id=criterion.id)
    for quote in criterion.found:
        shown = " ".join(quote.split())
        shown = shown if len(shown) <= _SHOWN_CHARACTERS else f"{shown[: _SHOWN_CHARACTERS - 1]}…"
        if len(quote.strip()) < _LEAST_QUOTED:
            yield tell("found-in-solution", "too-short", line, id=criterion.id, quote=shown)
        elif not any(quote in section.text for section in task.solution):
            almost = _almost(quote, {each.id: each for each in task.solution})
            message = "not-there" if almost is None else "almost"
            yield tell("found-in-solution", message, line, id=criterion.id, quote=shown, section=almost)


def _almost(quote: str, solution: Mapping[str, Section]) -> str | None:
    """Return the section that says it in the same words but for spaces, marks and capitals."""
    wanted = _plain(quote)
    return next((name for name, section in solution.items() if wanted in _plain(section.text)), None)


def _plain(text: str) -> str:
    return " ".join(text.translate(_ALIKE).casefold().split())
