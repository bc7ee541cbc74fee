"""``messwerk log seal | tidy``: what is kept of a log for ever, and what goes by age."""

from __future__ import annotations

import sys
import time
from contextlib import closing
from pathlib import Path

import click
import msgspec

from daemon.cli.options import config_option, data_option, json_option
from daemon.configuration import builtin, data_root, load
from daemon.log.blobs import BlobStore
from daemon.log.reader import SqliteReader
from daemon.log.segments import chain_of, remove_superseded, seal
from daemon.log.segments.months import is_month
from daemon.log.segments.sealing import Sealed, Sealing
from daemon.paths import DataPaths
from schemas.clocks import SystemClock
from schemas.configuration import Configuration
from schemas.errors import ConfigurationError


@click.command("seal")
@click.option(
    "--month", metavar="YYYY-MM", help="The last month to seal (UTC); without it, every month that is over."
)
@click.option("--force", is_flag=True, help="Also write what is there of the unfinished month; replaced next time.")
@click.option(
    "--to",
    "directory",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where segments lie; without it, log/segments in the data directory.",
)
@json_option
@data_option
@config_option
def seal_command(
    *,
    month: str | None,
    force: bool,
    directory: Path | None,
    as_json: bool,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Copy finished months into compressed files that never change, each read back before it counts.

    The log keeps its events. A daemon may run meanwhile; repeating the command changes nothing.
    """
    if month is not None and not is_month(month):
        raise click.BadParameter(f"{month!r} is no month; write it as 2026-10", param_hint="--month")
    paths = DataPaths(data_root(_configuration(config_dir), data_dir))
    target = directory or paths.sealed
    with closing(SqliteReader(paths.log)) as reader:
        waiting = reader.last_seq() - chain_of(target).finished().last_seq
        quiet = not sys.stderr.isatty()
        # Each event is written once and read back once.
        with click.progressbar(length=2 * waiting, label="sealing", file=sys.stderr, hidden=quiet) as bar:
            sealing = seal(reader, target, now_ns=time.time_ns(), through=month, force=force, progress=bar.update)
        remove_superseded(sealing)
    click.echo(msgspec.json.encode([_told(each) for each in sealing.segments]) if as_json else _text(target, sealing))


@click.command("tidy")
@click.option("--dry-run", is_flag=True, help="Only name what would go.")
@click.option("--older-than", "days", type=click.IntRange(0), metavar="DAYS", help="In place of blobs_days.")
@json_option
@data_option
@config_option
def tidy_command(
    *, dry_run: bool, days: int | None, as_json: bool, data_dir: Path | None, config_dir: Path | None
) -> None:
    """Remove bodies from the blob store by age, as a running daemon does by itself. No event is ever removed."""
    configuration = _configuration(config_dir)
    days = configuration.retention.blobs_days if days is None else days
    if days is None:
        raise ConfigurationError(
            "bodies are kept for ever: set blobs_days in messwerk.toml, [retention], or name an age with --older-than"
        )
    clock = SystemClock()
    store = BlobStore(DataPaths(data_root(configuration, data_dir)).blobs, clock)
    removal = store.remove_older_than(days, clock.wall_ns(), dry_run=dry_run)
    if as_json:
        click.echo(
            msgspec.json.encode(
                {"dry_run": dry_run, "days": days, "names": removal.names, "stored_bytes": removal.stored_bytes}
            )
        )
        return
    for name in removal.names if dry_run else ():
        click.echo(name)
    did = "would go" if dry_run else "removed"
    click.echo(f"{len(removal.names)} bodies older than {days} days {did}: {removal.stored_bytes} bytes")


def _configuration(config_dir: Path | None) -> Configuration:
    return builtin() if config_dir is None else load(config_dir, need_keys=False)


def _told(sealed: Sealed) -> dict[str, object]:
    header = sealed.header
    return {
        "file": str(sealed.path),
        "fresh": sealed.fresh,
        "month": header.month,
        "finished": header.finished,
        "first_seq": header.first_seq,
        "last_seq": header.last_seq,
        "root": header.after.root,
        "checkpoint": header.checkpoint,
        "bytes": sealed.path.stat().st_size,
    }


def _text(target: Path, sealing: Sealing) -> str:
    if not sealing.segments:
        return f"nothing to seal yet: no month of this log is over ({target})"
    lines = [
        f"{'sealed' if each.fresh else 'was there'}  {each.path}  events {each.header.first_seq} to "
        f"{each.header.last_seq}, {each.path.stat().st_size} bytes, root {each.header.after.root[:16]}…"
        + ("" if each.header.finished else "  (month not over: replaced next time)")
        for each in sealing.segments
    ]
    return "\n".join(lines)
