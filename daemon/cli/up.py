"""``messwerk up`` and ``messwerk daemon``: measuring until told to stop, with tables and page or without."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import click

from daemon.cli.account_figures import account_figures
from daemon.cli.calibrating import measured_figures
from daemon.cli.embedded import Embedded, Options, reference_endpoints
from daemon.cli.options import config_option, data_option, log_options
from daemon.composition import make_daemon
from daemon.configuration import builtin, data_root, load
from daemon.console import LogFormat, LogLevel, configure_logging
from daemon.forwarding.beside import forwarding
from daemon.live import live_parts, measure_until, read_secrets, stop_on_signals
from daemon.paths import DataPaths
from schemas.clocks import SystemClock

HISTORY_DAYS: Final = 14


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help="Port of the page; 0 takes a free one.")
@click.option(
    "--days",
    type=click.IntRange(0, 400),
    default=HISTORY_DAYS,
    show_default=True,
    help="Simulated history to begin with, when the built-in endpoints are measured into an empty log.",
)
@click.option("--local-model", is_flag=True, help="Also serve and measure a real language model on this machine.")
@log_options
@data_option
@config_option
def up(
    *,
    port: int | None,
    days: int,
    local_model: bool,
    log_format: LogFormat,
    log_level: LogLevel,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Measure by the schedule, fold into tables and serve the page, all in one, until stopped.

    Without --config the built-in reference endpoints are measured: simulated services whose truth is known.
    """
    configure_logging(log_format, level=log_level)
    given = None if config_dir is None else load(config_dir)
    paths = DataPaths(data_root(given or builtin(), data_dir))
    options = Options(port=port, days=days, local_model=local_model, log_format=log_format, log_level=log_level)

    async def serve() -> None:
        async with stop_on_signals() as stop:
            await Embedded(given, paths, SystemClock(), options).run(stop)

    asyncio.run(serve())


@click.command()
@log_options
@data_option
@config_option
def daemon(*, log_format: LogFormat, log_level: LogLevel, data_dir: Path | None, config_dir: Path | None) -> None:
    """Only measure by the schedule into the log, until stopped; tables and page can be elsewhere or later."""
    configure_logging(log_format, level=log_level)
    given = None if config_dir is None else load(config_dir)
    paths = DataPaths(data_root(given or builtin(), data_dir))

    async def measure() -> None:
        clock = SystemClock()
        around = reference_endpoints(paths, clock, HISTORY_DAYS) if given is None else nullcontext(given)
        async with stop_on_signals() as stop, around as configuration:
            keys = read_secrets(configuration, log_format, log_level)
            async with (
                live_parts(configuration, paths, keys, measured_figures, account_figures) as parts,
                forwarding(configuration, paths, parts.telemetry, log_format, log_level),
            ):
                measuring = make_daemon(configuration, parts)
                await measuring.start()
                await measure_until(configuration, measuring, parts, stop)

    asyncio.run(measure())
