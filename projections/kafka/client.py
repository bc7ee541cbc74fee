"""The carrier over aiokafka: the only module of the read side that knows that library."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec
from aiokafka import (
    AIOKafkaConsumer,
    ConsumerRebalanceListener,
    OffsetAndMetadata,
    TopicPartition,
)
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import (
    CommitFailedError,
    GroupCoordinatorNotAvailableError,
    GroupLoadInProgressError,
    IllegalStateError,
    KafkaError,
    NotCoordinatorForGroupError,
    OffsetOutOfRangeError,
    for_code,
)

from projections.errors import SourceUnreachableError
from projections.kafka.advice import advice
from projections.kafka.carrier import Carrier, OffsetsLostError, Rebalanced, Record, Remembered
from projections.kafka.membership import Member
from schemas.kafka_clients import worded

_SESSION_MS: Final = 15_000
_HEARTBEAT_MS: Final = 3_000
_WORK_MS: Final = 600_000
_LOOK_IDLE: Final = 5
_COORDINATOR_LOOKS: Final = 120
_COORDINATOR_LOOK_S: Final = 0.5
_COORDINATOR_COMES: Final = (
    GroupCoordinatorNotAvailableError,
    GroupLoadInProgressError,
    NotCoordinatorForGroupError,
)


class KafkaAccess(msgspec.Struct, frozen=True, kw_only=True):
    """How to reach a topic. ``client`` is passed to every aiokafka client: addresses, TLS, SASL.

    client_id: what the group's members see of this one; empty for the one in ``client``.
    """

    topic: str
    client: Mapping[str, str | int | ssl.SSLContext | None]
    fetch_bytes: int = 4 * 1024 * 1024
    client_id: str = ""


class AiokafkaCarrier(Carrier):
    """A member of ``group``; without one, a reader of the whole topic who leaves no trace."""

    def __init__(self, access: KafkaAccess, group: str | None) -> None:
        self.topic = access.topic
        self._access = access
        self._group = group
        self._consumer: AIOKafkaConsumer | None = None
        self._looker: AIOKafkaConsumer | None = None
        self._admin: AIOKafkaAdminClient | None = None
        self._looking = asyncio.Lock()

    async def start(self, *, revoked: Rebalanced, assigned: Rebalanced) -> None:
        """See :class:`Carrier`."""
        if self._group is None:
            # Below, the topic is named at once, which gives all of its partitions. A topic that is not there
            # would be asked for again and again, most of a minute, before that fails.
            async with self._told("look"):
                await self._check_topic(await self._open_looker())
        consumer = self._make_consumer(self._group, *([] if self._group else [self.topic]))
        async with self._told("join"):
            try:
                await consumer.start()
                if self._group is None:
                    consumer.pause(*consumer.assignment())
                else:
                    await self._check_topic(consumer)
                    consumer.subscribe([self.topic], listener=_Listener(consumer, revoked, assigned))
            except BaseException:
                await consumer.stop()
                raise
        self._consumer = consumer
        if self._group is None:
            await assigned([place.partition for place in consumer.assignment()])

    async def members(self) -> Collection[Member]:
        """See :class:`Carrier`."""
        if self._group is None:
            return ()
        async with self._told("ask for the group's members"):
            admin = await self._open_admin()
            for waited in range(_COORDINATOR_LOOKS):
                try:
                    return await _described(admin, self._group)
                except _COORDINATOR_COMES:
                    # A broker that has just started makes or loads what groups are kept in.
                    if waited + 1 == _COORDINATOR_LOOKS:
                        raise
                    await asyncio.sleep(_COORDINATOR_LOOK_S)
        raise AssertionError("the last look returns or raises")

    async def check(self) -> None:
        """See :class:`Carrier`."""
        if self._group is not None:
            async with self._told("join"):
                self._live._coordinator.check_errors()  # noqa: SLF001  # nothing public tells before records come

    async def poll(self, *, timeout_s: float, limit: int) -> Sequence[Record]:
        """See :class:`Carrier`."""
        async with self._told("read"):
            try:
                found = await self._live.getmany(timeout_ms=int(timeout_s * 1000), max_records=limit)
            except OffsetOutOfRangeError as lost:
                raise OffsetsLostError([each.partition for each in lost.args[0]]) from lost
        return [_record(each) for records in found.values() for each in records]

    def seek(self, partition: int, offset: int) -> None:
        """See :class:`Carrier`."""
        place = TopicPartition(self.topic, partition)
        try:
            self._live.seek(place, offset)
            self._live.resume(place)
        except IllegalStateError:
            pass  # taken away this moment; whoever asked is told by the listener

    async def bounds(self, partitions: Collection[int]) -> Mapping[int, tuple[int, int]]:
        """See :class:`Carrier`."""
        if not partitions:
            return {}
        places = [TopicPartition(self.topic, number) for number in sorted(partitions)]
        async with self._told("ask for offsets"):
            begins = await self._live.beginning_offsets(places)
            ends = await self._live.end_offsets(places)
        return {place.partition: (begins[place], ends[place]) for place in places}

    async def position(self, partition: int) -> int:
        """See :class:`Carrier`."""
        async with self._told("ask for a position"):
            try:
                return int(await self._live.position(TopicPartition(self.topic, partition)))
            except IllegalStateError:  # taken away this moment
                return 0

    async def remembered(self, partitions: Collection[int]) -> Mapping[int, Remembered]:
        """See :class:`Carrier`."""
        if self._group is None:
            return {}
        async with self._told("ask for the group's offsets"):
            found = await (await self._open_admin()).list_consumer_group_offsets(self._group)
        return {
            place.partition: Remembered(kept.offset, kept.metadata or "")
            for place, kept in found.items()
            if place.topic == self.topic and place.partition in partitions and kept.offset >= 0
        }

    async def remember(self, offsets: Mapping[int, Remembered]) -> None:
        """See :class:`Carrier`."""
        if self._group is None:
            return
        async with self._told("leave the group's offsets"):
            try:
                await self._live.commit(
                    {
                        TopicPartition(self.topic, number): OffsetAndMetadata(each.offset, each.note)
                        for number, each in offsets.items()
                    }
                )
            except (CommitFailedError, IllegalStateError):
                return  # the group is being divided anew; the offset is only a hint

    async def look(self, partition: int, begin: int, end: int) -> Sequence[Record]:
        """See :class:`Carrier`."""
        found: list[Record] = []
        place = TopicPartition(self.topic, partition)
        async with self._looking, self._told("look into the topic"):
            looker = await self._open_looker()
            looker.assign([place])
            looker.seek(place, begin)
            idle = 0
            while begin < end and idle < _LOOK_IDLE:
                got = (await looker.getmany(place, timeout_ms=1000)).get(place, [])
                idle = 0 if got else idle + 1
                found += [_record(each) for each in got if each.offset < end]
                begin = int(await looker.position(place))
        return found

    async def close(self) -> None:
        """See :class:`Carrier`."""
        if self._consumer is not None:
            await self._consumer.stop()
        if self._looker is not None:
            await self._looker.stop()
        if self._admin is not None:
            await self._admin.close()

    @property
    def _live(self) -> AIOKafkaConsumer:
        if self._consumer is None:
            raise SourceUnreachableError(f"topic {self.topic!r} was not opened for reading")
        return self._consumer

    async def _open_admin(self) -> AIOKafkaAdminClient:
        if self._admin is None:
            admin = AIOKafkaAdminClient(**self._client_arguments())
            try:
                await admin.start()
            except BaseException:
                await admin.close()
                raise
            self._admin = admin
        return self._admin

    async def _open_looker(self) -> AIOKafkaConsumer:
        if self._looker is None:
            looker = self._make_consumer(None)
            try:
                await looker.start()
            except BaseException:
                await looker.stop()
                raise
            self._looker = looker
        return self._looker

    def _make_consumer(self, group: str | None, *topics: str) -> AIOKafkaConsumer:
        return AIOKafkaConsumer(
            *topics,
            group_id=group,
            enable_auto_commit=False,
            auto_offset_reset="none",
            session_timeout_ms=_SESSION_MS,
            heartbeat_interval_ms=_HEARTBEAT_MS,
            max_poll_interval_ms=_WORK_MS,
            max_partition_fetch_bytes=self._access.fetch_bytes,
            **self._client_arguments(),
        )

    async def _check_topic(self, consumer: AIOKafkaConsumer) -> None:
        if self.topic not in await consumer.topics():
            raise SourceUnreachableError(f"there is no topic {self.topic!r}: `messwerk kafka init` makes it")

    def _client_arguments(self) -> dict[str, Any]:
        own = {"client_id": self._access.client_id} if self._access.client_id else {}
        return {**self._access.client, **own}

    @property
    def group(self) -> str | None:
        """See :class:`Carrier`."""
        return self._group

    @asynccontextmanager
    async def _told(self, what: str) -> AsyncIterator[None]:
        try:
            yield
        except (KafkaError, OSError, TimeoutError) as problem:
            user = str(self._access.client.get("sasl_plain_username") or "")
            todo = advice(problem, user=user, group=self._group, session_ms=_SESSION_MS)
            raise SourceUnreachableError(
                f"could not {what} at Kafka ({self._access.client.get('bootstrap_servers')}, topic {self.topic!r}): "
                f"{worded(problem)}. {todo}"
            ) from problem


async def _described(admin: AIOKafkaAdminClient, group: str) -> Collection[Member]:
    (answer,) = await admin.describe_consumer_groups([group])
    (found,) = answer.to_object()["groups"]
    if found["error_code"]:
        raise for_code(found["error_code"])(group)
    return [Member(each["client_id"], each["client_host"].lstrip("/")) for each in found["members"]]


class _Listener(ConsumerRebalanceListener):  # type: ignore[misc]  # aiokafka has no types
    def __init__(self, consumer: AIOKafkaConsumer, revoked: Rebalanced, assigned: Rebalanced) -> None:
        self._consumer = consumer
        self._revoked = revoked
        self._assigned = assigned

    async def on_partitions_revoked(self, revoked: Collection[TopicPartition]) -> None:
        await self._revoked([place.partition for place in revoked])

    async def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> None:
        # Nothing is delivered before the checkpoints have said from where.
        self._consumer.pause(*assigned)
        await self._assigned([place.partition for place in assigned])


def _record(found: Any) -> Record:  # noqa: ANN401  # aiokafka's record is untyped here
    return Record(found.partition, found.offset, found.key, found.value)
