"""What the Kafka source needs of a client: records, a place to remember offsets, and word of rebalances.

The one over aiokafka is in ``projections/kafka/client.py``; tests have one in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

import msgspec

from projections.kafka.membership import Member


class Record(msgspec.Struct, frozen=True, gc=False):
    """One record as it lies in the topic."""

    partition: int
    offset: int
    key: bytes | None
    value: bytes | None


class Remembered(msgspec.Struct, frozen=True):
    """An offset that the group remembers, with the text that was left beside it."""

    offset: int
    note: str


Rebalanced = Callable[[Collection[int]], Awaitable[None]]
"""Is told the partitions that were taken away or given."""


class Carrier(ABC):
    """One member's access to one topic. Every method raises :class:`projections.errors.SourceUnreachableError`."""

    topic: str

    @property
    @abstractmethod
    def group(self) -> str | None:
        """Name of the group; None for a reader of everything."""

    @abstractmethod
    async def start(self, *, revoked: Rebalanced, assigned: Rebalanced) -> None:
        """Join. Partitions that are given deliver nothing before :meth:`seek`."""

    @abstractmethod
    async def members(self) -> Collection[Member]:
        """Return the members of the group, this one included if it has joined; none without a group."""

    @abstractmethod
    async def check(self) -> None:
        """Raise what keeps this member out of its group, as soon as the broker has said so."""

    @abstractmethod
    async def poll(self, *, timeout_s: float, limit: int) -> Sequence[Record]:
        """Return records that follow in each partition that was sought; empty when none came in time.

        Raises :class:`OffsetsLostError` when a partition no longer has the offset that comes next.
        """

    @abstractmethod
    def seek(self, partition: int, offset: int) -> None:
        """Deliver a partition from this offset on."""

    @abstractmethod
    async def bounds(self, partitions: Collection[int]) -> Mapping[int, tuple[int, int]]:
        """First offset that is there and the offset after the last one, by partition."""

    @abstractmethod
    async def position(self, partition: int) -> int:
        """Offset that will be delivered next; goes past what carries no event."""

    @abstractmethod
    async def remembered(self, partitions: Collection[int]) -> Mapping[int, Remembered]:
        """Return what the group remembers of these partitions."""

    @abstractmethod
    async def remember(self, offsets: Mapping[int, Remembered]) -> None:
        """Replace what the group remembers. Refused without an error once a partition is another member's."""

    @abstractmethod
    async def look(self, partition: int, begin: int, end: int) -> Sequence[Record]:
        """Read records of a stretch, beside and without any effect on :meth:`poll`."""

    @abstractmethod
    async def close(self) -> None:
        """Leave the group and the broker."""


class OffsetsLostError(Exception):
    """The topic no longer has what comes next: it was cut off, or made anew."""

    def __init__(self, partitions: Collection[int]) -> None:
        super().__init__(f"partitions {sorted(partitions)}")
        self.partitions = frozenset(partitions)
