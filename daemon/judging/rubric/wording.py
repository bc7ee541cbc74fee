"""How figures, verdicts and standings are told, the same on a page and in Markdown. Pure; escaping is theirs."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Final

import msgspec

from daemon.judging.rubric.report_words import Words
from schemas.benchmarks import BenchmarkTable
from schemas.rubric.report import (
    Agreement,
    CriterionOutcome,
    Evaluation,
    ExcludedTask,
    GivenVerdict,
    JudgeNumbers,
    ReportedJudge,
    RubricReport,
    RubricScore,
    TaskOutcome,
    UsabilityRate,
)
from schemas.rubric.task import Person

_REPLACEMENT: Final = "\ufffd"
_PERCENT: Final = "\u00a0%"  # a figure and its sign stay on one line


class Told(msgspec.Struct, frozen=True):
    """A figure: what is read first, and what always stands beside it."""

    figure: str
    beside: str

    def __str__(self) -> str:
        return f"{self.figure} ({self.beside})"


class Teller:
    """Words of one report in one language."""

    def __init__(self, report: RubricReport, words: Words) -> None:
        self.words = words
        self._persons: dict[str, Person] = {each.id: each for each in report.persons}
        self._judging_models = {
            (numbers.judge.name, numbers.judge.version): numbers.models
            for evaluation in report.evaluations
            for numbers in evaluation.judges
            if numbers.judge.kind == "model"
        }

    def share(self, value: float | None) -> str:
        """Tell a share in percent."""
        return self.words.unknown if value is None else f"{self.number(f'{100 * value:.1f}')}{_PERCENT}"

    def number(self, text: str) -> str:
        """Write a decimal number as the language does."""
        return text.replace(".", ",") if self.words.language == "de" else text

    def score(self, score: RubricScore) -> Told:
        """Tell a rubric score beside its counts."""
        counts = self.words.score_counts.format(
            passed=score.passed,
            criteria=score.criteria,
            failed=score.failed,
            ungraded=score.ungraded,
            disputed=score.disputed,
        )
        return Told(self.share(score.score), counts)

    def rate(self, rate: UsabilityRate) -> Told:
        """Tell a usability rate beside its counts and its interval."""
        beside = self.words.rate_counts.format(
            usable=rate.usable, tasks=rate.tasks, not_usable=rate.not_usable, undecided=rate.undecided
        )
        if rate.rate_low is not None and rate.rate_high is not None:
            low, high = self.share(rate.rate_low), self.share(rate.rate_high)
            beside += f"; {self.words.interval.format(low=low, high=high)}"
        return Told(self.share(rate.rate), beside)

    def usable(self, value: bool | None) -> str:  # noqa: FBT001  # a truth is what this is about
        """Tell whether a task is usable."""
        return {True: self.words.usable, False: self.words.not_usable, None: self.words.undecided}[value]

    def verdict(self, value: bool | None, *, disputed: bool = False) -> str:  # noqa: FBT001  # the same
        """Tell a criterion's verdict."""
        if disputed:
            return self.words.disputed
        return {True: self.words.passed, False: self.words.failed, None: self.words.ungraded}[value]

    def criterion(self, outcome: CriterionOutcome) -> str:
        """Tell what all judges together say of a criterion."""
        return self.verdict(outcome.verdict, disputed=outcome.disputed)

    def reason(self, given: GivenVerdict) -> str:
        """Tell a judge's reason, or why there is no verdict."""
        category = "" if given.category is None else self.words.categories.get(given.category, given.category)
        return "; ".join(each for each in (category, given.reason or "") if each)

    def agreement(self, agreement: Agreement) -> str:
        """Tell how far judges agree."""
        if not agreement.compared:
            return self.words.agreement_of_one
        alpha = self.words.unknown if agreement.alpha is None else self.number(f"{agreement.alpha:.3f}")
        return self.words.agreement_told.format(
            judges=agreement.judges,
            alike=agreement.alike,
            compared=agreement.compared,
            share=self.share(agreement.alike_share),
            alpha=alpha,
        )

    def judge(self, judge: ReportedJudge) -> str:
        """Name a judge: a person with their name, a judging model with its model."""
        words = self.words
        if judge.kind == "person":
            return words.person.format(name=self.person(judge.name), version=judge.version)
        if judge.kind == "rule-set":
            return words.rules.format(name=judge.name, version=judge.version)
        models = self._judging_models.get((judge.name, judge.version), ())
        told = f" {', '.join(models)}" if models else ""
        return words.judging_model.format(name=judge.name, models=told, version=judge.version)

    def numbers_by(self, numbers: JudgeNumbers) -> str:
        """Name the judge of figures, and whether it judged answers of its own."""
        own = f"; {self.words.own_answers}" if numbers.own_answers else ""
        return self.judge(numbers.judge) + own

    def person(self, identifier: str) -> str:
        """Name a person of the catalogue."""
        known = self._persons.get(identifier)
        return identifier if known is None else f"{known.name} ({identifier})"

    def standing(self, task: TaskOutcome) -> str:
        """Tell who wrote and read a task, and what speaks against it."""
        words = self.words
        parts = [task.field, f"{words.author} {self.person(task.author)}"]
        if task.standing == "read":
            parts.append(f"{words.reader} {self.person(task.reader or '')}")
        else:
            parts.append(words.example if task.standing == "example" else words.unread)
        if task.tries > 1:
            parts.append(words.tries.format(number=task.tries))
        return ", ".join(parts)

    def undecided_by(self, task: TaskOutcome) -> str | None:
        """Name the critical criteria for want of which nothing can be said; None where there are none."""
        by_id = {each.id: each for each in task.criteria}
        names = [f"{name} ({self.criterion(by_id[name])})" for name in task.undecided_by]
        return self.words.undecided_by.format(criteria=", ".join(names)) if names else None

    def no_answer(self, task: TaskOutcome) -> str | None:
        """Tell why a task has no answer to judge; None where it has one."""
        if task.other_provider:
            return self.words.other_provider
        if task.status == "response":
            return None
        if task.status is None:
            return self.words.still_open
        if task.failure is None:
            return self.words.no_answer.format(kind=task.status, message="").rstrip()
        return self.words.no_answer.format(kind=task.failure.kind, message=task.failure.message)

    def no_text(self, task: TaskOutcome) -> str | None:
        """Tell why there is no text to be shown; None where there is one."""
        if task.answer:
            return None
        if task.answer == "":
            return self.words.answer_empty
        return None if task.answer_sha256 is None else self.words.answer_gone.format(sha256=task.answer_sha256)

    def excluded(self, task: ExcludedTask) -> str:
        """Tell which task stays out and why."""
        name = task.task if task.language is None else f"{task.task} ({task.language})"
        return f"{name}: {self.words.exclusions[task.reason]}"

    def evaluation(self, evaluation: Evaluation) -> str:
        """Name an evaluation: model, language, day, and the repetition where it is not the first."""
        parts = [evaluation.endpoint, evaluation.language, evaluation.on.isoformat()]
        if evaluation.repetition > 1:
            parts.append(self.words.repetition.format(number=evaluation.repetition))
        return ", ".join(parts)

    def unread_included(self, report: RubricReport) -> str | None:
        """Name the tasks that were taken in without a second reading; None where there are none."""
        names = [f"{each.task} ({each.language})" for each in report.tasks if each.standing != "read"]
        return self.words.unread_included.format(tasks=", ".join(names)) if names else None

    def source(self, table: BenchmarkTable) -> str:
        """Name the one source of a table and its date."""
        words = self.words
        title = getattr(table.source.title, words.language)
        measured_by = words.measured_by[table.source.measured_by]
        return words.source.format(title=title, as_of=table.as_of, measured_by=measured_by)

    def figure(self, figure: Decimal | None) -> str:
        """Tell a published figure in percent, as it was published."""
        return "-" if figure is None else f"{self.number(str(figure))}{_PERCENT}"


def tipped(task: TaskOutcome) -> list[CriterionOutcome]:
    """Return the failed criteria, critical ones first."""
    by_id = {each.id: each for each in task.criteria}
    return [by_id[name] for name in task.tipped]


def visible(text: str) -> str:
    """Replace what is no text: control characters but tab and line feed, and lone surrogates."""
    return "".join(map(_visible, text.replace("\r\n", "\n").replace("\r", "\n")))


def one_line(text: str) -> str:
    """Join lines: all white space becomes single spaces."""
    return " ".join(visible(text).split())


def joined(lines: Iterable[str]) -> str:
    """Join lines to a text that ends with a line feed."""
    return "\n".join(lines) + "\n"


def _visible(character: str) -> str:
    code = ord(character)
    control = code < 0x20 and character not in "\t\n"
    return _REPLACEMENT if control or 0x7F <= code <= 0x9F or 0xD800 <= code <= 0xDFFF else character
