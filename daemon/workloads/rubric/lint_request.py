"""Rules on what is sent: facts and question, and that neither gives away what is measured. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daemon.workloads.rubric.findings import Finding, Teller
from daemon.workloads.rubric.loading import LoadedTask
from daemon.workloads.rubric.sentences import sentences
from daemon.workloads.rubric.words import words_of

LEAST_SENTENCES, MOST_SENTENCES = 5, 15
_SHOWN_WORDS = 5


def request_findings(loaded: LoadedTask, tell: Teller) -> Iterator[Finding]:
    """Hold facts and question against their rules."""
    task, lines = loaded.task, loaded.lines
    told = sentences(task.facts, task.language)
    if len(told) < LEAST_SENTENCES:
        yield tell("facts-sentences", "few", lines("facts"), count=len(told), least=LEAST_SENTENCES)
    elif len(told) > MOST_SENTENCES:
        begin = " ".join(told[MOST_SENTENCES].split()[:_SHOWN_WORDS])
        yield tell("facts-sentences", "many", lines("facts"), count=len(told), most=MOST_SENTENCES, begin=begin)
    if not task.question.strip():
        yield tell("question", "empty", lines("question"))
    yield from _neutral(loaded, tell)
    yield from _leaks(loaded, tell)


def same_words(text: str) -> str:
    """Reduce a text to its words in small letters, so that two that state the same can be told alike."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def first_found(patterns: Sequence[re.Pattern[str]], text: str) -> str | None:
    """Return what the first pattern that is found anywhere in a text finds there."""
    return next((found[0].strip() for pattern in patterns if (found := pattern.search(text))), None)


def _neutral(loaded: LoadedTask, tell: Teller) -> Iterator[Finding]:
    task, words = loaded.task, words_of(loaded.task.language)
    looked_for = (
        ("measuring", words.measuring),
        ("answer-format", words.answer_format),
        ("aids", words.aids),
    )
    for key, text in (("facts", task.facts), ("question", task.question)):
        for message, patterns in looked_for:
            word = first_found(patterns, text)
            if word is not None:
                yield tell("neutral-request", message, loaded.lines(key), key=key, word=word)


def _leaks(loaded: LoadedTask, tell: Teller) -> Iterator[Finding]:
    task = loaded.task
    for at, criterion in enumerate(task.criteria):
        statement = same_words(criterion.statement)
        for part, text in (("facts", task.facts), ("question", task.question)):
            if statement and f" {statement} " in f" {same_words(text)} ":
                line = loaded.lines("criterion", at, "statement")
                yield tell("leak", "statement", line, id=criterion.id, part=part)
