"""``messwerk quarantine list | retry | drop | lost``: what nobody could decode or has, and what to do about it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import click
import msgspec

from daemon.cli.asking import installation, open_tables
from daemon.cli.groups import ToldInFull
from daemon.cli.options import config_option, data_option, json_option
from projections.errors import QuarantineEntryError
from projections.lost import LostRow, declare_lost
from projections.quarantine import QuarantineRow, drop, read_quarantine, retry
from projections.spans import Span
from projections.store.contract import Store

_SHOWN_BYTES = 24


@click.group(cls=ToldInFull)
def quarantine() -> None:
    """Look through bytes that could not be decoded, and decide about them and about events that nobody has."""


@quarantine.command("list")
@click.option("--all", "everything", is_flag=True, help="Also what was dropped.")
@json_option
@data_option
@config_option
def list_(*, everything: bool, as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """Show what is in quarantine, the oldest first."""
    rows = _over(config_dir, data_dir, read_quarantine)
    _show([row for row in rows if everything or row.state != "dropped"], as_json=as_json)


@quarantine.command("retry")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option
@data_option
@config_option
def retry_(*, names: tuple[str, ...], as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """Try to decode entries with this build, all that are held without NAME.

    What can be read now stays where it is and is taken in by the next `messwerk rebuild`, in its right place.
    """
    rows = _over(config_dir, data_dir, lambda store: retry(store, names, now_ns=time.time_ns()))
    _show(rows, as_json=as_json)
    if not as_json and any(row.state == "readable" for row in rows):
        click.echo("run `messwerk rebuild` to take in what is readable now")


@quarantine.command("drop")
@click.argument("name")
@click.option("--reason", required=True, help="Why it is given up; kept beside it.")
@click.option(
    "--position",
    metavar="SOURCE@SEQ",
    help="The position that bytes without an envelope took: declares that event lost, so that folding goes on.",
)
@json_option
@data_option
@config_option
def drop_(
    *,
    name: str,
    reason: str,
    position: str | None,
    as_json: bool,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Give one entry up. It stays in the table, with the reason."""
    taken = None if position is None else _position(position)
    row = _over(
        config_dir,
        data_dir,
        lambda store: drop(store, name, reason=reason, now_ns=time.time_ns(), position=taken),
    )
    _show([row], as_json=as_json)


@quarantine.command("lost")
@click.argument("source")
@click.option("--from", "first", type=click.IntRange(1), required=True, help="First position that nobody has.")
@click.option("--to", "last", type=click.IntRange(1), required=True, help="Last one.")
@click.option("--person", required=True, help="Who declares it; kept beside it.")
@click.option("--reason", required=True, help="Why nobody has them any more; kept beside it.")
@json_option
@data_option
@config_option
def lost_(
    *,
    source: str,
    first: int,
    last: int,
    person: str,
    reason: str,
    as_json: bool,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Declare events of a gap lost, so that SOURCE is folded on behind it. That is never done by itself.

    Look for them first: `messwerk rebuild --from` takes them from a data directory, segments or a backup.
    """
    span = Span(first, last)
    row: LostRow = _over(
        config_dir,
        data_dir,
        lambda store: declare_lost(store, source, span, person=person, reason=reason, now_ns=time.time_ns()),
    )
    if as_json:
        click.echo(msgspec.json.encode(row))
    else:
        click.echo(f"{row.source}: {span} declared lost by {row.person}: {row.reason}")
        click.echo("a reader that runs goes on at its next try, within a quarter of an hour")


def _over(config_dir: Path | None, data_dir: Path | None, work: Callable[[Store], Coroutine[Any, Any, Any]]) -> Any:  # noqa: ANN401  # whatever the work gives
    async def open_and_work() -> Any:  # noqa: ANN401  # the same
        async with open_tables(installation(config_dir, data_dir)) as tables:
            return await work(tables.store)

    return asyncio.run(open_and_work())


def _position(text: str) -> tuple[str, int]:
    source, _, seq = text.rpartition("@")
    if not source or not seq.isdecimal() or int(seq) == 0:
        raise QuarantineEntryError(f"--position {text!r}: expected SOURCE@SEQ, for example lab-frankfurt@4711")
    return source, int(seq)


def _show(rows: list[QuarantineRow], *, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode(rows))
        return
    for row in rows:
        where = f"{row.source or 'unknown source'}, position {row.seq if row.seq is not None else 'unknown'}"
        shown = bytes.fromhex(row.bytes[: 2 * _SHOWN_BYTES])
        click.echo(f"{row.name}  {row.state}  {row.time:%Y-%m-%d %H:%M:%S}Z  {where}")
        click.echo(f"    {row.reason}")
        click.echo(f"    {len(row.bytes) // 2} bytes: {shown!r}")
        if row.decision:
            click.echo(f"    dropped: {row.decision}")
    if not rows:
        click.echo("nothing is in quarantine")
