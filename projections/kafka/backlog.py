"""What was read of one partition and is not folded yet. Pure.

It gives events out again until the runner's positions say that they are folded, so a batch that could not be
written is simply given again, without asking the broker.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from projections.kafka.carrier import Remembered
from projections.kafka.places import Start, note
from projections.source import Undecodable
from schemas.log import StoredEvent

NEAR: Final = 1000
"""Duplicates this close behind a position are given out too, for the runner to compare their identifiers."""


class _Waiting(msgspec.Struct):
    offset: int
    item: StoredEvent | Undecodable
    given: bool = False


class Backlog:
    """One partition between broker and runner."""

    def __init__(self, start: Start) -> None:
        self._waiting: deque[_Waiting] = deque()
        self._passed = dict(start.passed)
        self._dropped: dict[str, int] = {}
        self._next_offset = start.offset
        self._held_back: int | None = None

    def __len__(self) -> int:
        """Count what waits."""
        return len(self._waiting)

    def add(self, offset: int, item: StoredEvent | Undecodable, positions: Mapping[str, int]) -> None:
        """Take the next record; a duplicate from far behind is not kept."""
        self._next_offset = offset + 1
        if isinstance(item, StoredEvent):
            envelope = item.envelope
            if envelope.seq < positions.get(envelope.source, 0) - NEAR:
                if not self._waiting:
                    self._pass(envelope.source, envelope.seq)
                return
        self._waiting.append(_Waiting(offset, item))

    def settle(self, positions: Mapping[str, int], stopped: frozenset[str], kept: frozenset[str]) -> None:
        """Let go of what is folded, of what is ``kept`` in quarantine, and of sources that were stopped."""
        waiting = self._waiting
        if stopped and any(_source(each.item) in stopped for each in waiting):
            for each in waiting:
                if _source(each.item) in stopped and self._held_back is None:
                    self._held_back = each.offset
            self._waiting = waiting = deque(each for each in waiting if _source(each.item) not in stopped)
        while waiting and waiting[0].given and _is_done(waiting[0].item, positions, kept):
            item = waiting.popleft().item
            if isinstance(item, StoredEvent):
                self._pass(item.envelope.source, item.envelope.seq)

    def is_behind(self, positions: Mapping[str, int]) -> bool:
        """Tell whether the runner wants events again that were let go: it has to be read again."""
        return any(positions.get(source, 0) < seq for source, seq in self._dropped.items())

    def fresh(self, positions: Mapping[str, int]) -> Iterator[StoredEvent]:
        """Events that are to be folded, and near duplicates once, in order. Marks them as given."""
        for each in self._waiting:
            if isinstance(each.item, Undecodable):
                each.given = True
                continue
            envelope = each.item.envelope
            if not each.given or envelope.seq > positions.get(envelope.source, 0):
                each.given = True
                yield each.item

    def has_fresh(self, positions: Mapping[str, int]) -> bool:
        """Tell whether anything waits that is not folded."""
        return any(
            isinstance(each.item, StoredEvent)
            and each.item.envelope.seq > positions.get(each.item.envelope.source, 0)
            for each in self._waiting
        )

    def undecodable(self) -> list[Undecodable]:
        """Return what is no event, in order."""
        return [each.item for each in self._waiting if isinstance(each.item, Undecodable)]

    def remembered(self) -> Remembered:
        """Offset before which nothing is needed any more, with its note."""
        offset = self._waiting[0].offset if self._waiting else self._next_offset
        if self._held_back is not None:
            offset = min(offset, self._held_back)
        return Remembered(offset, note(self._passed))

    def _pass(self, source: str, seq: int) -> None:
        self._passed[source] = max(seq, self._passed.get(source, 0))
        self._dropped[source] = max(seq, self._dropped.get(source, 0))


def _source(item: StoredEvent | Undecodable) -> str | None:
    return item.envelope.source if isinstance(item, StoredEvent) else None


def _is_done(item: StoredEvent | Undecodable, positions: Mapping[str, int], kept: frozenset[str]) -> bool:
    if isinstance(item, Undecodable):
        return item.name in kept
    return item.envelope.seq <= positions.get(item.envelope.source, 0)
