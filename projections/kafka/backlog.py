"""What was read of one partition and is not folded yet. Pure.

It gives events out again until the runner's positions say that they are folded, so a batch that could not be
written is simply given again, without asking the broker.

A writer whose topic was made anew sends its log again from the start, and a batch that was on its way lies
before that. So an event that does not follow is held until the rest of the partition was looked through: only
if what is missing does not come later is it given out, and shows the runner a gap.
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


class _Waiting(msgspec.Struct, gc=False):
    offset: int
    item: StoredEvent | Undecodable
    given: bool = False


class Backlog:
    """One partition between broker and runner."""

    def __init__(self, start: Start) -> None:
        self._waiting: deque[_Waiting] = deque()
        self._passed = dict(start.passed)
        self._dropped: dict[str, int] = {}
        self._reached: dict[str, int] = {}
        self._gaps: dict[str, _Waiting] = {}
        self._shown: dict[str, int] = {}
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
            if not self._follows(offset, item, positions):
                return
        self._waiting.append(_Waiting(offset, item))

    def show_gaps(self) -> None:
        """Give out what does not follow, the partition having been read to its end."""
        for source, gap in self._gaps.items():
            self._waiting.append(gap)
            self._shown[source] = gap.item.envelope.seq if isinstance(gap.item, StoredEvent) else 0
            self._hold_back(gap.offset)
        self._gaps.clear()

    def settle(self, positions: Mapping[str, int], stopped: frozenset[str], kept: frozenset[str]) -> None:
        """Let go of what is folded, of what is ``kept`` in quarantine, and of sources that were stopped."""
        waiting = self._waiting
        for source in stopped & self._gaps.keys():
            self._hold_back(self._gaps.pop(source).offset)
        if stopped and any(_source(each.item) in stopped for each in waiting):
            for each in waiting:
                if _source(each.item) in stopped:
                    self._hold_back(each.offset)
            self._waiting = waiting = deque(each for each in waiting if _source(each.item) not in stopped)
        while waiting and waiting[0].given and _is_done(waiting[0].item, positions, kept):
            item = waiting.popleft().item
            if isinstance(item, StoredEvent):
                self._pass(item.envelope.source, item.envelope.seq)

    def is_behind(self, positions: Mapping[str, int]) -> bool:
        """Tell whether the runner wants events again that were let go: it has to be read again."""
        return any(positions.get(source, 0) < seq for source, seq in self._dropped.items()) or any(
            # Somebody declared lost what was missing; what came behind the gap was not kept.
            positions.get(source, 0) >= seq
            for source, seq in self._shown.items()
        )

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
        needed = [self._next_offset, *(gap.offset for gap in self._gaps.values())]
        if self._waiting:
            needed.append(self._waiting[0].offset)
        if self._held_back is not None:
            needed.append(self._held_back)
        return Remembered(min(needed), note(self._passed))

    def _follows(self, offset: int, item: StoredEvent, positions: Mapping[str, int]) -> bool:
        """Tell whether an event follows those of its source that were read; keep the first one that does not."""
        source, seq = item.envelope.source, item.envelope.seq
        reached = max(self._reached.get(source, 0), positions.get(source, 0))
        if seq > reached + 1:
            self._gaps.setdefault(source, _Waiting(offset, item))
            return False
        self._reached[source] = max(reached, seq)
        if seq == reached + 1:
            self._gaps.pop(source, None)
        return True

    def _hold_back(self, offset: int) -> None:
        self._held_back = offset if self._held_back is None else min(offset, self._held_back)

    def _pass(self, source: str, seq: int) -> None:
        self._passed[source] = max(seq, self._passed.get(source, 0))
        self._dropped[source] = max(seq, self._dropped.get(source, 0))


def _source(item: StoredEvent | Undecodable) -> str | None:
    return item.envelope.source if isinstance(item, StoredEvent) else None


def _is_done(item: StoredEvent | Undecodable, positions: Mapping[str, int], kept: frozenset[str]) -> bool:
    if isinstance(item, Undecodable):
        return item.name in kept
    return item.envelope.seq <= positions.get(item.envelope.source, 0)
