"""What the forwarder needs of a topic. ``kafka_sink`` has it over brokers; simulations have one in memory.

A position in a topic is evidence of what was shipped, never the position of an event: that is ``(source, seq)``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from uuid import UUID

import msgspec

from schemas.errors import MesswerkError
from schemas.log import StoredEvent


class SinkUnreachableError(MesswerkError):
    """The brokers did not answer in time, or went away; trying again is all there is to do."""


class SinkRefusedError(MesswerkError):
    """The brokers answered that they will not take it; somebody has to change something, here or there."""


class Place(msgspec.Struct, frozen=True):
    """Where a record lies: cluster, topic and partition, and its offset there."""

    cluster: str
    topic: str
    partition: int
    offset: int


class Shipped(msgspec.Struct, frozen=True):
    """An event that lies in the topic."""

    seq: int
    id: UUID
    place: Place


class TopicView(msgspec.Struct, frozen=True, kw_only=True):
    """What a topic's partition holds of one source.

    place: the partition, with the offset that its next record would get.
    begin: first offset that is still there; retention moves it up.
    newest: the last record of this source; None when there is none.
    at: the record of this source at the offset that was asked about; None when it is not there.
    """

    place: Place
    begin: int
    newest: Shipped | None
    at: Shipped | None


class Sink(ABC):
    """One topic, for the events of one source. All methods raise the two errors above."""

    @abstractmethod
    async def open(self) -> None:
        """Connect. A sink that raised is closed and opened again before it is used further."""

    @abstractmethod
    async def look(self, source: str, marked: Place | None) -> TopicView:
        """Tell what the topic holds of a source; ``marked`` is where its last known record was put."""

    @abstractmethod
    async def since(self, source: str, place: Place) -> Sequence[Shipped]:
        """Every record of a source that lies at ``place`` or behind it, in order. Call :meth:`look` first."""

    @abstractmethod
    async def send(self, events: Sequence[StoredEvent]) -> Sequence[Shipped]:
        """Append a prefix of ``events``, at least one, in order; return it once every replica has it.

        When it raises, none, some or all may have been appended. Call :meth:`look` first, once after opening.
        """

    @abstractmethod
    async def close(self) -> None:
        """Let go of connections; never raises for brokers that are away."""
