"""A topic in memory with groups, for tests of what reads it: partitions, offsets, rebalances, no network."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from zlib import crc32

from projections.kafka.carrier import Carrier, OffsetsLostError, Rebalanced, Record, Remembered
from projections.kafka.membership import Member
from schemas.log import StoredEvent


class MemoryTopic:
    """Records by partition. ``begins`` moves up when old records are cut off."""

    def __init__(self, partitions: int = 3) -> None:
        self.records: dict[int, list[Record]] = {number: [] for number in range(partitions)}
        self.begins: dict[int, int] = dict.fromkeys(self.records, 0)
        self.remembered: dict[str, dict[int, Remembered]] = {}
        self.members: dict[str, list[MemoryCarrier]] = {}

    def partition_of(self, source: str) -> int:
        """Return the partition in which a source lives."""
        return crc32(source.encode()) % len(self.records)

    def send(self, source: str, value: bytes) -> None:
        """Append a record."""
        partition = self.partition_of(source)
        self.records[partition].append(Record(partition, len(self.records[partition]), source.encode(), value))

    def send_events(self, events: Sequence[StoredEvent]) -> None:
        """Append events under their sources."""
        for stored in events:
            self.send(stored.envelope.source, stored.raw)

    async def divide(self, group: str) -> None:
        """Give each partition to one member, after telling everybody what they lose."""
        members = self.members.get(group, [])
        for member in members:
            lost, member.given = list(member.given), {}
            await member.revoked(lost)
        for place, member in enumerate(members):
            member.given = {number: None for number in self.records if number % len(members) == place}
            await member.assigned(list(member.given))


class MemoryCarrier(Carrier):
    """One member of a group, or a reader of everything without one."""

    topic = "memory"

    def __init__(self, topic: MemoryTopic, group: str | None = None, client_id: str = "") -> None:
        self._topic = topic
        self._group = group
        self.client_id = client_id
        self.given: dict[int, int | None] = {}

    async def start(self, *, revoked: Rebalanced, assigned: Rebalanced) -> None:
        self.revoked, self.assigned = revoked, assigned
        if self._group is None:
            self.given = dict.fromkeys(self._topic.records)
            await assigned(list(self.given))
        else:
            self._topic.members.setdefault(self._group, []).append(self)
            await self._topic.divide(self._group)

    @property
    def group(self) -> str | None:
        return self._group

    async def members(self) -> Collection[Member]:
        return [Member(each.client_id, "memory") for each in self._topic.members.get(self._group or "", [])]

    async def check(self) -> None:
        pass

    async def poll(self, *, timeout_s: float, limit: int) -> Sequence[Record]:  # noqa: ARG002  # nothing to wait for
        await asyncio.sleep(0)
        found: list[Record] = []
        for partition, offset in self.given.items():
            if offset is None:
                continue
            if offset < self._topic.begins[partition] or offset > len(self._topic.records[partition]):
                raise OffsetsLostError([partition])
            more = self._topic.records[partition][offset : offset + limit - len(found)]
            self.given[partition] = offset + len(more)
            found += more
        return found

    def seek(self, partition: int, offset: int) -> None:
        if partition in self.given:
            self.given[partition] = offset

    async def bounds(self, partitions: Collection[int]) -> Mapping[int, tuple[int, int]]:
        return {number: (self._topic.begins[number], len(self._topic.records[number])) for number in partitions}

    async def position(self, partition: int) -> int:
        return self.given.get(partition) or 0

    async def remembered(self, partitions: Collection[int]) -> Mapping[int, Remembered]:
        kept = self._topic.remembered.get(self._group or "", {})
        return {number: each for number, each in kept.items() if number in partitions}

    async def remember(self, offsets: Mapping[int, Remembered]) -> None:
        if self._group is not None:
            self._topic.remembered.setdefault(self._group, {}).update(offsets)

    async def look(self, partition: int, begin: int, end: int) -> Sequence[Record]:
        return self._topic.records[partition][begin:end]

    async def close(self) -> None:
        if self._group is not None and self in self._topic.members.get(self._group, []):
            self._topic.members[self._group].remove(self)
            self.given = {}
            await self._topic.divide(self._group)
