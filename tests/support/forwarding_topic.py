"""Topics of one's own on a real broker, and a plain consumer that says what lies in them."""

from __future__ import annotations

from contextlib import suppress
from uuid import uuid4

from aiokafka import AIOKafkaConsumer, TopicPartition

from daemon.forwarding.access import ClientArguments
from daemon.forwarding.topic import make_topic
from schemas.configuration import KafkaTable
from schemas.envelope import decode_envelope
from tests.support.kafka import KafkaBroker

PARTITIONS = 3


def arguments_for(broker: KafkaBroker) -> ClientArguments:
    """Return what clients of a test broker are given."""
    return {"bootstrap_servers": broker.bootstrap, "client_id": "test", "security_protocol": "PLAINTEXT"}


def table_for(broker: KafkaBroker, *, topic: str | None = None, message_bytes: int = 2_000_000) -> KafkaTable:
    """Describe a topic that no other test uses."""
    return KafkaTable(
        bootstrap=(broker.bootstrap,),
        topic=topic or f"t-{uuid4()}",
        partitions=PARTITIONS,
        message_bytes=message_bytes,
    )


async def made_topic(broker: KafkaBroker, **wanted: int) -> KafkaTable:
    """Make a topic of one's own."""
    table = table_for(broker, **wanted)  # type: ignore[arg-type]
    assert await make_topic(arguments_for(broker), table)
    return table


async def lying_in(broker: KafkaBroker, topic: str, source: str) -> list[tuple[int, bytes]]:
    """Read a whole topic with a plain consumer: position and bytes of a source's events, in the order of offsets."""
    found: list[tuple[int, bytes]] = []
    consumer = AIOKafkaConsumer(**arguments_for(broker), auto_offset_reset="earliest", enable_auto_commit=False)
    await consumer.start()
    try:
        for partition in (TopicPartition(topic, number) for number in range(PARTITIONS)):
            consumer.assign([partition])
            end = (await consumer.end_offsets([partition]))[partition]
            await consumer.seek_to_beginning(partition)
            while await consumer.position(partition) < end:
                records = (await consumer.getmany(partition, timeout_ms=500)).get(partition, [])
                own = (each.value for each in records if each.key == source.encode())
                found += [(decode_envelope(value).seq, value) for value in own]
    finally:
        with suppress(TimeoutError):
            await consumer.stop()
    return found


def delivered(records: list[tuple[int, bytes]]) -> list[bytes]:
    """Return what a reader by ``(source, seq)`` gets: duplicates dropped, and a gap is a failure."""
    got: list[bytes] = []
    for seq, raw in records:
        if seq <= len(got):
            assert got[seq - 1] == raw, f"event {seq} came twice with different bytes"
            continue
        assert seq == len(got) + 1, f"event {seq} came after {len(got)}: a gap"
        got.append(raw)
    return got
