"""What commands share that ask endpoints until there is an answer: budget, progress with cost, an end on signals."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Collection
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Protocol, TypeVar

import click

from daemon.composition import Parts, make_daemon
from daemon.configuration import load
from daemon.console import LogFormat, LogLevel
from daemon.live import live_parts, read_secrets, stop_on_signals
from daemon.paths import DataPaths
from schemas.configuration import Configuration
from schemas.errors import ConfigurationError

_WIDTH = 24


class Usd(click.ParamType[Decimal]):
    """An amount in USD, greater than nothing."""

    name = "USD"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        """Read it, or fail."""
        try:
            usd = Decimal(str(value))
        except InvalidOperation:
            usd = Decimal(0)
        if not usd.is_finite() or usd <= 0:
            self.fail(f"{value!r} is no amount in USD; write a number greater than 0, such as 2.50", param, ctx)
        return usd


class Stoppable(Protocol):
    """Something that runs."""

    def wind_down(self) -> None:
        """Send nothing more."""


R = TypeVar("R", bound=Stoppable)
S = TypeVar("S")


class Told(Protocol):
    """Progress of a run."""

    @property
    def done(self) -> int:
        """What is dealt with."""

    @property
    def planned(self) -> int:
        """Of how much."""

    @property
    def cost_usd(self) -> Decimal:
        """What is known of the cost so far."""

    @property
    def unknown_costs(self) -> int:
        """Attempts whose cost comes on top of it."""


T = TypeVar("T", bound=Told)


def own_configuration(config_dir: Path | None, command: str) -> Configuration:
    """Read the operator's configuration; without one there is nobody to ask."""
    if config_dir is None:
        raise ConfigurationError(
            f"`messwerk {command}` works on your own endpoints' answers: name their files with --config DIR"
        )
    return load(config_dir)


def require_endpoints(configuration: Configuration, names: Collection[str]) -> None:
    """Refuse names that are no enabled endpoint's."""
    unknown = sorted(set(names) - {table.name for table in configuration.endpoints if table.enabled})
    if unknown:
        raise ConfigurationError(f"no enabled endpoint is called {', '.join(unknown)}; see endpoints.toml")


async def carried_out(
    configuration: Configuration,
    paths: DataPaths,
    logging: tuple[LogFormat, LogLevel],
    make: Callable[[Parts], R],
    run: Callable[[R], Awaitable[S]],
) -> S:
    """Open log and transport, and run to the end; a signal winds down, so that what is under way is recorded."""
    keys = read_secrets(configuration, *logging)
    async with live_parts(configuration, paths, keys) as parts, stop_on_signals() as stop:
        daemon = make_daemon(configuration, parts)
        await daemon.start()
        runner = make(parts)
        running = asyncio.ensure_future(run(runner))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopped = not running.done()
        runner.wind_down()
        stopping.cancel()
        try:
            return await running
        finally:
            await daemon.stopped("signal" if stopped else "finished")


def teller(name: Callable[[T], str]) -> Callable[[T], None]:
    """Return what shows a bar on a terminal, and nothing elsewhere. name: of what progresses."""
    if not sys.stderr.isatty():
        return lambda _: None
    return lambda told: click.echo(f"\r{bar(name(told), told)}", nl=told.done == told.planned, err=True)


def bar(name: str, told: Told, width: int = _WIDTH) -> str:
    """Draw progress: what is dealt with, and the cost so far."""
    full = width if not told.planned else width * told.done // told.planned
    unknown = f" + {told.unknown_costs} unknown" if told.unknown_costs else ""
    return (
        f"{name:12} [{'#' * full}{'.' * (width - full)}] {told.done} of {told.planned}, "
        f"{told.cost_usd:.4f} USD{unknown}"
    )


def cost_told(attempts: int, cost_usd: Decimal, unknown_costs: int, stopped: str | None) -> str:
    """Say what a run cost, and why it ended where that was before its end."""
    unknown = f", and {unknown_costs} attempts of unknown cost" if unknown_costs else ""
    early = f"\nstopped: {stopped}; run it again to go on" if stopped else ""
    return f"{attempts} attempts, {cost_usd:.4f} USD{unknown}{early}"
