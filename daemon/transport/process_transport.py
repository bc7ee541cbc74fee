"""Exchanges in a process of their own, so that nothing this process does can move a measured time.

The other side is :mod:`daemon.transport.measuring_process`. This one hands it prepared requests, hands on the
signals that come back, and starts another when it dies. What is kept for a slow consumer is bounded by the
limit on a response's bytes, as with every transport.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Final

import structlog

from daemon.transport.contract import Ended, PreparedRequest, Signal
from daemon.transport.http_request import request_bytes, target_of
from daemon.transport.measuring_child import LATE_S, MeasuringChild, MeasuringProcessError
from daemon.transport.process_messages import Settings
from daemon.transport.strain import Strain
from schemas.clocks import Clock
from schemas.events.attempts import ClockKind

_NS_PER_S: Final = 1_000_000_000

_log = structlog.get_logger(__name__)


class ProcessTransport:
    """A :class:`daemon.transport.contract.Transport` whose sockets are another process's.

    authority: PEM file that replaces the system's trust.
    strained: called with what held up the measuring process, about once a second while it measures.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        keep_alive: bool = False,
        authority: Path | None = None,
        strained: Callable[[Strain], None] = lambda _: None,
    ) -> None:
        self._clock = clock
        self._settings = Settings(keep_alive, None if authority is None else str(authority))
        self._strained = strained
        self._child: MeasuringChild | None = None
        self._starting = asyncio.Lock()
        self._numbers = 0

    @property
    def name(self) -> str:
        """See the contract."""
        return "process"

    @property
    def clock_kind(self) -> ClockKind:
        """The measuring process takes its times from the kernel."""
        return "kernel"

    @property
    def pid(self) -> int | None:
        """Process id of the measuring process while there is one."""
        return None if self._child is None or not self._child.alive else self._child.pid

    async def start(self) -> None:
        """Start the measuring process now and not at the first request. Raises :class:`MeasuringProcessError`."""
        child = await self._running()
        _log.info("measuring in a process of its own", measuring_pid=child.pid, ahead_of_others=child.ahead)

    async def exchange(self, request: PreparedRequest) -> AsyncGenerator[Signal, None]:
        """See the contract. Raises :class:`ValueError` for a request that HTTP cannot carry."""
        target_of(request), request_bytes(request)
        try:
            child = await self._running()
        except MeasuringProcessError as problem:
            yield Ended(self._clock.mono_ns(), "crash", str(problem))
            return
        self._numbers += 1
        number = self._numbers
        waits_s = 0.0 if request.rendezvous is None else request.rendezvous.wait_s
        due_ns = self._clock.mono_ns() + round(
            (request.limits.connect_s + waits_s + request.limits.total_s + LATE_S) * _NS_PER_S
        )
        inbox = child.begin(number, request)
        ended = False
        try:
            while not ended:
                await inbox.changed((due_ns - self._clock.mono_ns()) / _NS_PER_S)
                if not inbox.signals:
                    child.overdue()
                    yield Ended(self._clock.mono_ns(), "crash", "the measuring process did not end the exchange")
                    return
                while inbox.signals and not ended:
                    signal = inbox.signals.popleft()
                    ended = isinstance(signal, Ended)
                    yield signal
        finally:
            child.leave(number, abandon=not ended)

    async def close(self) -> None:
        """End the measuring process; exchanges under way end as lost connections."""
        child, self._child = self._child, None
        if child is not None:
            await child.close()

    async def _running(self) -> MeasuringChild:
        async with self._starting:
            if self._child is None or not self._child.alive:
                if self._child is not None:
                    _log.warning("starting another measuring process", exit_code=await self._child.reaped())
                self._child = MeasuringChild(self._clock, self._strained)
                await self._child.start(self._settings)
            return self._child
