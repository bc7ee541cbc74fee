"""Bytes in the topic that are no event, events of tomorrow's types and of tomorrow's versions, among real ones."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from aiokafka import AIOKafkaProducer
from daemons import wait_until
from forwarding_topic import arguments_for, made_topic
from installation import installation
from made_events import NOON, MadeLog, endpoint
from msgspec import Raw
from operation_history import History, clean_content, table_content, topic_content

from projections.embedded import open_running_or_embedded
from projections.quarantine import read_quarantine
from schemas.definitions import Definitions
from schemas.log import StoredEvent
from tests.support.kafka import KafkaBroker

pytestmark = [pytest.mark.kafka, pytest.mark.clickhouse, pytest.mark.timeout(300)]

GARBAGE = b"\xff\x00 no event"


def made(source: str) -> MadeLog:
    log = MadeLog(source)
    log.open(endpoint())
    for hour in range(6):
        log.run(NOON + timedelta(hours=3 * hour), {}, {"failure_kind": "overloaded"})
    return log


class Prefix(MadeLog):
    """A log as far as it can be folded."""

    def __init__(self, log: MadeLog, end: int) -> None:
        super().__init__(log.source)
        self.events: list[StoredEvent] = log.events[:end]


async def test_what_cannot_be_read_stops_no_one_else(tmp_path: Path, kafka_broker: KafkaBroker) -> None:
    """Garbage is kept, an unknown type passed over, an unknown version stops its source; all else is folded."""
    plain, newer, ahead = (made(name) for name in ("plain", "newer-types", "newer-versions"))
    newer.add_raw("moon-phase-seen", 1, Raw(msgspec.msgpack.encode({"phase": "full"})))
    newer.run(NOON + timedelta(days=2), {})
    foldable = ahead.last_seq()
    ahead.add_raw("attempt-completed", 99, Raw(msgspec.msgpack.encode({})))
    ahead.run(NOON + timedelta(days=2), {})
    kafka = await made_topic(kafka_broker)
    async with AIOKafkaProducer(**arguments_for(kafka_broker)) as producer:
        for log in (ahead, newer, plain):
            for stored in log.events:
                await producer.send_and_wait(kafka.topic, stored.raw, key=log.source.encode())
                if stored.envelope.seq % 11 == 0:
                    await producer.send_and_wait(kafka.topic, GARBAGE, key=log.source.encode())
    logs = [plain, newer, Prefix(ahead, foldable)]
    wanted = {log.source: len(log.events) for log in logs}
    with installation(tmp_path, kafka_broker, kafka, "http://127.0.0.1:1") as one:
        one.members.have(1)
        async with open_running_or_embedded(one.members.paths.tables, Definitions()) as tables:
            async with asyncio.timeout(100):
                while await one.members.positions() != wanted:  # noqa: ASYNC110  # others make it true
                    await asyncio.sleep(0.3)
            grown, kept = await table_content(tables.store), await read_quarantine(tables.store)
        said = one.members.said.read_text
        await asyncio.to_thread(wait_until, lambda: "attempt-completed" in said() and "99" in said(), "it is told")
        one.members.have(0)
    lying = await topic_content(kafka_broker, kafka.topic)
    assert {bytes.fromhex(row.bytes) for row in kept} == {GARBAGE}
    assert len(kept) == sum(each.raw == GARBAGE for each in lying) > 3
    history = History(
        acknowledged={},
        logs={log.source: log.events for log in (plain, newer, ahead)},
        topic=lying,
        grown=grown,
        clean=await clean_content(tmp_path / "clean", logs),
    )
    assert not history.broken_laws()
