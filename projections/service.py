"""Folding as a service: it goes on through trouble that passes, watches itself, and says how it is.

What is served over HTTP of this is in ``projections/health.py``; which source and which tables is the command
line's choice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, Literal

import msgspec
import structlog

from projections.errors import (
    QuarantineLimitError,
    SourceUnreachableError,
    StalledError,
    StoreBusyError,
    StoreLostError,
)
from projections.progress import Sighting, Watchdog, lag, waiting
from projections.retries import Again, Retry
from projections.runner import Runner
from projections.source import EventSource
from schemas.errors import MesswerkError

_AGAIN_S: Final = 2.0
_FINISH_S: Final = 20.0
_PASSING: Final = (SourceUnreachableError, StoreBusyError, StoreLostError)

_log = structlog.get_logger(__name__)

Phase = Literal["starting", "folding", "trouble", "stalled", "stopping"]


class ServiceReport(msgspec.Struct, frozen=True, kw_only=True):
    """How the service is. ``lag`` counts events by source; it is empty until it could be asked for.

    trouble: what went wrong last and is being tried again. stopped: sources that cannot go on, with the reason;
    retries says when each is tried next. still_s: seconds without progress although something waits.
    """

    phase: Phase
    ready: bool
    projections: tuple[str, ...]
    positions: Mapping[str, int]
    lag: Mapping[str, int]
    stopped: Mapping[str, str]
    trouble: str | None
    still_s: float
    retries: Mapping[str, Retry] = {}
    trouble_retry: Retry | None = None


class Rhythm(msgspec.Struct, frozen=True, kw_only=True):
    """How often things happen, in seconds.

    look_s: between two looks for events at the end. watch_s: between two looks at the lag. stall_s: without
    progress for so long it is not ready; for twice as long it ends, for a supervisor to start it again.
    """

    look_s: float = 1.0
    watch_s: float = 5.0
    stall_s: float = 300.0


class ProjectionService:
    """Runs one runner over one source until told to stop. ``tell_lag`` gets the greatest lag of all sources."""

    def __init__(
        self,
        runner: Runner,
        source: EventSource,
        projections: tuple[str, ...],
        *,
        rhythm: Rhythm,
        tell_lag: Callable[[int], None] = lambda _: None,
        again: Again | None = None,
    ) -> None:
        self._runner = runner
        self._source = source
        self._projections = projections
        self._rhythm = rhythm
        self._tell_lag = tell_lag
        self._phase: Phase = "starting"
        self._trouble: str | None = None
        self._lag: dict[str, int] = {}
        self._watchdog: Watchdog | None = None
        self._again = again or Again()
        self._tries = 0
        self._tried_next_s: float | None = None

    def report(self) -> ServiceReport:
        """Tell how things are now."""
        now_s = asyncio.get_running_loop().time()
        still_s = self._watchdog.still_s(now_s) if self._watchdog else 0.0
        stopped = {source: str(reason) for source, reason in self._runner.stopped.items()}
        stalled = still_s >= self._rhythm.stall_s
        return ServiceReport(
            phase="stalled" if stalled else self._phase,
            ready=self._phase == "folding" and not stalled and not stopped,
            projections=self._projections,
            positions=self._runner.positions,
            lag=dict(self._lag),
            stopped=stopped,
            trouble=self._trouble,
            still_s=round(still_s, 3),
            retries=self._runner.retries(now_s),
            trouble_retry=None
            if self._tried_next_s is None
            else Retry(tries=self._tries, next_in_s=round(max(0.0, self._tried_next_s - now_s), 3)),
        )

    async def run(self, stop: asyncio.Event) -> None:
        """Fold until ``stop`` is set, finishing the batch under way.

        Raises :class:`StalledError` when nothing moves for too long, and what folding raises and does not pass.
        """
        self._watchdog = Watchdog(asyncio.get_running_loop().time())
        folding = asyncio.create_task(self._fold(stop), name="fold")
        watching = asyncio.create_task(self._watch(), name="watch")
        stopping = asyncio.create_task(stop.wait(), name="stop")
        try:
            await asyncio.wait({folding, watching, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set():
                self._phase = "stopping"
                await asyncio.wait({folding}, timeout=_FINISH_S)
        finally:
            for task in (folding, watching, stopping):
                if not task.done():
                    task.cancel()
            ended = await asyncio.gather(folding, watching, stopping, return_exceptions=True)
        for outcome in ended:
            if isinstance(outcome, Exception):
                raise outcome

    async def _fold(self, stop: asyncio.Event) -> None:
        opened = False
        while not stop.is_set():
            try:
                if not opened:
                    await self._runner.open()
                    opened = True
                events = await self._runner.step(self._source)
            except _PASSING as problem:
                self._phase, self._trouble = "trouble", str(problem)
                _log.error("folding is held up; it goes on when this has passed", reason=str(problem))
                await _pause(stop, _AGAIN_S)
                continue
            except QuarantineLimitError as problem:
                await self._wait_for_people(stop, problem)
                continue
            self._tries, self._tried_next_s = 0, None
            if self._phase != "stopping":
                self._phase, self._trouble = "folding", None
            if not events:
                await _pause(stop, self._rhythm.look_s)

    async def _wait_for_people(self, stop: asyncio.Event, problem: QuarantineLimitError) -> None:
        """Wait before reading the same records again: by then somebody may have decided about them."""
        wait_s = self._again.wait_s(self._tries)
        self._tried_next_s = asyncio.get_running_loop().time() + wait_s
        if self._phase != "stopping":
            self._phase, self._trouble = "trouble", str(problem)
        _log.error("folding waits for a decision", reason=str(problem), tries=self._tries, again_in_s=wait_s)
        await _pause(stop, wait_s)
        self._tries += 1

    async def _watch(self) -> None:
        assert self._watchdog is not None  # run() made it
        now_s = asyncio.get_running_loop().time
        while True:
            behind: int | None = None
            try:
                async with asyncio.timeout(self._rhythm.stall_s):
                    ends = await self._source.ends()
            except (MesswerkError, TimeoutError) as problem:
                _log.warning("the lag is not known", reason=str(problem))
            else:
                self._lag = lag(ends, self._runner.positions)
                self._tell_lag(max(self._lag.values(), default=0))
                # Whatever waits for people is no stall.
                behind = 0 if self._tried_next_s is not None else waiting(self._lag, self._runner.stopped)
            self._watchdog.see(
                Sighting(folded=sum(self._runner.positions.values()), read=self._source.records_read, behind=behind),
                now_s(),
            )
            still_s = self._watchdog.still_s(now_s())
            if still_s >= 2 * self._rhythm.stall_s:
                raise StalledError(
                    f"nothing was folded for {still_s:.0f} s although {behind if behind is not None else 'unknown'} "
                    f"events wait ({self._trouble or 'no error was seen'}). This process ends so that its supervisor "
                    "starts it anew; look at broker and tables if that repeats"
                )
            if still_s >= self._rhythm.stall_s:
                _log.error("no progress", still_s=round(still_s), behind=behind, trouble=self._trouble)
            _log.debug("lag", events=self._lag)
            await asyncio.sleep(self._rhythm.watch_s)


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
