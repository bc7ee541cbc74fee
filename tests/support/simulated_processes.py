"""Processes inside one simulated event loop: killed between any two steps, started again, all by one seed.

A process is everything that its main task started. Killing it cancels those tasks and makes every further
effect on the outside fail, so that nothing a dead process still does while it unwinds can reach a disk, a
broker or a table.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextvars import ContextVar, Token
from typing import Any

from daemon.simulation.loop import SimulatedLoop

_CURRENT: ContextVar[Process | None] = ContextVar("process", default=None)


class InlineLoop(SimulatedLoop):
    """A simulated loop in which a thread's work is done at once."""

    def run_in_executor(self, _: object, function: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        future = self.create_future()
        try:
            future.set_result(function(*arguments))
        except Exception as problem:  # noqa: BLE001  # an executor hands on whatever the function raised
            future.set_exception(problem)
        return future


class Process:
    """One life of a program."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.alive = True
        self._tasks: list[asyncio.Task[Any]] = []

    def take(self, task: asyncio.Task[Any]) -> None:
        """Note a task as one of this process."""
        self._tasks = [each for each in self._tasks if not each.done()]
        self._tasks.append(task)

    def kill(self) -> None:
        """End this life now: what is being done is not finished."""
        self.alive = False
        for task in self._tasks:
            task.cancel()

    async def ended(self) -> None:
        """Wait until every task has unwound."""
        while waiting := [task for task in self._tasks if not task.done()]:
            await asyncio.wait(waiting)
        for task in self._tasks:
            if not task.cancelled():
                task.exception()  # seen: what a dying process raised is nobody's concern


class Programs:
    """Starts programs, starts them again when they end, and kills them by chance."""

    def __init__(self, loop: InlineLoop, chance: random.Random) -> None:
        self._loop = loop
        self._chance = chance
        self._living: dict[str, Process] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._stopping = False
        self.kills = 0
        self.defects: list[BaseException] = []
        loop.set_task_factory(_task)

    def keep(
        self, name: str, main: Callable[[Process], Awaitable[None]], *, tolerated: tuple[type[Exception], ...]
    ) -> None:
        """Run ``main`` again and again; an end by an error that is not ``tolerated`` is a defect."""
        self._keepers.append(self._loop.create_task(self._keep(name, main, tolerated), name=f"keeper of {name}"))

    def living(self) -> list[Process]:
        """Every process that runs now, in a fixed order."""
        return [self._living[name] for name in sorted(self._living)]

    async def run_chaos(self, mean_s: float) -> None:
        """Kill a random process now and then."""
        while True:
            await asyncio.sleep(self._chance.expovariate(1 / mean_s))
            if living := self.living():
                self.kills += 1
                self._chance.choice(living).kill()

    async def stop(self) -> None:
        """Let every program come to its own end, and start none again."""
        self._stopping = True
        await asyncio.gather(*self._keepers)

    async def _keep(
        self, name: str, main: Callable[[Process], Awaitable[None]], tolerated: tuple[type[Exception], ...]
    ) -> None:
        while True:
            process = Process(name)
            self._living[name] = process
            with _Inside(process):
                task = self._loop.create_task(_run(main, process), name=name)
            await asyncio.wait([task])
            problem = task.exception() if process.alive and not task.cancelled() else None
            if problem is not None and not isinstance(problem, tolerated):
                self.defects.append(problem)
                return
            well = process.alive and not task.cancelled() and problem is None
            process.kill()
            await process.ended()
            del self._living[name]
            if self._stopping and well:
                return
            if not self._stopping:
                await asyncio.sleep(self._chance.uniform(0.1, 300))


async def _run(main: Callable[[Process], Awaitable[None]], process: Process) -> None:
    await main(process)


class _Inside:
    """Tasks made within belong to a process."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._token: Token[Process | None] | None = None

    def __enter__(self) -> None:
        self._token = _CURRENT.set(self._process)

    def __exit__(self, *_: object) -> None:
        assert self._token is not None, "entered before it is left"
        _CURRENT.reset(self._token)


def _task(
    loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, Any] | Generator[Any, None, Any], **rest: Any
) -> asyncio.Task[Any]:
    task: asyncio.Task[Any] = asyncio.Task(coroutine, loop=loop, **rest)  # type: ignore[arg-type]  # as asyncio's own
    process = _CURRENT.get()
    if process is not None:
        process.take(task)
        if not process.alive:
            task.cancel()
    return task
