"""``messwerk office score``: score answers from anywhere against a data set, offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import msgspec

from daemon.cli.office_files import AnswerRow, read_answers, read_truths
from daemon.cli.office_intervals import (
    ModelComparison,
    ScoreIntervals,
    comparisons_of,
    comparisons_told,
    intervals_of,
    intervals_told,
)
from daemon.cli.options import json_option
from daemon.judging.office.documents import score_document
from daemon.judging.office.totals import FEWEST_PRIVATE, Group, Scored, Totals, grouped
from schemas.office import SCORER, SCORING_VERSION, DocumentScore, OfficeDocument

_PATH = click.Path(path_type=Path, dir_okay=False)


class ModelScores(msgspec.Struct, frozen=True, kw_only=True):
    """What ``--json`` prints of one model; documents are the open ones alone."""

    model: str
    answered: int
    unanswered: int
    withheld: int
    groups: tuple[Group, ...]
    documents: tuple[DocumentScore, ...]
    intervals: tuple[ScoreIntervals, ...] = ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What ``--json`` prints."""

    scorer: str
    version: str
    models: tuple[ModelScores, ...]
    comparisons: tuple[ModelComparison, ...] = ()


@click.command()
@click.argument("answers", metavar="FILES", nargs=-1, required=True, type=_PATH)
@click.option(
    "--truth",
    "truths",
    type=_PATH,
    multiple=True,
    required=True,
    help="File with facts and truths of a data set's documents; may be given several times.",
)
@click.option("--partial", is_flag=True, help="Documents without an answer are no problem.")
@click.option("--intervals", is_flag=True, help="Also 95 % intervals, and models compared with the best.")
@json_option
@click.pass_context
def score(
    context: click.Context,
    *,
    answers: tuple[Path, ...],
    truths: tuple[Path, ...],
    partial: bool,
    intervals: bool,
    as_json: bool,
) -> None:
    """Score the answers in FILES: JSON Lines, or one JSON array each.

    A row is {"document": id, "reply": text} or {"document": id, "answer": object}, with "model" where there are
    several. Of private documents only totals are printed.

    Exit codes: 0 every document has an answer, 1 some have none, 2 a file cannot be used.
    """
    documents = read_truths(truths)
    given = read_answers(answers, documents) or {"": {}}
    scores = {model: _scores(rows, documents) for model, rows in sorted(given.items())}
    models = [_scored(model, scored, documents, intervals=intervals) for model, scored in scores.items()]
    comparisons = comparisons_of(scores) if intervals else ()
    if as_json:
        report = Report(scorer=SCORER, version=SCORING_VERSION, models=tuple(models), comparisons=comparisons)
        click.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        click.echo("\n\n".join("\n".join(_told(each)) for each in models))
        for line in comparisons_told(comparisons):
            click.echo(line)
        click.echo(f"\nby {SCORER}, version {SCORING_VERSION}")
    if not partial and any(each.unanswered for each in models):
        context.exit(1)


def _scores(rows: Mapping[str, AnswerRow], documents: Mapping[str, OfficeDocument]) -> list[Scored]:
    return [(documents[name].facts, score_document(documents[name], row.text)) for name, row in rows.items()]


def _scored(
    model: str, scored: Sequence[Scored], documents: Mapping[str, OfficeDocument], *, intervals: bool
) -> ModelScores:
    groups = grouped(scored)
    shown = sum(group.totals.documents for group in groups if group.split is None)
    return ModelScores(
        model=model,
        answered=len(scored),
        unanswered=len(documents) - len(scored),
        withheld=len(scored) - shown,
        groups=groups,
        documents=tuple(score for facts, score in scored if facts.split == "open"),
        intervals=intervals_of(scored) if intervals else (),
    )


def _told(scores: ModelScores) -> list[str]:
    lines = [f"{scores.model}:"] if scores.model else []
    rows = [_row(group) for group in scores.groups]
    head = ("documents of", "documents", "right fields", "", "error-free", "valid answers")
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    lines += [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [head, *rows]
    ]
    for group in scores.groups:
        if group.split is None:
            lines += _mistakes(group)
    lines += intervals_told(scores.intervals)
    if scores.withheld:
        lines.append(
            f"left out: {scores.withheld} private document(s); a total needs {FEWEST_PRIVATE} of a task and language"
        )
    if scores.unanswered:
        lines.append(f"without an answer, and in no figure: {scores.unanswered} document(s)")
    return lines


def _row(group: Group) -> tuple[str, ...]:
    totals = group.totals
    what = f"{group.task} {group.language}"
    if group.dimension is not None:
        what = f"  {group.dimension} {group.value}"
    elif group.split is not None:
        what = f"  {group.split}"
    reached = {True: "reaches 95 %", False: "below 95 %", None: ""}[totals.reaches_threshold]
    return (
        what,
        str(totals.documents),
        f"{_share(totals.right, totals.judged)} ({totals.right} of {totals.judged})",
        reached if group.split is None else "",
        _share(totals.error_free, totals.documents),
        _share(totals.valid, totals.documents),
    )


def _mistakes(group: Group) -> Sequence[str]:
    totals: Totals = group.totals
    lines = [
        f"  {field}: " + ", ".join(f"{category} {count}" for category, count in counts.items())
        for field, counts in totals.categories.items()
    ]
    return [f"wrong fields, {group.task} {group.language}:", *lines] if lines else []


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
