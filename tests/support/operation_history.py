"""What a distributed installation did and what must be true of it, whatever befell its parts.

Gathering is from outside: what daemons told when their logs acknowledged it, the logs' files, a plain consumer
over the topic, rows of every table. The checker is :meth:`History.broken_laws`; it knows of no fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
from aiokafka import AIOKafkaConsumer, TopicPartition
from daemons import Acknowledged
from forwarding_topic import PARTITIONS, arguments_for

from daemon.log import SqliteReader
from projections.embedded import open_embedded
from projections.pace import Pace
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.contract import Store
from schemas.definitions import Definitions
from schemas.envelope import decode_envelope
from schemas.errors import DecodeError
from schemas.events import AttemptCompleted, RequestSent, RunPlanned, decode_event
from schemas.log import LogReader, StoredEvent
from tests.support.kafka import KafkaBroker

Rows = Sequence[tuple[str, ...]]
Tables = Mapping[str, Rows]

TABLES = tuple(table for projection in PROJECTIONS for table in projection.tables)
_SHOWN = 3


class Lying(msgspec.Struct, frozen=True):
    """One record as a plain consumer found it."""

    partition: int
    offset: int
    key: str
    raw: bytes


class History(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is held against the laws; mappings are by source, rows by table.

    acknowledged: positions and ids that logs have told. logs: what lies in them. topic: None when there is none,
    or when it has been made anew. grown: rows of the tables under trial, ``FINAL``; clean: those of a rebuild.
    ended: whether the last daemon of every source has ended in order, so that nothing may be open.
    """

    acknowledged: Mapping[str, Sequence[Acknowledged]]
    logs: Mapping[str, Sequence[StoredEvent]]
    topic: Sequence[Lying] | None
    grown: Tables
    clean: Tables
    ended: bool = True

    def broken_laws(self) -> list[str]:
        """Return each law that does not hold, with the first places where it does not; empty when all hold."""
        found = [*self._lost(), *self._attempts(), *self._tables()]
        if self.topic is not None:
            found += self._shipped(self.topic)
        return found

    def since_first_event(self) -> History:
        """Leave out what lies in the topic before the first event of each source.

        A topic made anew may begin with a batch that was sent before its loss was noticed; everything comes after.
        """
        begun: set[str] = set()
        kept = []
        for each in self.topic or ():
            if _seq(each.raw) == 1:
                begun.add(each.key)
            if each.key in begun:
                kept.append(each)
        return msgspec.structs.replace(self, topic=kept)

    def _lost(self) -> list[str]:
        found = []
        for source, told in self.acknowledged.items():
            lying = {stored.envelope.seq: stored.envelope.id for stored in self.logs.get(source, ())}
            lost = [each.seq for each in told if lying.get(each.seq) != each.id]
            if lost:
                found.append(f"{source}: acknowledged and not in the log: {lost[:_SHOWN]}")
            if len({each.seq for each in told}) != len(told):
                found.append(f"{source}: a position was acknowledged twice")
            if sorted(lying) != list(range(1, len(lying) + 1)):
                found.append(f"{source}: positions of the log have gaps")
        return found

    def _attempts(self) -> list[str]:
        found = []
        for source, log in self.logs.items():
            known = [event for stored in log if (event := _known(stored)) is not None]
            sent = Counter(event.attempt for event in known if isinstance(event, RequestSent))
            ended = Counter(event.attempt for event in known if isinstance(event, AttemptCompleted))
            planned = {each.attempt for event in known if isinstance(event, RunPlanned) for each in event.attempts}
            if any(count > 1 for count in sent.values()):
                found.append(f"{source}: an attempt was sent twice")
            if any(count > 1 for count in ended.values()):
                found.append(f"{source}: an attempt was completed twice")
            if ended.keys() - sent.keys() - planned:
                found.append(f"{source}: an attempt was completed that nobody planned")
            if self.ended and (left := (sent.keys() | planned) - ended.keys()):
                found.append(f"{source}: {len(left)} attempts were never completed")
        return found

    def _shipped(self, topic: Sequence[Lying]) -> list[str]:
        """Hold the topic against the log as a reader by position would: all events, in order, the very bytes."""
        found = []
        for source, log in self.logs.items():
            own = [(each, seq) for each in topic if each.key == source and (seq := _seq(each.raw)) is not None]
            if len({each.partition for each, _ in own}) > 1:
                found.append(f"{source}: its events lie in several partitions")
            reached = 0
            for each, seq in own:
                if seq > reached + 1:
                    found.append(f"{source}: the topic has event {seq} after {reached}")
                    break
                if seq > len(log) or each.raw != log[seq - 1].raw:
                    found.append(f"{source}: the topic has other bytes at event {seq} than the log")
                    break
                reached = max(reached, seq)
            else:
                if reached != len(log):
                    found.append(f"{source}: the topic ends at event {reached}, the log at {len(log)}")
        return found

    def _tables(self) -> list[str]:
        found = []
        for table in TABLES:
            grown, clean = self.grown[table.name], self.clean[table.name]
            keys = [table.row.__struct_fields__.index(name) for name in table.order_by]
            counted = Counter(tuple(row[key] for key in keys) for row in grown)
            if doubled := [key for key, count in counted.items() if count > 1]:
                found.append(f"table {table.name} has rows twice: {doubled[:_SHOWN]}")
            if grown != clean:
                only = sorted(set(grown) ^ set(clean))
                found.append(
                    f"table {table.name} has {len(grown)} rows, a clean rebuild {len(clean)}; only in one: {only[:2]}"
                )
        return found


