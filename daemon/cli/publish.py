"""``messwerk publish``: a static snapshot of the figures that stand, ready for any web server."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import click
import msgspec

from daemon.cli.asking import Installation, installation, open_log, open_tables
from daemon.cli.options import config_option, data_option, json_option
from daemon.cli.server import server_login
from dashboards.publication.contract import PublicationError, Snapshot
from dashboards.publication.gathering import Ask, gather
from dashboards.publication.placing import place
from dashboards.publication.site import rendered
from dashboards.publication.wording import iso
from projections.embedded import open_for_reading
from projections.queries.registry import run_query
from projections.source import LogSource
from projections.store.contract import Store
from projections.store.directory import reader_of, running_server
from schemas.errors import ConfigurationError

PATIENCE_S: Final = 30.0
"""So long tables may take to hold what the log has."""

_LOOK_AGAIN_S: Final = 0.5


@click.command()
@click.option(
    "--out",
    "out_dir",
    type=click.Path(path_type=Path),
    required=True,
    help="Directory of the snapshot; an earlier snapshot there is replaced as a whole.",
)
@click.option(
    "--at", "at", metavar="TIME", help="Moment of the snapshot, passed, ISO 8601 with its offset; without it, now."
)
@json_option
@data_option
@config_option
def publish(*, out_dir: Path, at: str | None, as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """Write figures that stand as pages, CSV and JSON, with definitions, limits and the log's checkpoint.

    Figures are as of each log's newest checkpoint. What persons withheld, delayed, removed, delisted or banned is
    absent. Equal tables and an equal moment give equal bytes.
    """
    moment = datetime.now(UTC) if at is None else _moment(at)
    found = asyncio.run(_snapshot(installation(config_dir, data_dir), moment))
    files = rendered(found)
    place(files, out_dir)
    told = _told(found, files, out_dir)
    if as_json:
        click.echo(msgspec.json.encode(told))
        return
    click.echo(f"{out_dir}: {len(files)} files, {len(found.endpoints)} endpoints, as of {iso(moment)}")
    for each in found.checkpoints:
        click.echo(f"  log {each.source}: checkpoint {each.short}")
    if not found.endpoints and not found.office:
        click.echo("  no figures stand under these checkpoints; `messwerk query standing` tells what was decided")


async def _snapshot(where: Installation, moment: datetime) -> Snapshot:
    # Tables without a log can still be published; without either, a mistyped directory must not become a page.
    if not where.paths.tables.exists() and where.configuration.tables.server is None:
        with open_log(where):
            pass
    newest = _newest(where)  # before they are folded: a log may grow for ever
    async with _open_store(where) as store:
        ask = partial(run_query, store)
        if newest is not None:
            await _caught_up(ask, *newest)
        return await gather(ask, moment)


def _newest(where: Installation) -> tuple[str, int] | None:
    """Return source and newest position of this machine's log, where it has one."""
    if not where.paths.log.exists():
        return None
    with open_log(where) as log:
        return log.source, log.last_seq()


async def _caught_up(ask: Ask, source: str, wanted: int) -> None:
    """Wait until the tables hold a log up to a position: decisions up to there count.

    Raises :class:`PublicationError` when they do not come to that.
    """
    ends_s = time.monotonic() + PATIENCE_S
    while True:
        rows = (await ask("positions")).dicts()
        reached = min((row["seq"] for row in rows if row["source"] == source), default=0)
        if reached >= wanted:
            return
        if time.monotonic() >= ends_s:
            raise PublicationError(
                f"the tables are at event {reached} of {source!r}, its log is at {wanted}, and decisions may lie "
                "between: see that `messwerk up` or `messwerk project` runs and folds (`messwerk status`), then "
                "publish again"
            )
        await asyncio.sleep(_LOOK_AGAIN_S)


@asynccontextmanager
async def _open_store(where: Installation) -> AsyncIterator[Store]:
    """Read as the user who only reads; where nobody serves the tables, serve and fold for as long as it takes."""
    login = server_login(where.configuration, os.environ, reading=True)
    if login is None:
        found = running_server(where.paths.tables)
        if found is None:
            async with open_tables(where) as tables:
                if where.paths.log.exists() and not where.configuration.kafka.bootstrap:
                    with open_log(where) as log:
                        await tables.fold_available(LogSource(log))
                yield tables.store
            return
        login = reader_of(*found)
    async with open_for_reading(login) as store:
        yield store


def _told(found: Snapshot, files: Mapping[str, bytes], out_dir: Path) -> dict[str, object]:
    return {
        "directory": str(out_dir),
        "moment": iso(found.moment),
        "definitions": found.definitions.id,
        "endpoints": list(found.endpoints),
        "checkpoints": [{"source": each.source, "size": each.size, "root": each.root} for each in found.checkpoints],
        "files": {name: len(content) for name, content in files.items()},
    }


def _moment(given: str) -> datetime:
    try:
        moment = datetime.fromisoformat(given)
    except ValueError as problem:
        raise ConfigurationError(f"--at {given!r} is no time: write it as 2026-11-30T12:00:00Z") from problem
    if moment.tzinfo is None:
        raise ConfigurationError(f"--at {given!r} needs its offset: write it as 2026-11-30T12:00:00Z")
    if moment > datetime.now(UTC):
        raise ConfigurationError(
            f"--at {given!r} is to come: what was delayed until then would be published already; leave --at out, or "
            "name a moment that has passed"
        )
    return moment.astimezone(UTC)
