"""``messwerk rubric run``: every endpoint is asked a catalogue's tasks, facts and question alone."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path

import click
import msgspec

from daemon.cli.options import config_option, data_option, json_option, log_options
from daemon.cli.paid_runs import Usd, carried_out, cost_told, own_configuration, require_endpoints, teller
from daemon.cli.rubric_files import catalogue_argument
from daemon.composition import run_means
from daemon.configuration import data_root
from daemon.console import LogFormat, LogLevel
from daemon.paths import DataPaths
from daemon.rubric.asking import RubricRunner
from daemon.rubric.contract import AskRequest, AskSummary, PartSummary
from daemon.rubric.memory import RubricMemory
from daemon.workloads.rubric.admission import Admission, admission
from daemon.workloads.rubric.loading import load_catalogue


@click.command()
@catalogue_argument
@click.option("--endpoint", "endpoints", multiple=True, required=True, help="Whom to ask; may be repeated.")
@click.option(
    "--repetitions", type=click.IntRange(min=1), default=1, show_default=True, help="How often to ask each task."
)
@click.option("--include-unread", is_flag=True, help="Also ask tasks that no second expert has read; it says so.")
@click.option("--again", is_flag=True, help="Also ask what has an answer already.")
@click.option("--budget-usd", type=Usd(), help="Stop before more than this is spent.")
@click.option(
    "--output-limit",
    metavar="TOKENS",
    type=click.IntRange(min=1),
    help="Most tokens of an answer, as a limit of the request; without it, 8000.",
)
@json_option
@log_options
@data_option
@config_option
@click.pass_context
def run(  # noqa: PLR0913  # one parameter an option
    context: click.Context,
    *,
    catalogue: Path,
    endpoints: tuple[str, ...],
    repetitions: int,
    include_unread: bool,
    again: bool,
    budget_usd: Decimal | None,
    output_limit: int | None,
    as_json: bool,
    log_format: LogFormat,
    log_level: LogLevel,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Ask endpoints the tasks of a catalogue: its facts and its question, and nothing else.

    Tasks with errors or without a valid second reading are left out, and named. What has an answer to the same task
    in the log, by the same model with the same parameters, is not asked again, so a run that was interrupted goes on
    where it was. Needs the operator's configuration (--config), and the log to itself: stop a running daemon first.

    Exit codes: 0 every task has an answer, 1 some have none, or all are left out, 2 wrong usage or configuration.
    """
    configuration = own_configuration(config_dir, "rubric run")
    require_endpoints(configuration, endpoints)
    loaded = load_catalogue(catalogue)
    admitted = admission(loaded, include_unread=include_unread)
    if not as_json:
        tell_admission(admitted)
    request = AskRequest(
        endpoints=endpoints,
        repetitions=repetitions,
        again=again,
        budget_usd=budget_usd,
        answer_limit_tokens=output_limit,
    )
    progress = teller(lambda _: "rubric tasks")
    summary: AskSummary = asyncio.run(
        carried_out(
            configuration,
            DataPaths(data_root(configuration, data_dir)),
            (log_format, log_level),
            lambda parts: RubricRunner(run_means(configuration, parts), RubricMemory(parts.history, parts.blobs)),
            lambda runner: runner.run(loaded.catalogue, admitted, request, progress),
        )
    )
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(summary)).decode())
    else:
        for part in summary.parts:
            click.echo(part_line(part, "answered"))
        if not summary.tasks:
            click.echo("no task takes part; nothing was sent")
        click.echo(cost_told(summary.attempts, summary.cost_usd, summary.unknown_costs, summary.stopped))
    if not summary.complete or not summary.tasks:
        context.exit(1)


def tell_admission(admitted: Admission) -> None:
    """Name the tasks that are left out, and those that nobody has read."""
    for each in admitted.left_out:
        click.echo(f"left out: {each.text}")
    for unread in admitted.unread:
        example = ", an example" if unread.loaded.task.example else ""
        click.echo(f"taken in without a second reading: {unread.name}{example}")


def part_line(part: PartSummary, what: str) -> str:
    """Say what became of one endpoint's requests."""
    told = f"{part.endpoint:32} {part.answered} {what}, {part.recalled} from the log"
    notes = [f"{part.unsent} not sent"] if part.unsent else []
    notes += [f"{count} without an answer: {reason}" for reason, count in part.unanswered.items()]
    return ", ".join([told, *notes])