def _known(stored: StoredEvent) -> object:
    try:
        return decode_event(stored.envelope)
    except DecodeError:
        return None  # of a version that this build cannot read


def _seq(raw: bytes) -> int | None:
    try:
        return decode_envelope(raw).seq
    except DecodeError:
        return None  # garbage belongs to nobody


def log_content(log: Path) -> Sequence[StoredEvent]:
    """Read a whole log."""
    with closing(SqliteReader(log)) as reader:
        return reader.read_after(0, limit=10_000_000)


async def topic_content(broker: KafkaBroker, topic: str) -> list[Lying]:
    """Read a whole topic with a plain consumer, partition by partition."""
    consumer = AIOKafkaConsumer(**arguments_for(broker), auto_offset_reset="earliest", enable_auto_commit=False)
    await consumer.start()
    found: list[Lying] = []
    try:
        places = [TopicPartition(topic, number) for number in range(PARTITIONS)]
        consumer.assign(places)
        ends = await consumer.end_offsets(places)
        await consumer.seek_to_beginning(*places)
        while any([await consumer.position(place) < ends[place] for place in places]):
            for records in (await consumer.getmany(timeout_ms=500)).values():
                found += [
                    Lying(each.partition, each.offset, (each.key or b"").decode(), each.value) for each in records
                ]
    finally:
        await consumer.stop()
    return sorted(found, key=lambda each: (each.partition, each.offset))


async def table_content(store: Store) -> Tables:
    """Every row of every folded table under ``FINAL``, ordered by its whole content."""
    found: dict[str, Rows] = {}
    for table in TABLES:
        columns = ", ".join(entry.name for entry in table.columns)
        rows = await store.select(f"SELECT {columns} FROM {table.name} FINAL ORDER BY {', '.join(table.order_by)}")
        found[table.name] = sorted(tuple(map(repr, row)) for row in rows.rows)
    return found


async def clean_content(directory: Path, logs: Sequence[LogReader]) -> Tables:
    """Fold logs into empty tables, one after the other, and return what that makes."""
    async with open_embedded(directory, Definitions()) as tables:
        for log in logs:
            runner = Runner(tables.store, PROJECTIONS, Definitions(), pace=Pace())
            await runner.open()
            await runner.fold_available(LogSource(log))
        return await table_content(tables.store)
