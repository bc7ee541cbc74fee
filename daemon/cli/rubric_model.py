"""How ``messwerk rubric judge --by`` has a model judge, and tells what came of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
import msgspec

from daemon.cli.paid_runs import carried_out, cost_told, own_configuration, require_endpoints, teller
from daemon.cli.rubric_running import part_line
from daemon.composition import run_means
from daemon.configuration import data_root
from daemon.console import LogFormat, LogLevel
from daemon.paths import DataPaths
from daemon.rubric.answers import NothingToJudgeError
from daemon.rubric.contract import JudgeRequest, JudgeSummary
from daemon.rubric.memory import RubricMemory
from daemon.rubric.model_judging import ModelJudging
from daemon.workloads.rubric.admission import admission
from daemon.workloads.rubric.loading import load_catalogue


def judge_by_model(
    folder: Path,
    request: JudgeRequest,
    data_dir: Path | None,
    config_dir: Path | None,
    logging: tuple[LogFormat, LogLevel],
    *,
    as_json: bool,
) -> bool:
    """Judge, and return whether every request has its reply; raises :class:`NothingToJudgeError`."""
    configuration = own_configuration(config_dir, "rubric judge --by")
    require_endpoints(configuration, (request.endpoint,))
    loaded = load_catalogue(folder)
    # What was asked unread is judged, too: whether it enters a report is decided there.
    admitted = admission(loaded, include_unread=True)
    progress = teller(lambda _: "judging")
    summary: JudgeSummary = asyncio.run(
        carried_out(
            configuration,
            DataPaths(data_root(configuration, data_dir)),
            logging,
            lambda parts: ModelJudging(run_means(configuration, parts), RubricMemory(parts.history, parts.blobs)),
            lambda runner: runner.run(loaded.catalogue, admitted, request, progress),
        )
    )
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(summary)).decode())
    else:
        for line in _lines(summary):
            click.echo(line)
    if not summary.answers:
        raise NothingToJudgeError(loaded.catalogue.id, request.of)
    return summary.complete


def _lines(summary: JudgeSummary) -> list[str]:
    lines = [f"left out: {each.text}" for each in summary.left_out]
    lines += [f"not judged: {each}" for each in summary.unusable]
    if summary.own_answers:
        lines.append(
            f"warning: {summary.own_answers} of the answers are {summary.judge}'s own, or its model's: have another "
            "model or a person judge them, too"
        )
    ungraded = [f"{count} ungraded: {category}" for category, count in summary.ungraded.items()]
    lines.append(
        ", ".join(
            [
                f"{summary.answers} answers, {summary.criteria} criteria, {summary.before} judged before",
                f"{summary.passed} passed, {summary.failed} failed",
                *ungraded,
            ]
        )
    )
    lines.append(part_line(summary.part, "requests answered"))
    lines.append(cost_told(summary.attempts, summary.cost_usd, summary.unknown_costs, summary.stopped))
    return lines
