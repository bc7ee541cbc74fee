"""A report as one HTML page that needs nothing else: no script, no file beside it, nothing from elsewhere.

What tasks, answers and judges say is escaped, and a policy in the page forbids it to load or run anything. The same
report gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Final

from daemon.judging.rubric.page_parts import figure, items, marked, table, text, truth_class
from daemon.judging.rubric.report_words import WORDS
from daemon.judging.rubric.wording import Teller, joined, tipped
from schemas.benchmarks import BenchmarkTable
from schemas.rubric.kinds import Language
from schemas.rubric.report import (
    CriterionOutcome,
    Evaluation,
    GivenVerdict,
    RubricReport,
    RubricScore,
    TaskOutcome,
    UsabilityRate,
)

_STYLE: Final = (files("daemon.judging.rubric") / "page.css").read_text(encoding="utf-8")
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(report: RubricReport, language: Language = "en") -> str:
    """Write a report as a page, in the words of a language; tasks keep their own."""
    return joined(_document(report, Teller(report, WORDS[language])))


def _document(report: RubricReport, tell: Teller) -> Iterator[str]:
    words = tell.words
    yield "<!doctype html>"
    yield f'<html lang="{words.language}">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>{text(report.title)}</title>"
    yield f"<style>\n{_STYLE}</style>"
    yield "</head>"
    yield "<body>"
    yield "<header>"
    yield f"<h1>{text(report.title)}</h1>"
    yield f"<p>{text(report.catalogue)}, version {text(report.catalogue_version)}. {text(words.two_numbers)}</p>"
    yield "<ul>"
    yield f"<li><strong>{text(words.score)}</strong>: {text(words.score_meaning)}</li>"
    yield f"<li><strong>{text(words.usability)}</strong>: {text(words.usability_meaning)}</li>"
    yield "</ul>"
    yield "</header>"
    yield "<main>"
    yield f"<h2>{text(words.both_numbers)}</h2>"
    if report.evaluations:
        yield from _numbers(report.evaluations, tell)
    else:
        yield f"<p>{text(words.nothing_asked)}</p>"
    yield f"<h2>{text(words.left_out)}</h2>"
    if included := tell.unread_included(report):
        yield f"<p>{text(included)}</p>"
    if report.excluded:
        yield from items(tell.excluded(each) for each in report.excluded)
    else:
        yield f"<p>{text(words.nothing_left_out)}</p>"
    for place, evaluation in enumerate(report.evaluations, start=1):
        yield from _evaluation(place, evaluation, tell)
    for each in report.public_tables:
        yield from _public(each, tell)
    yield "</main>"
    yield "</body>"
    yield "</html>"


def _numbers(evaluations: Sequence[Evaluation], tell: Teller) -> Iterator[str]:
    words = tell.words
    yield from table(
        (words.endpoint, words.task_language, words.day, words.score, words.usability, words.agreement),
        (
            (
                f'<td><a href="#evaluation-{place}">{text(each.endpoint)}</a>',
                f"<td>{each.language}",
                f"<td>{each.on.isoformat()}{_repetition(each, tell)}",
                f"<td>{figure(tell.score(each.score))}",
                f"<td>{figure(tell.rate(each.usability))}",
                f'<td class="beside">{text(tell.agreement(each.agreement))}',
            )
            for place, each in enumerate(evaluations, start=1)
        ),
    )


def _repetition(evaluation: Evaluation, tell: Teller) -> str:
    if evaluation.repetition == 1:
        return ""
    return f" {marked('beside', tell.words.repetition.format(number=evaluation.repetition))}"


def _evaluation(place: int, evaluation: Evaluation, tell: Teller) -> Iterator[str]:
    words = tell.words
    yield f'<section id="evaluation-{place}">'
    yield f"<h2>{text(tell.evaluation(evaluation))}</h2>"
    yield from _side_by_side(evaluation.score, evaluation.usability, tell)
    facts = [
        f"{words.agreement}: {tell.agreement(evaluation.agreement)}",
        f"{words.models}: {', '.join(evaluation.models) or words.unknown}",
        f"{words.run}: {evaluation.run}, {words.repetition.format(number=evaluation.repetition)}",
    ]
    if evaluation.never_asked:
        facts.append(words.never_asked.format(tasks=", ".join(evaluation.never_asked)))
    if evaluation.stray_judgments:
        facts.append(words.stray.format(number=evaluation.stray_judgments))
    facts += [f"{words.asked_excluded}: {tell.excluded(each)}" for each in evaluation.asked_excluded]
    yield from items(facts)
    if evaluation.judges:
        yield f"<h3>{text(words.judges)}</h3>"
        yield from table(
            (words.judge, words.score, words.usability),
            (
                (
                    f"<td>{text(tell.numbers_by(each))}",
                    f"<td>{figure(tell.score(each.score))}",
                    f"<td>{figure(tell.rate(each.usability))}",
                )
                for each in evaluation.judges
            ),
        )
    for task in evaluation.tasks:
        yield from _task(task, evaluation.language, tell)
    yield "</section>"


def _side_by_side(score: RubricScore, usability: UsabilityRate, tell: Teller) -> Iterator[str]:
    yield '<div class="numbers">'
    yield f"<div>{text(tell.words.score)} {figure(tell.score(score))}</div>"
    yield f"<div>{text(tell.words.usability)} {figure(tell.rate(usability))}</div>"
    yield "</div>"


def _task(task: TaskOutcome, language: Language, tell: Teller) -> Iterator[str]:
    words = tell.words
    yield "<article>"
    yield f'<h3 lang="{language}">{text(task.title)}</h3>'
    yield f'<p class="beside">{text(task.task)}, {text(tell.standing(task))}</p>'
    yield '<div class="numbers">'
    yield f"<div>{text(words.score)} {figure(tell.score(task.score))}</div>"
    usable = marked(f"figure {truth_class(task.usable)}", tell.usable(task.usable))
    yield f"<div>{text(words.is_usable)} {usable}</div>"
    yield "</div>"
    yield from items(
        f"{tell.judge(each.judge)}: {words.score} {tell.score(each.score)}; {tell.usable(each.usable)}"
        for each in task.judges
    )
    missing = tell.no_answer(task)
    if missing:
        yield f'<p class="failed">{text(missing)}</p>'
    yield f"<h4>{text(words.tipped)}</h4>"
    failed = tipped(task)
    if failed:
        yield "<ul>"
        for each in failed:
            yield f"<li>{_statement(each, language, tell)}{''.join(_reasons(each, tell))}</li>"
        yield "</ul>"
    else:
        yield f"<p>{text(words.nothing_tipped)}</p>"
    if undecided := tell.undecided_by(task):
        yield f"<p>{text(undecided)}</p>"
    yield f"<details><summary>{text(words.criteria)}</summary>"
    yield from table(
        (words.criterion, words.verdict, words.reasons),
        (
            (
                f"<td>{_statement(each, language, tell)}",
                f'<td><span class="{truth_class(each.verdict)}">{text(tell.criterion(each))}</span>',
                f"<td>{''.join(_reasons(each, tell)) or text(words.not_judged)}",
            )
            for each in task.criteria
        ),
    )
    yield "</details>"
    yield f"<details><summary>{text(words.answer)}</summary>"
    if task.answer:
        # an HTML parser drops the first line feed of a pre
        yield f'<pre lang="{language}">\n{text(task.answer)}</pre>'
    else:
        yield f"<p>{text(tell.no_text(task) or missing or words.unknown)}</p>"
    yield "</details>"
    yield "</article>"


def _statement(criterion: CriterionOutcome, language: Language, tell: Teller) -> str:
    mark = f' <span class="mark">{text(tell.words.critical)}</span>' if criterion.critical else ""
    return f'<span lang="{language}">{text(criterion.statement)}</span>{mark} {marked("beside", criterion.id)}'


def _reasons(criterion: CriterionOutcome, tell: Teller) -> Iterator[str]:
    for given in criterion.verdicts:
        yield f"<p>{_given(given, tell)}</p>"


def _given(given: GivenVerdict, tell: Teller) -> str:
    verdict = f'<span class="{truth_class(given.verdict)}">{text(tell.verdict(given.verdict))}</span>'
    return f"{marked('beside', tell.judge(given.judge))} {verdict} {text(tell.reason(given))}"


def _public(public: BenchmarkTable, tell: Teller) -> Iterator[str]:
    words = tell.words
    yield f"<h2>{text(getattr(public.title, words.language))}</h2>"
    yield f"<p>{text(words.public_apart)} {text(tell.source(public))}</p>"
    yield from table(
        (words.benchmark, *public.models),
        (
            (
                f"<td>{text(row.benchmark)} {marked('beside', getattr(row.description, words.language))}",
                *(
                    f'<td class="best">{text(tell.figure(row.figure(model)))}'
                    if model in row.best
                    else f"<td>{text(tell.figure(row.figure(model)))}"
                    for model in public.models
                ),
            )
            for row in public.rows
        ),
    )
