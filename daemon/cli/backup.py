"""``messwerk backup`` and ``messwerk restore``: what cannot be made again, elsewhere and back."""

from __future__ import annotations

import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Self

import click
import msgspec

from daemon.backup import Restored, back_up
from daemon.backup import check as check_backup
from daemon.backup import restore as restore_backup
from daemon.backup.manifest import CONFIGURATION
from daemon.cli.options import config_option, data_option, json_option
from daemon.configuration import builtin, data_root, load
from daemon.paths import DataPaths
from schemas.clocks import SystemClock

_PATH = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.argument("directory", type=_PATH, metavar="DIR")
@json_option
@data_option
@config_option
def backup(*, directory: Path, as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """Back up log, bodies and configuration into DIR; a daemon may run meanwhile.

    Into the same DIR again, only what is new is copied. Keys stay out, and every file left out is named.
    """
    configuration = builtin() if config_dir is None else load(config_dir, need_keys=False)
    paths = DataPaths(data_root(configuration, data_dir))
    with _Progress() as told:
        done = back_up(configuration, paths, directory, SystemClock(), version("messwerk"), told)
    manifest = done.manifest
    if as_json:
        click.echo(
            msgspec.json.encode(
                {
                    "source": manifest.source,
                    "events": manifest.events,
                    "root": manifest.root,
                    "files": len(manifest.files),
                    "bytes": sum(file.bytes for file in manifest.files),
                    "fresh": done.fresh,
                    "fresh_bytes": done.fresh_bytes,
                    "removed": done.removed,
                    "skipped": manifest.skipped,
                }
            )
        )
        return
    for skipped in manifest.skipped:
        click.echo(f"left out: {skipped.path}: {skipped.reason}", err=True)
    click.echo(
        f"{directory}: {manifest.events} events of {manifest.source!r}, root {manifest.root}\n"
        f"  {len(manifest.files)} files, {sum(file.bytes for file in manifest.files)} bytes; "
        f"{done.fresh} new segments and bodies, {done.fresh_bytes} bytes"
    )
    if config_dir is None:
        click.echo("no configuration was named with --config, so none is in it", err=True)


@click.command()
@click.argument("directory", type=_PATH, metavar="DIR")
@click.option("--data", "data_dir", type=_PATH, help="An empty directory for log and bodies.")
@click.option("--config", "config_dir", type=_PATH, help="An empty directory for the configuration's files.")
@click.option("--check", "only_check", is_flag=True, help="Only verify the backup; nothing is written.")
@json_option
def restore(
    *, directory: Path, data_dir: Path | None, config_dir: Path | None, only_check: bool, as_json: bool
) -> None:
    """Verify the backup in DIR and put it back into empty directories.

    Tables are not in it: they are folded from the log at the next start.
    """
    if only_check == (data_dir is not None) or (only_check and config_dir is not None):
        raise click.UsageError("name either an empty directory with --data, or --check alone")
    with _Progress() as told:
        if data_dir is None:
            done = check_backup(directory, told)
        else:
            done = restore_backup(directory, DataPaths(data_dir), config_dir, told)
    if as_json:
        manifest = done.manifest
        click.echo(
            msgspec.json.encode(
                {
                    "ok": True,
                    "restored": not only_check,
                    "source": manifest.source,
                    "events": manifest.events,
                    "root": manifest.root,
                    "checkpoints": done.checkpoints,
                    "files": len(manifest.files),
                    "skipped": manifest.skipped,
                }
            )
        )
        return
    click.echo(_told(directory, done))
    if data_dir is not None:
        click.echo(f"restored to {data_dir}; tables are folded from it at the next start")
        if config_dir is None and done.manifest.below(CONFIGURATION):
            click.echo("its configuration was left out; --config DIR puts it back", err=True)


def _told(directory: Path, done: Restored) -> str:
    manifest = done.manifest
    return (
        f"{directory}: sound\n"
        f"  source       {manifest.source}\n"
        f"  events       {manifest.events}\n"
        f"  root         {manifest.root}\n"
        f"  checkpoints  {done.checkpoints}\n"
        f"  files        {len(manifest.files)}"
    )


class _Progress:
    """One line on a terminal that is written over and over; nothing elsewhere."""

    _EVERY_S = 0.1

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._next_s = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            click.echo("\r\x1b[K", nl=False, err=True)

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._shown and (done >= total or time.monotonic() >= self._next_s):
            self._next_s = time.monotonic() + self._EVERY_S
            click.echo(f"\r\x1b[K{stage}: {done} of {total}", nl=False, err=True)
