"""``messwerk project``: folding in a process of its own, from the log or from Kafka, once or as a service."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import click
import structlog

from daemon.cli.asking import Installation, installation, open_events, open_tables
from daemon.cli.options import config_option, data_option, log_options
from daemon.cli.wording import stopped
from daemon.console import LogFormat, LogLevel, configure_logging
from daemon.live import stop_on_signals
from daemon.telemetry import telemetry
from projections.contract import AnyProjection
from projections.health import serve_health
from projections.limits import Limits
from projections.pace import Pace
from projections.registry import projections_named
from projections.runner import Runner
from projections.service import ProjectionService, Rhythm
from projections.store.contract import Store
from schemas.configuration import ProjectTable

_log = structlog.get_logger(__name__)


@click.command()
@click.argument("names", nargs=-1, metavar="[PROJECTION]...")
@click.option("--once", is_flag=True, help="Fold what is there and stop; no health is served.")
@click.option(
    "--interval", "interval_s", type=click.FloatRange(0.01), default=1.0, show_default=True, help="Seconds."
)
@click.option("--health-port", type=click.IntRange(0, 65535), help="Overrides health_port; 0 takes a free one.")
@log_options
@data_option
@config_option
def project(
    *,
    names: tuple[str, ...],
    once: bool,
    interval_s: float,
    health_port: int | None,
    log_format: LogFormat,
    log_level: LogLevel,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Fold events into the tables, all projections or those named, in a process of its own, until stopped.

    Events come from Kafka where the configuration names brokers, and from the log of this machine otherwise.
    Several processes may share a topic; each folds the sources in its partitions.
    """
    configure_logging(log_format, level=log_level)
    projections = projections_named(names)
    place = installation(config_dir, data_dir)
    if once:
        events, stops = asyncio.run(_once(place, projections))
        click.echo(f"folded {events} events")
        for line in stops:
            click.echo(line, err=True)
        if stops:
            raise click.exceptions.Exit(1)
    else:
        asyncio.run(_serve(place, projections, interval_s, health_port))


async def _once(place: Installation, projections: Sequence[AnyProjection]) -> tuple[int, Sequence[str]]:
    """Return how many events were folded, and a line for each source that could not be folded to its end."""
    async with (
        open_tables(place) as tables,
        open_events(place, group=_group(place, projections), into=tables.store) as source,
    ):
        runner = _runner(place, tables.store, projections)
        await runner.open()
        events = await runner.fold_available(source)
        reached = runner.positions
        stops = sorted(runner.stopped.items())
        return events, [stopped(name, reached.get(name, 0), str(reason)) for name, reason in stops]


async def _serve(
    place: Installation, projections: Sequence[AnyProjection], interval_s: float, health_port: int | None
) -> None:
    settings = place.configuration.project
    told = telemetry(place.configuration.telemetry, place.configuration.daemon)
    try:
        async with (
            stop_on_signals() as stop,
            open_tables(place) as tables,
            open_events(place, group=_group(place, projections), into=tables.store) as source,
        ):
            service = ProjectionService(
                _runner(place, tables.store, projections),
                source,
                tuple(projection.name for projection in projections),
                rhythm=_rhythm(settings, interval_s),
                tell_lag=lambda events: told.lag("projection", events),
            )
            port = settings.health_port if health_port is None else health_port
            async with serve_health(service.report, settings.health_host, port) as address:
                click.echo(f"health: {address}/health, readiness: {address}/ready")
                await service.run(stop)
            _log.info("stopped", positions=service.report().positions)
    finally:
        await asyncio.to_thread(told.close)


def _group(place: Installation, projections: Sequence[AnyProjection]) -> str:
    """Members of one group must fold the same: whoever folds only some projections belongs to another group."""
    group = place.configuration.project.group
    names = sorted(projection.name for projection in projections)
    every = sorted(projection.name for projection in projections_named(()))
    return group if names == every else f"{group}.{'.'.join(names)}"


def _runner(place: Installation, store: Store, projections: Sequence[AnyProjection]) -> Runner:
    settings = place.configuration.project
    limits = Limits(
        consecutive=settings.quarantine_consecutive,
        share=settings.quarantine_share,
        window=settings.quarantine_window,
    )
    return Runner(store, projections, place.configuration.definitions, pace=Pace(), limits=limits)


def _rhythm(settings: ProjectTable, interval_s: float) -> Rhythm:
    return Rhythm(look_s=interval_s, watch_s=min(5.0, settings.stall_s / 4), stall_s=settings.stall_s)
