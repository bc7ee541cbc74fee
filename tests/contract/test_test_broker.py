"""The tests' own broker behaves as the failure tests suppose."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from tests.support.kafka import KafkaBroker, running_broker

pytestmark = pytest.mark.kafka


async def _make_topic(broker: KafkaBroker) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=broker.bootstrap)
    await admin.start()
    await admin.create_topics([NewTopic("events", 1, 1)])
    await admin.close()


async def _produce(broker: KafkaBroker, *values: bytes) -> None:
    async with AIOKafkaProducer(bootstrap_servers=broker.bootstrap, enable_idempotence=True) as producer:
        for value in values:
            await producer.send_and_wait("events", value)


async def _end(broker: KafkaBroker) -> int:
    async with AIOKafkaConsumer(bootstrap_servers=broker.bootstrap) as consumer:
        partition = TopicPartition("events", 0)
        ends = await consumer.end_offsets([partition])
        return int(ends[partition])


async def test_killed_broker_keeps_what_it_acknowledged_and_a_wiped_one_nothing(tmp_path: Path) -> None:
    """A broker killed and started again on its port has every acknowledged record; wiped, it has no topic."""
    with running_broker(tmp_path) as broker:
        await _make_topic(broker)
        await _produce(broker, b"one", b"two")
        broker.kill()
        broker.start()
        assert await _end(broker) == 2

        broker.stop()
        broker.wipe()
        broker.start()
        await _make_topic(broker)
        assert await _end(broker) == 0
