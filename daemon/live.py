"""The parts of a daemon that measures for real: machine clock, sockets, the durable log."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from daemon.app import Daemon
from daemon.calibration.keeping import CalibrationKeeper
from daemon.calibration.taking import FiguresOf, QuickCalibration, StrainNews
from daemon.composition import Parts
from daemon.configuration import Secrets, secrets
from daemon.console import LogFormat, LogLevel, configure_logging
from daemon.desk.inbox import Inbox
from daemon.desk.taking import keep_taking
from daemon.heartbeat import keep_beating, systemd_notifier
from daemon.integrity.observing import AccountFigures
from daemon.log import BlobStore, GroupCommitLog, SqliteReader
from daemon.log.timed import TimedLog
from daemon.paths import DataPaths
from daemon.reference.endpoints import DEMONSTRATION_KEYS
from daemon.schedule.waker import ApschedulerWaker
from daemon.telemetry import Telemetry, telemetry
from daemon.transport.choosing import make_transport
from daemon.transport.contract import Transport
from daemon.transport.process_transport import ProcessTransport
from daemon.transport.strain import Strain
from daemon.world import World, live_world
from schemas.configuration import Configuration

_LAG_PERIOD_S: Final = 1.0
_HOUSEKEEPING_S: Final = 2 * 3600.0
_AGAIN_S: Final = 30.0

_log = structlog.get_logger(__name__)


def read_secrets(configuration: Configuration, log_format: LogFormat, log_level: LogLevel) -> Secrets:
    """Read the keys that measuring needs, and keep them out of everything this process logs."""
    keys = secrets(configuration, {**DEMONSTRATION_KEYS, **os.environ})
    configure_logging(log_format, level=log_level, secrets=keys)
    return keys


@asynccontextmanager
async def live_parts(
    configuration: Configuration,
    paths: DataPaths,
    keys: Secrets,
    figures_of: FiguresOf | None = None,
    account_figures: AccountFigures | None = None,
) -> AsyncIterator[Parts]:
    """Open log, transport and telemetry, and close them in the order that loses nothing.

    figures_of: computes figures for calibrations before runs; None leaves those out.
    account_figures: computes figures for the daily comparison of accounts; None leaves it out.
    Raises :class:`schemas.errors.LogLockedError` when another process measures into the same log.
    """
    world = live_world()
    told = telemetry(configuration.telemetry, configuration.daemon)
    log = TimedLog(
        GroupCommitLog(paths.log, source=configuration.daemon.source, clock=world.clock), told.log_appended
    )
    try:
        news = StrainNews()

        def strained(strain: Strain) -> None:
            news(strain)
            if strain.lag_max_us is not None:
                told.loop_lag(strain.lag_max_us / 1e6, "measuring")
            if strain.gc_pauses:
                told.garbage_pause(strain.gc_longest_us / 1e6)

        transport = make_transport(configuration.measuring.transport, world.clock, strained=strained)
        history = SqliteReader(paths.log)
        beating = asyncio.create_task(
            kept_up("heartbeat", partial(keep_beating, paths.alive, log, world.clock, systemd_notifier(os.environ)))
        )
        taking = asyncio.create_task(kept_up("desk", partial(keep_taking, Inbox(paths.inbox), log, history)))
        try:
            if isinstance(transport, ProcessTransport):
                await transport.start()
            yield Parts(
                world=world,
                transport=transport,
                log=log,
                history=history,
                blobs=BlobStore(paths.blobs, world.clock),
                keys=keys,
                waker=ApschedulerWaker(),
                telemetry=told,
                account_figures=account_figures,
                paths=paths,
                calibrator=None
                if figures_of is None or not configuration.measuring.calibrate
                else CalibrationKeeper(
                    quick_calibration(configuration, transport, news, figures_of, world), log, world.clock
                ),
            )
        finally:
            async with companions(beating, taking):
                await transport.close()
                history.close()
                await asyncio.to_thread(told.close)
    finally:
        await log.close()


def quick_calibration(
    configuration: Configuration, transport: Transport, news: StrainNews, figures_of: FiguresOf, world: World
) -> QuickCalibration:
    """Return what calibrates this transport, over TLS too when any endpoint is measured so."""

    def like_it(authority: Path | None, heard: StrainNews) -> Transport:
        return make_transport(configuration.measuring.transport, world.clock, authority=authority, strained=heard)

    tls = any(each.enabled and each.base_url.lower().startswith("https:") for each in configuration.endpoints)
    return QuickCalibration(transport, news, like_it if tls else None, figures_of, world)


async def watch_log(daemon: Daemon, parts: Parts) -> None:
    """Stop the daemon's measuring soon after the log's writer gave up, even when nothing is being appended."""
    while True:
        if parts.log.failed is not None:
            daemon.fail(parts.log.failed)
            return
        await asyncio.sleep(_LAG_PERIOD_S)


async def watch_loop(told: Telemetry) -> None:
    """Tell telemetry how late this event loop is: what it adds to times that are taken in it."""
    while True:
        asked_s = time.monotonic() + _LAG_PERIOD_S
        await asyncio.sleep(_LAG_PERIOD_S)
        told.loop_lag(max(0.0, time.monotonic() - asked_s))


async def keep_house(configuration: Configuration, parts: Parts) -> None:
    """Remove blobs that are older than the configured retention, now and then; events stay for ever.

    Not at once: a machine's clock can be years ahead until somebody corrects it, and a removed body stays so.
    """
    days = configuration.retention.blobs_days
    while days is not None:
        await asyncio.sleep(_HOUSEKEEPING_S)
        removal = await parts.world.offload(parts.blobs.remove_older_than, days, parts.world.clock.wall_ns())
        _log.info("retention of bodies applied", older_than_days=days, removed=len(removal.names))


@asynccontextmanager
async def stop_on_signals() -> AsyncIterator[asyncio.Event]:
    """Yield an event that SIGTERM and SIGINT set; a second signal ends the process at once, as it always would."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    caught = (signal.SIGTERM, signal.SIGINT)

    def asked() -> None:
        stop.set()
        for number in caught:
            loop.remove_signal_handler(number)

    for number in caught:
        loop.add_signal_handler(number, asked)
    try:
        yield stop
    finally:
        for number in caught:
            loop.remove_signal_handler(number)


async def kept_up(name: str, work: Callable[[], Awaitable[None]], pause_s: float = _AGAIN_S) -> None:
    """Carry out work that goes on beside the measuring, and take it up again whenever it breaks.

    It must not end the measuring, and it must not end in silence: a page that is fed by nobody looks alive
    for months.
    """
    while True:
        try:
            await work()
        except Exception:  # noqa: BLE001  # whatever it is; told with its traceback
            _log.exception("side work broke; measuring goes on", work=name, again_in_s=pause_s)
            await asyncio.sleep(pause_s)
        else:
            return


@asynccontextmanager
async def companions(*tasks: asyncio.Task[None]) -> AsyncIterator[None]:
    """Cancel side tasks at the end and wait for them."""
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task


async def measure_until(configuration: Configuration, daemon: Daemon, parts: Parts, stop: asyncio.Event) -> None:
    """Run a started daemon until ``stop``; raise what made it stop by itself."""
    side = (
        asyncio.create_task(kept_up("watch log", partial(watch_log, daemon, parts))),
        asyncio.create_task(kept_up("watch loop", partial(watch_loop, parts.telemetry))),
        asyncio.create_task(kept_up("keep house", partial(keep_house, configuration, parts))),
    )
    async with companions(*side):
        report = await daemon.run(stop)
    if report.failure is not None:
        raise report.failure
