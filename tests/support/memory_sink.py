"""A topic in memory for forwarders: made anew, cut off, away or refusing at will, with several writers."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.forwarding.sink import Place, Shipped, Sink, SinkUnreachableError, TopicView
from schemas.envelope import decode_envelope
from schemas.log import StoredEvent


class MemoryShelf:
    """One partition. ``away`` refuses every call; ``lose_acknowledgement`` takes the next batch and then fails."""

    def __init__(self) -> None:
        self.records: list[tuple[str, bytes]] = []
        self.begin = 0
        self.cluster = "memory"
        self.away = False
        self.lose_acknowledgement = False
        self.largest_batch = 3

    def expire(self, until: int) -> None:
        """Move the first offset up, as retention does."""
        self.begin = until


class MemorySink(Sink):
    """A forwarder's access to a shelf."""

    def __init__(self, shelf: MemoryShelf) -> None:
        self._shelf = shelf
        self._open = False

    async def open(self) -> None:
        self._require()
        self._open = True

    async def look(self, source: str, marked: Place | None) -> TopicView:
        self._require()
        shelf = self._shelf
        own = [
            self._shipped(offset, raw)
            for offset, (key, raw) in enumerate(shelf.records)
            if offset >= shelf.begin and key == source
        ]
        at = next((each for each in own if marked is not None and each.place.offset == marked.offset), None)
        return TopicView(
            place=self._place(len(shelf.records)), begin=shelf.begin, newest=own[-1] if own else None, at=at
        )

    async def since(self, source: str, place: Place) -> Sequence[Shipped]:
        self._require()
        return [
            self._shipped(offset, raw)
            for offset, (key, raw) in enumerate(self._shelf.records)
            if offset >= place.offset and key == source
        ]

    async def send(self, events: Sequence[StoredEvent]) -> Sequence[Shipped]:
        self._require()
        if not self._open:
            raise SinkUnreachableError("not open")
        taken = events[: self._shelf.largest_batch]
        offset = len(self._shelf.records)
        self._shelf.records += [(each.envelope.source, each.raw) for each in taken]
        if self._shelf.lose_acknowledgement:
            self._shelf.lose_acknowledgement = False
            self._open = False
            raise SinkUnreachableError("gone before the acknowledgement")
        return [self._shipped(offset + count, each.raw) for count, each in enumerate(taken)]

    async def close(self) -> None:
        self._open = False

    def _require(self) -> None:
        if self._shelf.away:
            raise SinkUnreachableError("away")

    def _place(self, offset: int) -> Place:
        return Place(self._shelf.cluster, "memory", 0, offset)

    def _shipped(self, offset: int, raw: bytes) -> Shipped:
        envelope = decode_envelope(raw)
        return Shipped(envelope.seq, envelope.id, self._place(offset))
