"""The forwarder: reads a log in order, ships, and moves its mark after the acknowledgement.

No threads, no clock of its own and no library of Kafka's: a simulation plays it with a sink in memory.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Final, Protocol
from uuid import UUID

import structlog

from daemon.forwarding.marks import ForwardingState, Standing
from daemon.forwarding.resuming import Mark, SameSourceError, require_first, resume
from daemon.forwarding.sink import Place, Sink, SinkRefusedError, SinkUnreachableError
from schemas.clocks import Clock
from schemas.log import LogReader

BATCH: Final = 1000
"""Events read from the log at once; the sink takes as many of them as fit one request."""

_IDLE_S: Final = 0.2
_LOOK_AGAIN_NS: Final = 60 * 1_000_000_000
_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 60.0

_log = structlog.get_logger(__name__)

Pause = Callable[[float], Awaitable[None]]
"""Waits so many seconds, or less when the forwarder is to stop."""


class Marks(Protocol):
    """Where the mark is kept."""

    def read(self) -> Mark:
        """Return the last mark that was written."""

    def write(self, mark: Mark) -> None:
        """Keep a mark. Raises :class:`OSError` when the disk refuses."""


class Forwarder:
    """Ships one log into one topic. ``tell`` hears each change of how it fares."""

    def __init__(
        self,
        reader: LogReader,
        sink: Sink,
        marks: Marks,
        *,
        clock: Clock,
        pause: Pause,
        tell: Callable[[Standing], None] = lambda _standing: None,
        draw: random.Random | None = None,
    ) -> None:
        self._reader = reader
        self._sink = sink
        self._marks = marks
        self._clock = clock
        self._pause = pause
        self._tell = tell
        self._draw = draw or random.Random()  # noqa: S311  # spreads retries, keeps no secret
        self._mark = Mark()
        self._told: Standing | None = None
        self._unkept: str | None = None
        self._looked_ns = 0
        # Where the topic ended when it was opened; None once this life's first record was found to be nobody else's.
        self._opened_at: Place | None = None

    @property
    def mark(self) -> Mark:
        """The last event that is known to be shipped."""
        return self._mark

    async def run(self, stopped: Callable[[], bool]) -> None:
        """Forward until told to stop, through every absence of the brokers.

        Raises :class:`SameSourceError`, and what the log raises when it is damaged; then only people can help.
        """
        self._mark = self._marks.read()
        pause_s = _FIRST_PAUSE_S
        while not stopped():
            before = self._mark
            try:
                await self._sink.open()
                await self._begin(opened=True)
                await self._follow(stopped)
            except (SinkUnreachableError, SinkRefusedError) as problem:
                self._fares("waiting", str(problem))
            except SameSourceError as problem:
                self._fares("stopped", str(problem))
                raise
            finally:
                await self._sink.close()
            if stopped():
                return
            pause_s = _FIRST_PAUSE_S if self._mark != before else min(2 * pause_s, _LONGEST_PAUSE_S)
            await self._pause(pause_s * self._draw.uniform(0.5, 1.0))

    async def ship_all(self, until: int, progress: Callable[[int], None]) -> None:
        """Forward up to a position once; ``progress`` hears each position reached. Raises what the sink raises."""
        self._mark = self._marks.read()
        try:
            await self._sink.open()
            await self._begin(opened=True)
            progress(self._mark.seq)
            while self._mark.seq < until:
                await self._ship()
                progress(self._mark.seq)
        finally:
            await self._sink.close()

    async def _begin(self, *, opened: bool = False) -> None:
        view = await self._sink.look(self._reader.source, self._mark.place)
        if opened:
            self._opened_at = view.place
        found = resume(self._mark, view, self._identify, self._reader.source)
        self._looked_ns = self._clock.mono_ns()
        if found.reason in {"cut-off", "made-anew", "other-topic"}:
            _log.warning(
                "the topic does not hold what was forwarded to it; the log is forwarded again from there",
                topic=view.place.topic, how=found.reason, forwarded=self._mark.seq, again_after=found.mark.seq,
            )  # fmt: skip
        if found.mark != self._mark:
            self._keep(found.mark)

    async def _follow(self, stopped: Callable[[], bool]) -> None:
        while not stopped():
            if not await self._ship():
                await self._pause(_IDLE_S)
            self._fares("forwarding")
            if self._clock.mono_ns() - self._looked_ns >= _LOOK_AGAIN_NS:
                await self._begin()

    async def _ship(self) -> bool:
        events = self._reader.read_after(self._mark.seq, limit=BATCH)
        if not events:
            if self._mark.again:
                self._keep(Mark(seq=self._mark.seq, id=self._mark.id, place=self._mark.place))
            return False
        # The first record of a life goes alone, and what lies around it is read: that is where a second daemon of
        # this name, begun at the same moment, shows.
        opened_at, self._opened_at = self._opened_at, None
        shipped = await self._sink.send(events if opened_at is None else events[:1])
        first, last = shipped[0], shipped[-1]
        if opened_at is not None:
            lying = await self._sink.since(self._reader.source, opened_at)
            if require_first(first, lying, self._identify, self._reader.source):
                _log.warning("another daemon uses this name; this one was first", source=self._reader.source)
        before = self._mark.place
        if before is not None and not _follows(first.place, before):
            # Offsets only grow; one that fell is of another topic of the same name. Nothing of it is known.
            self._keep(Mark(again=True))
            _log.warning("the topic was made anew while events were sent; the log is forwarded again from its start")
            return True
        self._keep(Mark(seq=last.seq, id=last.id, place=last.place, again=self._mark.again))
        return True

    def _identify(self, seq: int) -> UUID | None:
        found = self._reader.read_after(seq - 1, limit=1)
        return found[0].envelope.id if found else None

    def _keep(self, mark: Mark) -> None:
        """Move the mark. A full disk does not hold up forwarding: the topic says where it went on."""
        self._mark = mark
        try:
            self._marks.write(mark)
        except OSError as problem:
            if self._unkept != str(problem):
                self._unkept = str(problem)
                _log.warning("the mark cannot be written; after a restart the topic is asked", reason=str(problem))
        else:
            self._unkept = None

    def _fares(self, state: ForwardingState, reason: str | None = None) -> None:
        told = self._told
        if told is not None and (told.state, told.reason) == (state, reason):
            return
        standing = Standing(state=state, since_ns=self._clock.wall_ns(), reason=reason)
        self._told = standing
        if state == "forwarding":
            _log.info("forwarding", source=self._reader.source, after=self._mark.seq)
        else:
            _log.warning("not forwarding; measuring goes on", state=state, reason=reason)
        self._tell(standing)


def _follows(place: Place, before: Place) -> bool:
    same = (place.cluster, place.topic, place.partition) == (before.cluster, before.topic, before.partition)
    return not same or place.offset > before.offset
