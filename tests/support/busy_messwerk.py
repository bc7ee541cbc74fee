"""The command line of :mod:`telling_messwerk`, whose daemon measures without end beside its schedule."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from daemon.cli import up
from daemon.composition import make_engine
from daemon.live import measure_until
from daemon.runs.engine import RunEngine, RunRequest

_PAUSE_S = 0.3


async def _measure_without_end(configuration: Any, daemon: Any, parts: Any, stop: asyncio.Event) -> None:
    engine = make_engine(configuration, parts)
    stopped = asyncio.Event()
    runs = [
        asyncio.create_task(_again(engine, parts, RunRequest(workload="text-1k", trigger="command"))),
        asyncio.create_task(
            _again(
                engine,
                parts,
                RunRequest(
                    workload="text-1k",
                    scenario="parallel-10",
                    trigger="command",
                    endpoints=(configuration.endpoints[0].name,),
                ),
            )
        ),
    ]

    async def end_runs_first() -> None:
        await stop.wait()
        for run in runs:
            run.cancel()
        for run in runs:
            with suppress(asyncio.CancelledError):
                await run
        stopped.set()

    ending = asyncio.create_task(end_runs_first())
    try:
        await measure_until(configuration, daemon, parts, stopped)
    finally:
        stop.set()
        await ending


async def _again(engine: RunEngine, parts: Any, request: RunRequest) -> None:
    while parts.log.failed is None:
        await engine.run(request)
        await asyncio.sleep(_PAUSE_S)


up.measure_until = _measure_without_end

import telling_messwerk  # noqa: E402, F401  # runs the command
