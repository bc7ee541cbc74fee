"""``messwerk alive``: whether a daemon measures into a data directory, for supervisors that ask by a command."""

from __future__ import annotations

from pathlib import Path

import click

from daemon.cli.options import config_option, data_option
from daemon.heartbeat import last_beat_s
from daemon.paths import DataPaths
from schemas.clocks import SystemClock


@click.command()
@data_option
@config_option
def alive(*, data_dir: Path | None, config_dir: Path | None) -> None:
    """Exit with 0 while a daemon's event loop turns and its log works, otherwise with 1.

    Name the data directory, with --data or MESSWERK_DATA: then nothing else is read, and asking costs little.
    """
    root = data_dir or Path("data")
    if data_dir is None and config_dir is not None:
        from daemon.configuration import data_root, load  # noqa: PLC0415  # reads TOML and workloads only if needed

        root = data_root(load(config_dir, need_keys=False))
    click.echo(f"alive, last sign {last_beat_s(DataPaths(root).alive, SystemClock()):.0f} s ago")
