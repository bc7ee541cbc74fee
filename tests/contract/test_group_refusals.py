"""What a member of a group is told, and how soon, when a real broker keeps it out."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from forwarding_topic import arguments_for, made_topic

from projections.errors import SourceUnreachableError
from projections.kafka.client import AiokafkaCarrier, KafkaAccess
from projections.kafka.membership import client_id
from projections.kafka.source import KafkaSource
from tests.support.kafka import running_broker

pytestmark = pytest.mark.kafka


async def test_a_broker_that_has_just_started_is_waited_for(tmp_path: Path) -> None:
    """The first member of the first group of a new broker joins, however long that takes to keep groups."""
    with running_broker(tmp_path / "kafka") as broker:
        kafka = await made_topic(broker)
        access = KafkaAccess(topic=kafka.topic, client=arguments_for(broker), client_id=client_id("here"))
        source = KafkaSource(AiokafkaCarrier(access, "readers"), "here")
        await source.open()
        assert len(source.partitions) == kafka.partitions
        await source.close()


async def test_a_group_that_the_broker_refuses_is_told_at_once(tmp_path: Path) -> None:
    """What a broker has against a member is raised as soon as it is said, with what to change, not after a minute."""
    with running_broker(tmp_path / "kafka", settings=("group.max.session.timeout.ms=9000",)) as broker:
        kafka = await made_topic(broker)
        source = KafkaSource(AiokafkaCarrier(KafkaAccess(topic=kafka.topic, client=arguments_for(broker)), "readers"))
        async with asyncio.timeout(20):
            with pytest.raises(SourceUnreachableError, match=r"InvalidSessionTimeoutError.*group\.max\.session"):
                await source.open()
        await source.close()
