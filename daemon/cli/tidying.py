"""``messwerk tables tidy``: drop what rebuilds left, without waiting for the next start."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import click

from daemon.cli.asking import Installation, installation, open_tables
from daemon.cli.groups import ToldInFull
from daemon.cli.options import config_option, data_option
from projections.exchanging import tidy


@click.group(cls=ToldInFull)
def tables() -> None:
    """Look after the tables themselves."""


@tables.command("tidy")
@data_option
@config_option
def tidy_command(*, data_dir: Path | None, config_dir: Path | None) -> None:
    """Drop the old tables that a rebuild kept for a day, once that day is over."""
    for name in asyncio.run(_tidied(installation(config_dir, data_dir))):
        click.echo(f"dropped {name}")


async def _tidied(place: Installation) -> list[str]:
    async with open_tables(place) as opened:
        return list(await tidy(opened.store, time.time_ns()))
