"""``messwerk page``: the page by itself, over tables that other processes fill."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import click

from daemon.cli.asking import Installation, installation
from daemon.cli.options import config_option, data_option, log_options
from daemon.cli.server import server_login
from daemon.console import LogFormat, LogLevel, configure_logging
from daemon.live import stop_on_signals
from dashboards.page import Surroundings, make_page, serve_page
from projections.embedded import open_for_reading
from projections.queries.registry import run_query
from projections.store.contract import Store
from projections.store.directory import reader_of, running_server
from schemas.errors import ConfigurationError


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help="Port of the page; 0 takes a free one.")
@log_options
@data_option
@config_option
def page(
    *,
    port: int | None,
    log_format: LogFormat,
    log_level: LogLevel,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Serve the page and nothing else, until stopped: over the tables of [tables.server], or of a running Messwerk.

    It logs in as the user who only reads, and writes nothing anywhere.
    """
    configure_logging(log_format, level=log_level)
    place = installation(config_dir, data_dir)
    asyncio.run(_serve(place, port))


async def _serve(place: Installation, port: int | None) -> None:
    settings = place.configuration.page
    async with stop_on_signals() as stop, _open_store(place) as store:
        around = Surroundings(
            now_ms=lambda: time.time_ns() // 1_000_000,
            allowed_hosts=frozenset({settings.host, *settings.allowed_hosts}),
        )
        application = make_page(partial(run_query, store), around)
        async with await serve_page(application, settings.host, settings.port if port is None else port) as served:
            click.echo(f"Messwerk's page: {served.url}")
            await stop.wait()


@asynccontextmanager
async def _open_store(place: Installation) -> AsyncIterator[Store]:
    login = server_login(place.configuration, os.environ, reading=True)
    if login is None:
        found = running_server(place.paths.tables)
        if found is None:
            raise ConfigurationError(
                f"nobody serves tables in {place.paths.tables}: start `messwerk project` or `messwerk up` first, "
                "name the right directory with --data, or a server of your own in messwerk.toml, [tables.server]"
            )
        login = reader_of(*found)
    async with open_for_reading(login) as store:
        yield store
