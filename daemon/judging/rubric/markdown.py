"""A report as Markdown: both numbers in one table, then every evaluation with every task.

The same report gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from daemon.judging.rubric.report_words import WORDS
from daemon.judging.rubric.wording import Teller, joined, one_line, tipped, visible
from schemas.benchmarks import BenchmarkRow, BenchmarkTable
from schemas.rubric.kinds import Language
from schemas.rubric.report import CriterionOutcome, Evaluation, RubricReport, TaskOutcome

_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|#&~$])")
_LIST_MARK: Final = re.compile(r"^([-+]|\d+[.)])(?=\s|$)")


def markdown(report: RubricReport, language: Language = "en") -> str:
    """Write a report in Markdown, in the words of a language; tasks keep their own."""
    return joined(_lines(report, Teller(report, WORDS[language])))


def escaped(text: str) -> str:
    """Write any text so that Markdown shows it as it is, on one line."""
    plain = _SPECIAL.sub(r"\\\1", one_line(text))
    return _LIST_MARK.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", plain)


def fenced(text: str) -> Iterator[str]:
    """Put a text of several lines into a fence that is longer than any within it."""
    shown = visible(text)
    runs = re.findall(r"`+", shown)
    fence = "`" * max(3, *(len(run) + 1 for run in runs)) if runs else "```"
    yield f"{fence}text"
    yield from shown.split("\n")
    yield fence


def _lines(report: RubricReport, tell: Teller) -> Iterator[str]:
    words = tell.words
    yield f"# {escaped(report.title)}"
    yield ""
    yield f"{escaped(report.catalogue)}, version {escaped(report.catalogue_version)}. {words.two_numbers}"
    yield ""
    yield f"- **{words.score}**: {words.score_meaning}"
    yield f"- **{words.usability}**: {words.usability_meaning}"
    yield ""
    yield f"## {words.both_numbers}"
    yield ""
    if report.evaluations:
        yield from _numbers(report.evaluations, tell)
    else:
        yield words.nothing_asked
    yield ""
    yield f"## {words.left_out}"
    yield ""
    if included := tell.unread_included(report):
        yield escaped(included)
        yield ""
    yield from [f"- {escaped(tell.excluded(each))}" for each in report.excluded] or [words.nothing_left_out]
    for evaluation in report.evaluations:
        yield ""
        yield from _evaluation(evaluation, tell)
    for table in report.public_tables:
        yield ""
        yield from _public(table, tell)


def _numbers(evaluations: Sequence[Evaluation], tell: Teller) -> Iterator[str]:
    words = tell.words
    yield from _table(
        (words.endpoint, words.task_language, words.day, words.run, words.score, words.usability, words.agreement),
        (
            (
                each.endpoint,
                each.language,
                each.on.isoformat(),
                f"{each.run}, {words.repetition.format(number=each.repetition)}",
                str(tell.score(each.score)),
                str(tell.rate(each.usability)),
                tell.agreement(each.agreement),
            )
            for each in evaluations
        ),
    )


def _evaluation(evaluation: Evaluation, tell: Teller) -> Iterator[str]:
    words = tell.words
    yield f"## {escaped(tell.evaluation(evaluation))}"
    yield ""
    score, rate = tell.score(evaluation.score), tell.rate(evaluation.usability)
    yield f"- {words.score}: {escaped(str(score))}"
    yield f"- {words.usability}: {escaped(str(rate))}"
    yield f"- {words.agreement}: {escaped(tell.agreement(evaluation.agreement))}"
    yield f"- {words.models}: {escaped(', '.join(evaluation.models) or words.unknown)}"
    yield f"- {words.run}: {evaluation.run}, {words.repetition.format(number=evaluation.repetition)}"
    if evaluation.never_asked:
        yield f"- {escaped(words.never_asked.format(tasks=', '.join(evaluation.never_asked)))}"
    if evaluation.stray_judgments:
        yield f"- {words.stray.format(number=evaluation.stray_judgments)}"
    if evaluation.asked_excluded:
        yield f"- {words.asked_excluded}:"
        yield from (f"  - {escaped(tell.excluded(each))}" for each in evaluation.asked_excluded)
    if evaluation.judges:
        yield ""
        yield f"### {words.judges}"
        yield ""
        yield from _table(
            (words.judge, words.score, words.usability),
            (
                (tell.numbers_by(each), str(tell.score(each.score)), str(tell.rate(each.usability)))
                for each in evaluation.judges
            ),
        )
    for task in evaluation.tasks:
        yield ""
        yield from _task(task, tell)


def _task(task: TaskOutcome, tell: Teller) -> Iterator[str]:
    words = tell.words
    yield f"### {escaped(task.task)}: {escaped(task.title)}"
    yield ""
    yield escaped(tell.standing(task))
    yield ""
    yield f"- {words.score}: {escaped(str(tell.score(task.score)))}"
    yield f"- {words.is_usable}: {tell.usable(task.usable)}"
    for own in task.judges:
        score = escaped(str(tell.score(own.score)))
        yield f"- {escaped(tell.judge(own.judge))}: {words.score} {score}; {tell.usable(own.usable)}"
    if missing := tell.no_answer(task):
        yield ""
        yield escaped(missing)
    yield ""
    yield f"#### {words.tipped}"
    yield ""
    failed = tipped(task)
    if not failed:
        yield words.nothing_tipped
    for each in failed:
        yield from _criterion(each, tell)
    if undecided := tell.undecided_by(task):
        yield ""
        yield escaped(undecided)
    yield ""
    yield f"#### {words.criteria}"
    yield ""
    for each in task.criteria:
        yield from _criterion(each, tell)
    yield ""
    yield f"#### {words.answer}"
    yield ""
    if task.answer:
        yield from fenced(task.answer)
    else:
        yield escaped(tell.no_text(task) or missing or words.unknown)


def _criterion(criterion: CriterionOutcome, tell: Teller) -> Iterator[str]:
    mark = f" ({tell.words.critical})" if criterion.critical else ""
    yield f"- **{tell.criterion(criterion)}**{mark} {escaped(criterion.id)}: {escaped(criterion.statement)}"
    for given in criterion.verdicts:
        told = ": ".join(part for part in (tell.verdict(given.verdict), tell.reason(given)) if part)
        yield f"  - {escaped(tell.judge(given.judge))}: {escaped(told)}"


def _public(table: BenchmarkTable, tell: Teller) -> Iterator[str]:
    words = tell.words
    yield f"## {escaped(getattr(table.title, words.language))}"
    yield ""
    yield f"{words.public_apart} {escaped(tell.source(table))}"
    yield ""
    yield from _escaped_table(
        tuple(map(escaped, (words.benchmark, *table.models))),
        (
            (
                escaped(f"{row.benchmark}: {getattr(row.description, words.language)}"),
                *(_published(row, model, tell) for model in table.models),
            )
            for row in table.rows
        ),
    )


def _published(row: BenchmarkRow, model: str, tell: Teller) -> str:
    """Write a figure; the best of its row stands out."""
    told = escaped(tell.figure(row.figure(model)))
    return f"**{told}**" if model in row.best else told


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield from _escaped_table(tuple(map(escaped, head)), (tuple(map(escaped, row)) for row in rows))


def _escaped_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield f"| {' | '.join(row)} |"
