"""The sink over aiokafka: an idempotent producer, one batch in flight, and a look at what the topic holds.

One batch at a time is what keeps the order beyond doubt: nothing can pass a batch that is being tried again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import (
    AuthenticationFailedError,
    AuthenticationMethodNotSupported,
    ClusterAuthorizationFailedError,
    KafkaError,
    MessageSizeTooLargeError,
    RecordListTooLargeError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)
from aiokafka.partitioner import DefaultPartitioner

from daemon.forwarding.access import ClientArguments
from daemon.forwarding.sink import Place, Shipped, Sink, SinkRefusedError, SinkUnreachableError, TopicView
from schemas.envelope import decode_envelope
from schemas.errors import DecodeError
from schemas.kafka_clients import worded
from schemas.log import StoredEvent

BATCH_BYTES: Final = 1024 * 1024
"""Of uncompressed events in one request; some 600 ordinary ones. An event over it travels alone."""

_WITHIN_S: Final = 30.0
_CLOSING_S: Final = 3.0
_RECORD_OVERHEAD_BYTES: Final = 1024
_FIRST_STRETCH: Final = 500
_LONGEST_STRETCH: Final = 50_000
_GUARD: Final = 5
_REFUSALS: Final = (
    AuthenticationFailedError,
    AuthenticationMethodNotSupported,
    ClusterAuthorizationFailedError,
    TopicAuthorizationFailedError,
)


class KafkaSink(Sink):
    """One topic. ``message_bytes``: the largest event, as the topic is made for; ``within_s``: patience per call."""

    def __init__(
        self, arguments: ClientArguments, topic: str, *, message_bytes: int, within_s: float = _WITHIN_S
    ) -> None:
        self._arguments = arguments
        self._topic = topic
        self._message_bytes = message_bytes
        self._within_s = within_s
        self._producer: AIOKafkaProducer | None = None
        self._consumer: AIOKafkaConsumer | None = None
        self._at: Place | None = None

    async def open(self) -> None:
        """See :class:`Sink`."""
        await self.close()
        async with self._told("connect"):
            self._producer = AIOKafkaProducer(
                enable_idempotence=True,
                acks="all",
                compression_type="zstd",
                max_batch_size=min(BATCH_BYTES, self._message_bytes),
                max_request_size=self._message_bytes + _RECORD_OVERHEAD_BYTES,
                request_timeout_ms=int(self._within_s * 1000),
                **self._arguments,
            )
            await self._producer.start()
            self._consumer = AIOKafkaConsumer(
                enable_auto_commit=False,
                auto_offset_reset="none",
                max_partition_fetch_bytes=self._message_bytes,
                **self._arguments,
            )
            await self._consumer.start()

    async def look(self, source: str, marked: Place | None) -> TopicView:
        """See :class:`Sink`."""
        async with self._told("look into the topic"):
            cluster, partitions = await self._describe()
            if marked is not None and marked.partition in partitions and marked.cluster == cluster:
                # More partitions than before would move the source to another one, and its order would be nobody's.
                number = marked.partition
            else:
                number = DefaultPartitioner()(source.encode(), partitions, partitions)
            partition = TopicPartition(self._topic, number)
            begin = (await self._reading.beginning_offsets([partition]))[partition]
            end = (await self._reading.end_offsets([partition]))[partition]
            self._at = Place(cluster, self._topic, number, end)
            self._reading.assign([partition])
            newest, at = await self._find(source, partition, begin, end, marked)
        return TopicView(place=self._at, begin=begin, newest=newest, at=at)

    async def since(self, source: str, place: Place) -> Sequence[Shipped]:
        """See :class:`Sink`."""
        async with self._told("look into the topic"):
            partition = TopicPartition(self._topic, place.partition)
            end = (await self._reading.end_offsets([partition]))[partition]
            return await self._stretch(source, partition, place.offset, end)

    async def send(self, events: Sequence[StoredEvent]) -> Sequence[Shipped]:
        """See :class:`Sink`."""
        place = self._at
        if place is None:
            raise SinkUnreachableError("the topic was not looked into since it was opened")
        batch = self._writing.create_batch()
        taken: list[StoredEvent] = []
        for stored in events:
            self._require_fit(stored)
            # Without a time of its own a record has that of its sending: retention counts from there, so that a
            # log brought in later does not leave again at once.
            appended = batch.append(key=stored.envelope.source.encode(), value=stored.raw, timestamp=None)
            if appended is None:
                break
            taken.append(stored)
        async with self._told(f"send event {taken[0].envelope.seq} and on"):
            delivered = await self._writing.send_batch(batch, self._topic, partition=place.partition)
            done = await delivered
        if done.offset < 0:
            # The broker had it already and does not say where: look for it.
            raise SinkUnreachableError("the broker acknowledged a repeated batch without its place")
        return [
            Shipped(
                each.envelope.seq,
                each.envelope.id,
                Place(place.cluster, place.topic, place.partition, done.offset + count),
            )
            for count, each in enumerate(taken)
        ]

    async def close(self) -> None:
        """See :class:`Sink`."""
        self._at = None
        producer, self._producer = self._producer, None
        consumer, self._consumer = self._consumer, None
        if producer is not None:
            await _end_producer(producer)
        if consumer is not None:
            with suppress(KafkaError, OSError, TimeoutError):
                await asyncio.wait_for(consumer.stop(), _CLOSING_S)

    @property
    def _writing(self) -> AIOKafkaProducer:
        if self._producer is None:
            raise SinkUnreachableError("the topic is not open")
        return self._producer

    @property
    def _reading(self) -> AIOKafkaConsumer:
        if self._consumer is None:
            raise SinkUnreachableError("the topic is not open")
        return self._consumer

    def _require_fit(self, stored: StoredEvent) -> None:
        if len(stored.raw) > self._message_bytes:
            raise SinkRefusedError(
                f"event {stored.envelope.seq} ({stored.envelope.type}) has {len(stored.raw)} bytes; message_bytes "
                f"is {self._message_bytes}: raise it in messwerk.toml, [kafka], and max.message.bytes of topic "
                f"{self._topic!r} to the same; no event is passed over"
            )

    async def _describe(self) -> tuple[str, list[int]]:
        admin = AIOKafkaAdminClient(**self._arguments)
        try:
            await admin.start()
            cluster = str((await admin.describe_cluster()).get("cluster_id"))
            (topic,) = await admin.describe_topics([self._topic])
        finally:
            await admin.close()
        if topic["error_code"] == UnknownTopicOrPartitionError.errno or not topic["partitions"]:
            raise SinkRefusedError(f"there is no topic {self._topic!r}: `messwerk kafka init` makes it")
        return cluster, sorted(each["partition"] for each in topic["partitions"])

    async def _find(
        self, source: str, partition: TopicPartition, begin: int, end: int, marked: Place | None
    ) -> tuple[Shipped | None, Shipped | None]:
        """Return the newest record of a source, and the one at the mark, reading backwards from the end."""
        at = None
        if marked is not None and begin <= marked.offset < end and self._at is not None:
            found = await self._stretch(source, partition, marked.offset, marked.offset + 1)
            at = found[-1] if found else None
        stretch, until = _FIRST_STRETCH, end
        while until > begin:
            since = max(begin, until - stretch)
            if found := await self._stretch(source, partition, since, until):
                return found[-1], at
            until, stretch = since, min(2 * stretch, _LONGEST_STRETCH)
        return None, at

    async def _stretch(self, source: str, partition: TopicPartition, since: int, until: int) -> list[Shipped]:
        assert self._at is not None
        reading = self._reading
        reading.seek(partition, since)
        key, idle = source.encode(), 0
        found: list[Shipped] = []
        while await reading.position(partition) < until:
            records = (await reading.getmany(partition, timeout_ms=1000, max_records=1000)).get(partition, [])
            idle = 0 if records else idle + 1
            if idle == _GUARD:
                raise SinkUnreachableError(f"topic {self._topic!r} gave no records between {since} and {until}")
            own = (each for each in records if each.offset < until and each.key == key)
            found += [shipped for each in own if (shipped := self._shipped(source, each)) is not None]
        return found

    def _shipped(self, source: str, record: Any) -> Shipped | None:  # noqa: ANN401  # aiokafka's record is untyped
        try:
            envelope = decode_envelope(record.value or b"")
        except DecodeError:
            return None  # somebody else's under our key; readers put it into quarantine
        if envelope.source != source:
            return None
        assert self._at is not None
        place = Place(self._at.cluster, self._topic, record.partition, record.offset)
        return Shipped(envelope.seq, envelope.id, place)

    @asynccontextmanager
    async def _told(self, what: str) -> AsyncIterator[None]:
        where = f"Kafka at {self._arguments['bootstrap_servers']}, topic {self._topic!r}"
        try:
            async with asyncio.timeout(self._within_s):
                yield
        except (MessageSizeTooLargeError, RecordListTooLargeError) as problem:
            raise SinkRefusedError(
                f"{where}: the broker refuses the size to {what}: set max.message.bytes of the topic to at least "
                f"{self._message_bytes} (`messwerk kafka check` says how); no event is passed over"
            ) from problem
        except (TimeoutError, OSError) as problem:
            raise SinkUnreachableError(
                f"{where}: no answer within {self._within_s:g} s to {what} ({worded(problem)})"
            ) from problem
        except KafkaError as problem:
            text = f"{where}: could not {what}: {worded(problem)}"
            kind = SinkRefusedError if isinstance(problem, _REFUSALS) else SinkUnreachableError
            raise kind(text) from problem


async def _end_producer(producer: AIOKafkaProducer) -> None:
    """Stop a producer whose brokers may be away.

    Its own stop waits for batches that nobody will answer, without end, and leaves a task behind that does so. What
    arrived of them, the topic tells.
    """
    waiting = producer._message_accumulator  # noqa: SLF001  # nothing public tells what waits
    if not waiting._pending_batches and not any(waiting._batches.values()):  # noqa: SLF001  # the same
        with suppress(KafkaError, OSError, TimeoutError):
            await asyncio.wait_for(producer.stop(), _CLOSING_S)
            return
    producer._closed = True  # noqa: SLF001  # what its own stop says first
    for close in (producer._sender.close, producer.client.close):  # noqa: SLF001  # nothing public ends it
        with suppress(KafkaError, OSError, TimeoutError):
            await asyncio.wait_for(close(), _CLOSING_S)
