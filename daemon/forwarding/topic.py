"""The topic itself: making it as ``[kafka]`` says, and saying where an existing one differs and what to do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, UnknownTopicOrPartitionError, for_code

from daemon.forwarding.access import ClientArguments
from daemon.forwarding.sink import SinkRefusedError, SinkUnreachableError
from schemas.configuration import KafkaTable
from schemas.kafka_clients import worded

_WITHIN_S: Final = 30.0
_DAY_MS: Final = 24 * 3600 * 1000


def topic_settings(table: KafkaTable) -> Mapping[str, str]:
    """Return the topic's own settings, by Kafka's names."""
    return {
        "cleanup.policy": "delete",
        "retention.ms": str(table.retention_days * _DAY_MS),
        "min.insync.replicas": str(table.min_insync_replicas),
        "max.message.bytes": str(table.message_bytes),
        # Retention counts from when the broker took a record, so a log brought in late stays as long as any.
        "message.timestamp.type": "LogAppendTime",
    }


async def make_topic(arguments: ClientArguments, table: KafkaTable) -> bool:
    """Make the topic; False when it is there already, whatever it looks like."""
    async with _admin(arguments) as admin:
        settings = dict(topic_settings(table))
        answer = await admin.create_topics(
            [NewTopic(table.topic, table.partitions, table.replication, topic_configs=settings)]
        )
        for name, code, *more in answer.topic_errors:
            error = for_code(code)
            if error is TopicAlreadyExistsError:
                return False
            if code:
                told = next((each for each in more if each), error.__name__)
                raise SinkRefusedError(
                    f"the brokers would not make topic {name!r} ({table.partitions} partitions, replication "
                    f"{table.replication}): {told}; replication can be at most the number of brokers"
                )
    return True


async def look_at_topic(arguments: ClientArguments, table: KafkaTable) -> list[str]:
    """Return what differs from ``[kafka]``, each with what to do; empty when nothing does."""
    async with _admin(arguments) as admin:
        (topic,) = await admin.describe_topics([table.topic])
        if topic["error_code"] == UnknownTopicOrPartitionError.errno:
            return [f"there is no topic {table.topic!r}: `messwerk kafka init` makes it"]
        found = await _settings(admin, table.topic)
    return [*_layout_differences(topic, table), *_setting_differences(found, table)]


def _layout_differences(topic: Mapping[str, Any], table: KafkaTable) -> list[str]:
    differences = []
    partitions = len(topic["partitions"])
    replication = min((len(each["replicas"]) for each in topic["partitions"]), default=0)
    if partitions != table.partitions:
        differences.append(
            f"topic {table.topic!r} has {partitions} partitions, messwerk.toml says {table.partitions}: set "
            f"partitions = {partitions} there. Do not add partitions to a topic in use: sources would move"
        )
    if replication != table.replication:
        differences.append(
            f"topic {table.topic!r} has replication {replication}, messwerk.toml says {table.replication}: set it "
            "there, or move the partitions with kafka-reassign-partitions.sh"
        )
    return differences


def _setting_differences(found: Mapping[str, str], table: KafkaTable) -> list[str]:
    differences = []
    for name, wanted in topic_settings(table).items():
        if found.get(name) != wanted:
            differences.append(
                f"topic {table.topic!r} has {name} = {found.get(name)}, messwerk.toml wants {wanted}: "
                f"kafka-configs.sh --bootstrap-server {table.bootstrap[0]} --alter --entity-type topics "
                f"--entity-name {table.topic} --add-config {name}={wanted}"
            )
    return differences


async def _settings(admin: AIOKafkaAdminClient, topic: str) -> Mapping[str, str]:
    (answer,) = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
    ((code, told, _kind, _name, entries),) = answer.resources
    if code:
        raise SinkRefusedError(f"the settings of topic {topic!r} cannot be read: {told or for_code(code).__name__}")
    return {entry[0]: entry[1] for entry in entries}


@asynccontextmanager
async def _admin(arguments: ClientArguments) -> AsyncIterator[AIOKafkaAdminClient]:
    where = f"Kafka at {arguments['bootstrap_servers']}"
    try:
        async with asyncio.timeout(_WITHIN_S):
            admin = AIOKafkaAdminClient(**arguments)
            try:
                await admin.start()
                yield admin
            finally:
                await admin.close()
    except (TimeoutError, OSError) as problem:
        raise SinkUnreachableError(
            f"{where}: no answer within {_WITHIN_S:g} s; look at bootstrap and security in messwerk.toml, [kafka]"
        ) from problem
    except KafkaError as problem:
        raise SinkUnreachableError(
            f"{where}: {worded(problem)}; look whether it runs, and at bootstrap, security, ca_file and password in "
            "messwerk.toml, [kafka]"
        ) from problem
