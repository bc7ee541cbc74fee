"""Reads a log into gathered pairs: from the beginning of the longest window to a position, in small batches.

Events are dropped as soon as they were fed; what is kept between looks is the pairs alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from daemon.history import LogHistory, stored_of_type
from daemon.integrity.gathered import Gathered
from daemon.integrity.observing import FiguresOf
from daemon.integrity.pairing import Pairing
from daemon.integrity.parameters import IntegrityParameters
from daemon.integrity.standing import Standing, standing
from schemas.cases import cases_of
from schemas.envelope import Envelope
from schemas.events import (
    AttemptCompleted,
    CatalogueDeclared,
    Event,
    IntegrityDecided,
    IntegritySuspected,
    RequestSent,
    RunPlanned,
    decode_event,
)
from schemas.log import StoredEvent

_BATCH: Final = 500
_MARGIN_NS: Final = 24 * 3_600 * 1_000_000_000
"""A wall clock that was set back by less than this hides no run from a window."""

_READ: Final = frozenset({CatalogueDeclared.TYPE, RunPlanned.TYPE, RequestSent.TYPE, AttemptCompleted.TYPE})


class Gathering:
    """Follows a log from the first look on, so that each later one reads a day and not a fortnight."""

    def __init__(self, log: LogHistory, figures_of: FiguresOf, parameters: IntegrityParameters) -> None:
        self.gathered = Gathered()
        self._log = log
        self._pairing = Pairing(figures_of, round(parameters.max_start_skew_ms * 1e6))
        self._seq: int | None = None

    def read(self, start_ns: int, upto_seq: int, between: Callable[[], None] = lambda: None) -> None:
        """Gather what began at ``start_ns`` or later and was completed up to a position; forget what began before.

        between: called between batches. What it raises, or what is raised while an event is fed, ends the reading,
            and this object with it.
        """
        if self._seq is None:
            self._seq = self._begin(start_ns, upto_seq)
        while self._seq < upto_seq:
            between()
            batch = self._log.read_after(self._seq, limit=min(_BATCH, upto_seq - self._seq))
            if not batch:
                break
            for stored in batch:
                self._feed(stored)
                self._seq = stored.envelope.seq
        self.gathered.forget_before(start_ns)

    def _feed(self, stored: StoredEvent) -> None:
        if stored.envelope.type not in _READ:
            return
        event = decode_event(stored.envelope)
        if event is not None:
            for found in self._pairing.feed(stored.envelope.seq, event):
                self.gathered.add(found)

    def _begin(self, start_ns: int, upto_seq: int) -> int:
        """Find the position before the first event that matters, and what was declared then."""
        seq = position_before(self._log, start_ns - _MARGIN_NS, upto_seq)
        declared = _newest_before(self._log, seq)
        if declared is not None:
            self._feed(declared)
        return seq


def position_before(log: LogHistory, wall_ns: int, upto_seq: int) -> int:
    """Return the last position of which the wall time is before ``wall_ns``; 0 where there is none.

    Wall times are taken to rise with positions; where a clock was set back, what is found may lie a little early
    or late.
    """
    low, high = 0, upto_seq
    while low < high:
        middle = (low + high + 1) // 2
        found = log.read_after(middle - 1, limit=1)
        if found and found[0].envelope.wall_ns < wall_ns:
            low = middle
        else:
            high = middle - 1
    return low


def standing_before(log: LogHistory, seq: int) -> Standing:
    """Return which endpoints have an open case as of the events before a position."""
    kinds = (IntegritySuspected.TYPE, IntegrityDecided.TYPE)
    return standing(cases_of(each for kind in kinds for each in _before(log, kind, seq)).values())


def _before(log: LogHistory, kind: str, seq: int) -> Iterator[tuple[Envelope, Event]]:
    for stored in stored_of_type(log, kind):
        if stored.envelope.seq >= seq:
            return
        event = decode_event(stored.envelope)
        if event is not None:
            yield stored.envelope, event


def _newest_before(log: LogHistory, seq: int) -> StoredEvent | None:
    """Return the newest catalogue up to a position: each start declares one, so it is among the last few."""
    limit = 1
    while True:
        recent = log.tail(limit, kind=CatalogueDeclared.TYPE)
        earlier = [stored for stored in recent if stored.envelope.seq <= seq]
        if earlier:
            return earlier[-1]
        if len(recent) < limit:
            return None
        limit *= 2
