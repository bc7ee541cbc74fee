"""``messwerk status | query | rebuild``: look into the tables, fold them anew.

While another process serves the tables, these commands talk to its server; otherwise they start one for as
long as they need it.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import msgspec

from daemon.cli.asking import Installation, installation, open_archives, open_events, open_log, open_tables
from daemon.cli.forwarded import look_at_backlog, worded_backlog
from daemon.cli.options import config_option, data_option, json_option
from daemon.cli.status import gather, worded
from daemon.cli.wording import as_text, compared, introduced
from dashboards.page.figures import to_csv
from projections.comparing import TableComparison
from projections.contract import AnyProjection
from projections.errors import FoldedOtherwiseError, QueryError, SourceUnreachableError
from projections.queries.contract import NamedQuery, QueryTable
from projections.queries.registry import QUERIES, query_named, run_query
from projections.rebuild import RebuildProgress
from projections.rebuild import rebuild as fold_anew
from projections.rebuilds import Old
from projections.registry import projections_named

_USUAL_SPAN = timedelta(hours=72)


@click.command()
@json_option
@data_option
@config_option
def status(*, as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """Tell slots, how far the tables are behind the log, and the newest figures.

    Ends with exit code 1 when a source stands still.
    """
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
            click.echo(introduced(known))
        return
    asked = query_named(name)
    place = installation(config_dir, data_dir)
    answer = asyncio.run(_query(place, asked, _parameters(asked, given, datetime.now(UTC))))
    if as_csv:
        click.echo(to_csv(answer, line_end="\n"), nl=False)
    elif as_json:
        click.echo(msgspec.json.encode({"query": asked.name, "rows": answer.dicts()}))
    else:
        for line in as_text(answer):
            click.echo(line)


@click.command()
@click.argument("names", nargs=-1, metavar="[PROJECTION]...")
@click.option("--keep-old", is_flag=True, help="Keep the old tables, named …_before, for good and not for a day.")
@click.option("--drop-old", is_flag=True, help="Drop the old tables at once.")
@click.option(
    "--from",
    "archives",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Sealed segments, a backup or another log to read first; Kafka or the log has the rest. Repeatable.",
)
@json_option
@data_option
@config_option
def rebuild(
    *,
    names: tuple[str, ...],
    keep_old: bool,
    drop_old: bool,
    archives: tuple[Path, ...],
    as_json: bool,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Fold projections anew from the whole log, say what differs, and put the result in place.

    What was interrupted goes on where it was.
    """
    if keep_old and drop_old:
        raise click.UsageError("--keep-old and --drop-old exclude each other")
    old: Old = "keep" if keep_old else "drop" if drop_old else "day"
    projections = projections_named(names)
    place = installation(config_dir, data_dir)
    comparisons = asyncio.run(_rebuild(place, projections, archives, old=old, quiet=as_json))
    if as_json:
        click.echo(msgspec.json.encode(comparisons))
        return
    for comparison in comparisons:
        for line in compared(comparison):
            click.echo(line)


async def _status(place: Installation, *, as_json: bool) -> None:
    elsewhere = place.folded_elsewhere is not None
    unreachable = None
    try:
        async with open_events(place) as events:
            ends, shared = dict(await events.ends()), events.shared
    except SourceUnreachableError as problem:
        # A measuring place without its broker is where somebody asks what waits.
        if not place.paths.log.exists():
            raise
        ends, shared, unreachable = {}, True, str(problem)
    source = place.configuration.daemon.source if shared else next(iter(ends))
    if shared and place.paths.log.exists():
        with open_log(place) as reader:  # what was not forwarded yet is behind, too
            source = reader.source
            ends[source] = reader.last_seq()
    async with open_tables(place) as tables:
        found = await gather(
            tables.store,
            source=source,
            log_seq=ends.get(source, 0),
            ends=ends,
            now=datetime.now(UTC),
            elsewhere=elsewhere,
        )
    found = msgspec.structs.replace(found, forwarding=look_at_backlog(place), unreachable=unreachable)
    if as_json:
        click.echo(msgspec.json.encode(found))
    else:
        for line in worded(found):
            click.echo(line)
        if found.forwarding is not None:
            click.echo()
            for line in worded_backlog(found.forwarding, place.configuration.kafka, found.at):
                click.echo(line)
    if found.stops:
        raise click.exceptions.Exit(1)


async def _query(place: Installation, asked: NamedQuery, parameters: dict[str, Any]) -> QueryTable:
    # Tables without a log can still be asked; without either, a mistyped directory must not become an answer.
    if not place.paths.tables.exists():
        with open_log(place):
            pass
    async with open_tables(place) as tables:
        return await run_query(tables.store, asked.name, **parameters)


async def _rebuild(
    place: Installation, projections: Sequence[AnyProjection], archives: Sequence[Path], *, old: Old, quiet: bool
) -> Sequence[TableComparison]:
    definitions = place.configuration.definitions
    elsewhere = place.folded_elsewhere
    if elsewhere not in (None, "", definitions.id):
        raise FoldedOtherwiseError(
            f"a running Messwerk folds these tables under {elsewhere}, and {definitions.id} is configured: "
            "stop it, rebuild, and start it again"
        )
    async with (
        open_events(place) as live,
        open_archives(archives, live) as events,
        open_tables(place) as tables,
    ):
        length = max(1, sum((await events.ends()).values()))
        begun_s = time.monotonic()
        with click.progressbar(length=length, label="folding", show_pos=True, file=sys.stderr) as bar:

            def show(progress: RebuildProgress) -> None:
                bar.length = max(1, progress.total)
                rate = (progress.folded - progress.resumed) / max(time.monotonic() - begun_s, 1e-3)
                bar.label = f"folding {rate:,.0f} events/s"
                bar.update(progress.folded - bar.pos)

            return await fold_anew(
                tables.store,
                events,
                projections,
                definitions,
                old=old,
                progress=(lambda _: None) if quiet else show,
            )


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
