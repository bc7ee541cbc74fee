"""``messwerk office run`` and ``rejudge``: ask about documents now, and score stored replies again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import get_args

import click
import msgspec

from daemon.cli.options import config_option, data_option, json_option, log_options
from daemon.cli.paid_runs import Usd, carried_out, cost_told, own_configuration, require_endpoints, teller
from daemon.composition import make_daemon, make_office
from daemon.configuration import data_root
from daemon.console import LogFormat, LogLevel
from daemon.live import live_parts, read_secrets
from daemon.office.contract import OfficeRequest, OfficeSummary, Progress, WorkSummary
from daemon.office.data import data_set
from daemon.office.memory import Memory
from daemon.office.plans import ALL_WORKS
from daemon.office.private_store import PrivateStore
from daemon.office.rescoring import rescored
from daemon.office.units import document_units
from daemon.paths import DataPaths
from schemas.configuration import Configuration
from schemas.events.office import OfficeWork
from schemas.office import Language, Task

_WORKS = get_args(OfficeWork)
_APPENDED_AT_ONCE = 500


@click.command()
@click.option("--task", "works", type=click.Choice(_WORKS), multiple=True, help="Only this one; may be repeated.")
@click.option("--endpoint", "endpoints", multiple=True, help="Only this endpoint; may be repeated.")
@click.option("--pairs", type=click.IntRange(min=1), help="Pairs of documents a task; default: [office] pairs.")
@click.option(
    "--language",
    "languages",
    type=click.Choice(get_args(Language)),
    multiple=True,
    help="Only documents in this language; may be repeated.",
)
@click.option(
    "--budget-usd", type=Usd(), help="Stop before more than this is spent; default: [office] in messwerk.toml."
)
@json_option
@log_options
@data_option
@config_option
@click.pass_context
def run(  # noqa: PLR0913  # one parameter an option
    context: click.Context,
    *,
    works: tuple[OfficeWork, ...],
    endpoints: tuple[str, ...],
    pairs: int | None,
    languages: tuple[Language, ...],
    budget_usd: Decimal | None,
    as_json: bool,
    log_format: LogFormat,
    log_level: LogLevel,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Ask every model about the documents that it has not answered yet, and judge the answers.

    What was paid for before is taken from the log, so a run that was interrupted goes on where it was, and a second
    one sends nothing. Needs the operator's configuration (--config), and the log to itself: stop a running daemon
    first.

    Exit codes: 0 every document has an answer, 1 some have none, 2 wrong usage or configuration.
    """
    configuration = own_configuration(config_dir, "office run")
    require_endpoints(configuration, endpoints)
    request = OfficeRequest(
        works=works or ALL_WORKS,
        endpoints=endpoints,
        pairs=pairs or configuration.office.pairs,
        languages=languages,
        budget_usd=budget_usd or configuration.office.budget_usd_per_run,
    )
    paths = DataPaths(data_root(configuration, data_dir))
    progress = teller(_work)
    summary: OfficeSummary = asyncio.run(
        carried_out(
            configuration,
            paths,
            (log_format, log_level),
            lambda parts: make_office(configuration, parts, paths),
            lambda runner: runner.run(request, progress),
        )
    )
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(summary)).decode())
    else:
        for each in summary.works:
            click.echo(_line(each))
        for line in private_third_told(request.works, configuration.office.salt_env):
            click.echo(line)
        click.echo(cost_told(summary.attempts, summary.cost_usd, summary.unknown_costs, summary.stopped))
    if not summary.complete:
        context.exit(1)


def private_third_told(works: Sequence[OfficeWork], salt_env: str | None) -> tuple[str, ...]:
    """Say why fewer documents were asked about than the pairs have, where that is so."""
    if salt_env is not None or set(works) <= {"language-tax"}:
        return ()
    return ("a third of the documents is private and was not asked about: [office] salt_env names no salt",)


def _work(told: Progress) -> str:
    return told.work


def _line(each: WorkSummary) -> str:
    notes = [
        f"{count} {what}"
        for count, what in (
            (each.without_schema, "without schema"),
            (each.again, "asked again"),
            (each.unsent, "not sent"),
        )
        if count
    ]
    notes += [f"{count} without an answer: {reason}" for reason, count in each.unanswered.items()]
    told = f"{each.endpoint:32} {each.work:12} {each.answered} answered, {each.recalled} from the log"
    return ", ".join([told, *notes])


class Rejudgment(msgspec.Struct, frozen=True, kw_only=True):
    """What ``rejudge --json`` prints: replies scored, judgments and totals recorded, replies that are gone."""

    replies: int
    lost: int
    judgments: int
    superseding: int
    totals: int


@click.command()
@click.option(
    "--task", "tasks", type=click.Choice(get_args(Task)), multiple=True, help="Only this one; may be repeated."
)
@click.option("--pairs", type=click.IntRange(min=1), help="Pairs of documents a task; default: [office] pairs.")
@json_option
@log_options
@data_option
@config_option
def rejudge(
    *,
    tasks: tuple[Task, ...],
    pairs: int | None,
    as_json: bool,
    log_format: LogFormat,
    log_level: LogLevel,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Score the replies in the log again, by this version's rules and truths; nothing is sent.

    New judgments supersede earlier ones, which stay in the log; what these rules have judged already is left out.
    Needs the operator's configuration (--config), and the log to itself.
    """
    configuration = own_configuration(config_dir, "office rejudge")
    paths = DataPaths(data_root(configuration, data_dir))
    chosen: tuple[Task, ...] = tasks or get_args(Task)
    count = pairs or configuration.office.pairs
    told = asyncio.run(_rejudge(configuration, paths, chosen, count, log_format, log_level))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(told)).decode())
        return
    gone = f"; {told.lost} replies are kept no longer" if told.lost else ""
    click.echo(
        f"{told.replies} replies scored: {told.judgments} judgments recorded, {told.superseding} of them in place of "
        f"earlier ones, {told.totals} private totals{gone}"
    )


async def _rejudge(
    configuration: Configuration,
    paths: DataPaths,
    tasks: tuple[Task, ...],
    pairs: int,
    log_format: LogFormat,
    log_level: LogLevel,
) -> Rejudgment:
    keys = read_secrets(configuration, log_format, log_level)
    async with live_parts(configuration, paths, keys) as parts:
        daemon = make_daemon(configuration, parts)
        await daemon.start()
        data = data_set(configuration.office, parts.lookup)
        memory = Memory(parts.history, parts.blobs, PrivateStore(paths.private))
        await memory.refresh()
        units = [unit for task in tasks for unit in document_units(data, task, pairs)]
        found = rescored(units, memory, data.salt_sha256, parts.world.new_id)
        events = (*found.judgments, *found.totals)
        for start in range(0, len(events), _APPENDED_AT_ONCE):
            await parts.log.append(*events[start : start + _APPENDED_AT_ONCE])
        await daemon.stopped("finished")
    return Rejudgment(
        replies=found.replies,
        lost=found.lost,
        judgments=len(found.judgments),
        superseding=sum(each.supersedes is not None for each in found.judgments),
        totals=len(found.totals),
    )
