"""Plays a daemon's days in simulated time: true schedule, parsers and log; simulated transport and clock.

What comes out is an ordinary log in which every event says that it is simulated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from daemon.composition import Parts, make_daemon
from daemon.configuration import Secrets
from daemon.integrity.observing import AccountFigures
from daemon.log import BlobStore, InlineLog, SqliteReader
from daemon.paths import DataPaths
from daemon.reference.endpoints import demonstration_keys
from daemon.reference.service import ReferenceService
from daemon.schedule.waker import LoopWaker
from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.simulation.transport import SimulatedTransport
from daemon.telemetry import Telemetry
from daemon.world import simulated_world
from schemas.configuration import Configuration

COMMIT_EVERY: Final = 500
"""Events per commit: a played history can be played again, so it need not be durable event by event."""

_SWEEP_S: Final = 1800.0
_PROGRESS_S: Final = 3600.0


def play(
    configuration: Configuration,
    paths: DataPaths,
    *,
    start_wall_ns: int,
    end_wall_ns: int,
    history_start_ns: int | None = None,
    seed: str = "history",
    progress: Callable[[float], None] = lambda _: None,
    account_figures: AccountFigures | None = None,
) -> None:
    """Let a daemon live from ``start_wall_ns`` to ``end_wall_ns`` and write its log below ``paths``.

    history_start_ns: moment from which the reference profiles count their days; the start by default.
    progress: called with the share done, from 0 to 1, once per simulated hour.
    account_figures: computes figures for the daily comparison of accounts; None leaves it out.
    Raises :class:`schemas.errors.LogLockedError` when another process writes the log.
    """

    async def main(loop: SimulatedLoop) -> None:
        clock = SimulatedClock(loop, start_wall_ns, boot=f"simulated-{seed}")
        log = InlineLog(paths.log, source=configuration.daemon.source, clock=clock, commit_every=COMMIT_EVERY)
        try:
            history = SqliteReader(paths.log)
            try:
                service = ReferenceService(
                    history_start_ns=start_wall_ns if history_start_ns is None else history_start_ns, seed=seed
                )
                daemon = make_daemon(
                    configuration,
                    Parts(
                        world=simulated_world(clock, seed),
                        transport=SimulatedTransport(service, clock),
                        log=log,
                        history=history,
                        blobs=BlobStore(paths.blobs, clock),
                        keys=Secrets(demonstration_keys(configuration.accounts)),
                        waker=LoopWaker(clock, sweep_s=_SWEEP_S),
                        telemetry=Telemetry(),
                        account_figures=account_figures,
                        paths=paths,
                    ),
                )
                await daemon.start()
                stop = asyncio.Event()
                alarm = asyncio.create_task(_stop_at(clock, start_wall_ns, end_wall_ns, stop, progress))
                report = await daemon.run(stop, grace_s=3600.0)
                alarm.cancel()
                if report.failure is not None:
                    raise report.failure
            finally:
                history.close()
        finally:
            await log.close()

    run_simulated(main)


async def _stop_at(
    clock: SimulatedClock, start_ns: int, end_ns: int, stop: asyncio.Event, progress: Callable[[float], None]
) -> None:
    while (now_ns := clock.wall_ns()) < end_ns:
        progress((now_ns - start_ns) / (end_ns - start_ns))
        await asyncio.sleep(min(_PROGRESS_S, (end_ns - now_ns) / 1e9 + 1e-6))
    progress(1.0)
    stop.set()
