"""``messwerk status | query | rebuild | project``: look into the tables, fold them, fold them anew.

While another process serves the tables, these commands talk to its server; otherwise they start one for as
long as they need it.
"""

from __future__ import annotations

import asyncio
import csv
import io
import signal
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import msgspec

from daemon.cli.asking import Installation, installation, open_log, open_tables
from daemon.cli.options import config_option, data_option, json_option
from daemon.cli.status import gather, worded
from projections.contract import AnyProjection
from projections.errors import FoldedOtherwiseError, QueryError
from projections.queries.contract import NamedQuery, QueryTable
from projections.queries.registry import QUERIES, query_named, run_query
from projections.rebuild import RebuildProgress, TableComparison
from projections.rebuild import rebuild as fold_anew
from projections.registry import projections_named
from projections.source import LogSource

_USUAL_SPAN = timedelta(hours=72)


@click.command()
@json_option
@data_option
@config_option
def status(*, as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """Tell slots, how far the tables are behind the log, and the newest figures."""
    place = installation(config_dir, data_dir)
    asyncio.run(_status(place, as_json=as_json))


@click.command()
@click.argument("name", required=False)
@click.option(
    "--param",
    "-p",
    "given",
    multiple=True,
    metavar="KEY=VALUE",
    help="A parameter; repeat a key for several values. Times are ISO 8601, for example 2026-11-30T12:00:00Z.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, with units in the header.")
@json_option
@data_option
@config_option
def query(
    *,
    name: str | None,
    given: tuple[str, ...],
    as_csv: bool,
    as_json: bool,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Ask a named query; without NAME, list them all with their parameters.

    Without other values the span is the last 72 hours.
    """
    if name is None:
        for known in QUERIES.values():
            click.echo(_introduced(known))
        return
    asked = query_named(name)
    place = installation(config_dir, data_dir)
    answer = asyncio.run(_query(place, asked, _parameters(asked, given, datetime.now(UTC))))
    if as_csv:
        click.echo(_as_csv(answer), nl=False)
    elif as_json:
        click.echo(msgspec.json.encode({"query": asked.name, "rows": answer.dicts()}))
    else:
        for line in _as_text(answer):
            click.echo(line)


@click.command()
@click.argument("names", nargs=-1, metavar="[PROJECTION]...")
@click.option("--keep-old", is_flag=True, help="Keep the old tables under names that end in _before.")
@json_option
@data_option
@config_option
def rebuild(
    *, names: tuple[str, ...], keep_old: bool, as_json: bool, data_dir: Path | None, config_dir: Path | None
) -> None:
    """Fold projections anew from the whole log, say what differs, and put the result in place."""
    projections = projections_named(names)
    place = installation(config_dir, data_dir)
    comparisons = asyncio.run(_rebuild(place, projections, keep_old=keep_old, quiet=as_json))
    if as_json:
        click.echo(msgspec.json.encode(comparisons))
        return
    for comparison in comparisons:
        for line in _compared(comparison):
            click.echo(line)


@click.command()
@click.option("--once", is_flag=True, help="Fold what is there and stop.")
@click.option(
    "--interval", "interval_s", type=click.FloatRange(0.01), default=1.0, show_default=True, help="Seconds."
)
@data_option
@config_option
def project(*, once: bool, interval_s: float, data_dir: Path | None, config_dir: Path | None) -> None:
    """Fold the log into the tables, in a process of its own, until interrupted."""
    place = installation(config_dir, data_dir)
    asyncio.run(_project(place, once=once, interval_s=interval_s))


async def _status(place: Installation, *, as_json: bool) -> None:
    elsewhere = place.folded_elsewhere is not None
    with open_log(place) as reader:
        async with open_tables(place) as tables:
            found = await gather(
                tables.store,
                source=reader.source,
                log_seq=reader.last_seq(),
                now=datetime.now(UTC),
                elsewhere=elsewhere,
            )
    if as_json:
        click.echo(msgspec.json.encode(found))
        return
    for line in worded(found):
        click.echo(line)


async def _query(place: Installation, asked: NamedQuery, parameters: dict[str, Any]) -> QueryTable:
    async with open_tables(place) as tables:
        return await run_query(tables.store, asked.name, **parameters)


async def _rebuild(
    place: Installation, projections: Sequence[AnyProjection], *, keep_old: bool, quiet: bool
) -> Sequence[TableComparison]:
    definitions = place.configuration.definitions
    elsewhere = place.folded_elsewhere
    if elsewhere not in (None, "", definitions.id):
        raise FoldedOtherwiseError(
            f"a running Messwerk folds these tables under {elsewhere}, and {definitions.id} is configured: "
            "stop it, rebuild, and start it again"
        )
    with open_log(place) as reader:
        async with open_tables(place) as tables:
            with click.progressbar(length=max(1, reader.last_seq()), label="folding", file=sys.stderr) as bar:

                def show(progress: RebuildProgress) -> None:
                    bar.length = max(1, progress.total)
                    bar.update(progress.folded - bar.pos)

                return await fold_anew(
                    tables.store,
                    LogSource(reader),
                    projections,
                    definitions,
                    keep_old=keep_old,
                    progress=(lambda _: None) if quiet else show,
                )


async def _project(place: Installation, *, once: bool, interval_s: float) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    with open_log(place) as reader:
        async with open_tables(place) as tables:
            if once:
                events = await tables.fold_available(LogSource(reader))
                click.echo(f"folded {events} events")
            else:
                await tables.follow(LogSource(reader), stop, interval_s=interval_s)


def _parameters(asked: NamedQuery, given: Sequence[str], now: datetime) -> dict[str, Any]:
    known = {parameter.name: parameter for parameter in asked.parameters}
    values: dict[str, Any] = {}
    if "end" in known:
        values["end"] = now
    if "start" in known:
        values["start"] = now - _USUAL_SPAN
    lists: dict[str, list[str]] = {}
    for pair in given:
        key, separator, value = pair.partition("=")
        if not separator:
            raise QueryError(f"--param {pair!r} is no KEY=VALUE")
        if key in known and known[key].type == "Array(String)":
            lists.setdefault(key, []).append(value)
        else:
            values[key] = value
    return {**values, **lists}


def _introduced(known: NamedQuery) -> str:
    takes = ", ".join(parameter.name for parameter in known.parameters) or "nothing"
    return f"{known.name:<26} {known.title}; takes {takes}"


def _as_csv(answer: QueryTable) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        f"{column.name} ({column.unit})" if column.unit else column.name for column in answer.query.columns
    )
    writer.writerows([_cell(value) for value in row] for row in answer.rows)
    return text.getvalue()


def _as_text(answer: QueryTable) -> list[str]:
    if answer.query.shape == "record":
        width = max(len(column.name) for column in answer.query.columns)
        return [
            f"{column.name:<{width}}  {_cell(value) or '-'} {column.unit}".rstrip()
            for row in answer.rows
            for column, value in zip(answer.query.columns, row, strict=True)
        ] or ["nothing"]
    head = [column.name for column in answer.query.columns]
    body = [[_cell(value) or "-" for value in row] for row in answer.rows]
    widths = [max(len(line[place]) for line in [head, *body]) for place in range(len(head))]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)) for line in [head, *body]]


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case datetime():
            return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:.6g}"
        case _:
            return str(value)


def _compared(comparison: TableComparison) -> list[str]:
    if comparison.same:
        return [f"{comparison.table}: {comparison.rows_after} rows, the same ({comparison.sampled} compared in full)"]
    lines = [f"{comparison.table}: {comparison.rows_before} rows before, {comparison.rows_after} after"]
    lines += [f"  sum of {name}: {before} before, {after} after" for name, (before, after) in comparison.sums.items()]
    return lines + [f"  {difference}" for difference in comparison.differences]
