"""One contract over every source of events: the local log, a topic in memory, a topic of a real broker."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from made_events import MadeLog
from memory_topic import MemoryCarrier, MemoryTopic

from daemon.log import InlineLog, SqliteReader
from daemon.log.segments import SegmentsReader, seal
from projections.archives import ArchivedSource
from projections.errors import GroupTakenError
from projections.kafka.client import AiokafkaCarrier, KafkaAccess
from projections.kafka.membership import client_id
from projections.kafka.source import KafkaSource
from projections.source import EventSource, LogSource
from schemas.clocks import SystemClock
from schemas.events import FirstToken
from schemas.log import StoredEvent
from tests.support.kafka import KafkaBroker


def events(source: str, count: int, begin: int = 0) -> list[StoredEvent]:
    """Small events of one source, the same ones each time."""
    log = MadeLog(source)
    for number in range(begin + count):
        log.add(FirstToken(attempt=UUID(int=number), channel="answer", elapsed_us=number))
    return log.events[begin:]


async def everything(source: EventSource, positions: dict[str, int] | None = None) -> list[StoredEvent]:
    """Read as a runner does, until the end; duplicates are dropped as a runner drops them."""
    reached = dict(positions or {})
    found: list[StoredEvent] = []
    while batch := await source.read_after(reached, limit=3):
        for stored in batch:
            envelope = stored.envelope
            if envelope.seq > reached.get(envelope.source, 0):
                assert envelope.seq == reached.get(envelope.source, 0) + 1
                reached[envelope.source] = envelope.seq
                found.append(stored)
    return found


class EventSourceContract(ABC):
    """What a runner relies on. ``opened`` gives a source over ten events of ``lab``."""

    @pytest.fixture
    @abstractmethod
    async def opened(self, request: pytest.FixtureRequest) -> AsyncIterator[EventSource]: ...

    async def test_all_events_come_in_order(self, opened: EventSource) -> None:
        """Read from nothing, every event comes once, in order, with its identifier."""
        found = await everything(opened)
        assert [stored.envelope.seq for stored in found] == list(range(1, 11))
        assert len({stored.envelope.id for stored in found}) == 10

    async def test_reading_goes_on_behind_a_position(self, opened: EventSource) -> None:
        """What lies at or before a position is not wanted and does not come as if it were new."""
        found = await everything(opened, {"lab": 7})
        assert [stored.envelope.seq for stored in found] == [8, 9, 10]

    async def test_a_batch_that_was_not_folded_comes_again(self, opened: EventSource) -> None:
        """As long as the positions stay, the same events come, also after others were read."""
        first = await opened.read_after({}, limit=4)
        assert [stored.envelope.seq for stored in first] == [1, 2, 3, 4]
        assert await opened.read_after({}, limit=4) == first
        await opened.read_after({"lab": 4}, limit=4)
        assert list(await opened.read_after({}, limit=4))[:4] == list(first)

    async def test_the_end_is_empty(self, opened: EventSource) -> None:
        """Behind the newest event nothing comes."""
        await everything(opened)
        assert list(await opened.read_after({"lab": 10}, limit=5)) == []

    async def test_the_newest_position_is_known(self, opened: EventSource) -> None:
        """The ends are the newest position of each source, before and after reading."""
        assert await opened.ends() == {"lab": 10}
        await everything(opened)
        assert await opened.ends() == {"lab": 10}

    async def test_events_can_be_identified(self, opened: EventSource) -> None:
        """The event at a position is found by it, and where none is there is none."""
        found = await everything(opened)
        assert await opened.identify("lab", 4) == found[3].envelope.id
        assert await opened.identify("lab", 11) is None
        assert await opened.identify("elsewhere", 1) is None


class TestLog(EventSourceContract):
    @pytest.fixture
    async def opened(self, tmp_path: Path) -> AsyncIterator[EventSource]:
        path = tmp_path / "log" / "events.sqlite3"
        log = InlineLog(path, source="lab", clock=SystemClock())
        for number in range(10):
            await log.append(FirstToken(attempt=UUID(int=number), channel="answer", elapsed_us=number))
        await log.close()
        with closing(SqliteReader(path)) as reader:
            yield LogSource(reader)


class TestArchiveBeforeATopic(EventSourceContract):
    """Sealed segments reach to the sixth event, and the topic has lost the first four."""

    @pytest.fixture
    async def opened(self, tmp_path: Path) -> AsyncIterator[EventSource]:
        log = InlineLog(tmp_path / "events.sqlite3", source="lab", clock=SystemClock())
        for number in range(6):
            await log.append(FirstToken(attempt=UUID(int=number), channel="answer", elapsed_us=number))
        with closing(SqliteReader(tmp_path / "events.sqlite3")) as reader:
            seal(reader, tmp_path / "segments", now_ns=SystemClock().wall_ns(), force=True)
            for number in range(6, 10):
                await log.append(FirstToken(attempt=UUID(int=number), channel="answer", elapsed_us=number))
            topic = MemoryGroup()
            await topic.send_events(reader.read_after(4, limit=100))
        await log.close()
        live = await topic.member(None)
        with closing(SegmentsReader(tmp_path / "segments")) as sealed:
            yield ArchivedSource([sealed], live)
        await live.close()


class Group(ABC):
    """A topic and its group, whatever serves it."""

    @abstractmethod
    async def member(self, group: str | None = "readers", tables: str | None = None) -> KafkaSource: ...

    @abstractmethod
    async def send(self, source: str, *values: bytes) -> None: ...

    async def send_events(self, stored: Sequence[StoredEvent]) -> None:
        for each in stored:
            await self.send(each.envelope.source, each.raw)


class MemoryGroup(Group):
    def __init__(self) -> None:
        self.topic = MemoryTopic()

    async def member(self, group: str | None = "readers", tables: str | None = None) -> KafkaSource:
        source = KafkaSource(MemoryCarrier(self.topic, group, client_id(tables) if tables else ""), tables)
        await source.open()
        return source

    async def send(self, source: str, *values: bytes) -> None:
        for value in values:
            self.topic.send(source, value)


class RealGroup(Group):
    def __init__(self, bootstrap: str, topic: str, producer: AIOKafkaProducer) -> None:
        self.access = KafkaAccess(topic=topic, client={"bootstrap_servers": bootstrap})
        self.producer = producer

    async def member(self, group: str | None = "readers", tables: str | None = None) -> KafkaSource:
        name = f"{self.access.topic}-{group}" if group else None
        access = msgspec.structs.replace(self.access, client_id=client_id(tables) if tables else "")
        source = KafkaSource(AiokafkaCarrier(access, name), tables)
        try:
            await source.open()
        except BaseException:
            await source.close()
            raise
        return source

    async def send(self, source: str, *values: bytes) -> None:
        for value in values:
            await self.producer.send_and_wait(self.access.topic, value=value, key=source.encode())


class SharedSourceContract(EventSourceContract):
    """What several readers of one topic rely on, beyond the contract of every source."""

    @pytest.fixture
    @abstractmethod
    async def group(self, request: pytest.FixtureRequest) -> AsyncIterator[Group]: ...

    @pytest.fixture
    async def member(self, group: Group) -> AsyncIterator[Callable[..., Awaitable[KafkaSource]]]:
        opened: list[KafkaSource] = []

        async def open_one(name: str | None = "readers", tables: str | None = None) -> KafkaSource:
            opened.append(await group.member(name, tables))
            return opened[-1]

        yield open_one
        for each in opened:
            await each.close()

    @pytest.fixture
    async def opened(self, group: Group, member: Callable[..., Awaitable[KafkaSource]]) -> EventSource:
        await group.send_events(events("lab", 10))
        return await member()

    async def test_a_reader_without_a_group_sees_everything(self, opened: EventSource, member: Any) -> None:
        """A reader beside the group reads the whole topic and leaves the group alone."""
        alone = await member(None)
        assert len(await everything(alone)) == 10
        assert len(await everything(opened)) == 10

    async def test_the_hint_is_used_when_it_is_behind(self, opened: EventSource, member: Any) -> None:
        """The next owner begins near the position, not at the beginning of the topic."""
        await everything(opened)
        await opened.read_after({"lab": 10}, limit=1)
        await opened.close()
        after = await member()
        assert await everything(after, {"lab": 10}) == []
        assert after.records_read == 0

    async def test_a_hint_ahead_of_the_checkpoints_is_not_believed(self, opened: EventSource, member: Any) -> None:
        """Tables that were emptied are folded from the beginning although the group's offset stands at the end."""
        await everything(opened)
        await opened.read_after({"lab": 10}, limit=1)
        await opened.close()
        after = await member()
        assert [stored.envelope.seq for stored in await everything(after, {"lab": 2})] == list(range(3, 11))

    async def test_duplicates_change_nothing(self, group: Group, opened: EventSource) -> None:
        """A stretch that was sent twice is read once."""
        await group.send_events(events("lab", 6, 4))
        await group.send_events(events("lab", 3, 10))
        assert [stored.envelope.seq for stored in await everything(opened)] == list(range(1, 14))

    async def test_bytes_without_an_envelope_are_told(self, group: Group, opened: EventSource) -> None:
        """Undecodable bytes stand in nobody's way, and stay told until they are kept somewhere."""
        await group.send("lab", b"garbage", b"\xc1")
        await group.send_events(events("lab", 1, 10))
        assert len(await everything(opened)) == 11
        told = opened.undecodable()
        assert [each.raw for each in told] == [b"garbage", b"\xc1"]
        assert [each.run for each in told] == [1, 2]
        assert {each.source for each in told} == {"lab"}
        opened.kept([each.name for each in told])
        assert not opened.undecodable()

    async def test_bytes_that_nobody_kept_are_told_to_the_next_owner(
        self, group: Group, opened: EventSource, member: Any
    ) -> None:
        """The remembered offset does not pass undecodable bytes before they are safe."""
        await group.send("lab", b"garbage")
        await everything(opened)
        await opened.read_after({"lab": 10}, limit=1)
        await opened.close()
        after = await member()
        await everything(after, {"lab": 10})
        assert [each.raw for each in after.undecodable()] == [b"garbage"]

    async def test_members_share_and_hand_over(self, group: Group, member: Any) -> None:
        """With 1, 3 and again 1 members each source has one reader at a time, and nothing is missing at the end."""
        names = [f"place-{number}" for number in range(9)]
        for name in names:
            await group.send_events(events(name, 4))
        first = await member()
        assert len(await everything(first)) == 36
        generation = first.generation
        others = [await member(), await member()]
        everybody = [first, *others]
        await settled(everybody)
        assert first.generation > generation
        held = [each.partitions for each in everybody]
        assert sorted(number for each in held for number in each) == [0, 1, 2]
        assert all(len(each) == 1 for each in held)
        for name in names:
            await group.send_events(events(name, 2, 4))
        folded = dict.fromkeys(names, 4)
        shares = [await everything(each, folded) for each in everybody]
        sources = [{stored.envelope.source for stored in share} for share in shares]
        assert sum(len(share) for share in shares) == 18
        assert len(set.union(*sources)) == 9 == sum(len(each) for each in sources)
        for each in others:
            await each.close()
        await settled([first])
        for name in names:
            await group.send_events(events(name, 1, 6))
        assert len(await everything(first, dict.fromkeys(names, 6))) == 9

    async def test_members_for_other_tables_are_refused(
        self, group: Group, member: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Who fills other tables cannot join, members for the same tables can, and another group is free."""
        monkeypatch.setattr("projections.kafka.membership._GHOST_S", 0.0)
        await group.send_events(events("lab", 4))
        first = await member("readers", "tables-1")
        with pytest.raises(GroupTakenError, match=r"is at work for other tables .*\[project\]"):
            await group.member("readers", "tables-2")
        await settled([first])
        second = await member("readers", "tables-1")
        await settled([first, second])
        elsewhere = await member("others", "tables-2")
        assert len(await everything(elsewhere)) == 4

    async def test_stopped_sources_hold_up_nobody(self, group: Group, member: Any) -> None:
        """A source that was stopped is read no further, the others are, and after a restart it comes again."""
        for name in ("one", "two", "three", "four", "five"):
            await group.send_events(events(name, 4))
        reader = await member()
        reader.stop_sources(["two"])
        found = await everything(reader)
        assert {stored.envelope.source for stored in found} == {"one", "three", "four", "five"}
        reached = dict.fromkeys(("one", "three", "four", "five"), 4)
        await reader.read_after(reached, limit=1)
        reader.stop_sources([])
        assert [stored.envelope.source for stored in await everything(reader, reached)] == ["two"] * 4
        await reader.close()


async def settled(members: Sequence[KafkaSource]) -> None:
    """Read until every partition has exactly one owner."""
    for _ in range(600):
        held = [number for each in members for number in each.partitions]
        if sorted(held) == [0, 1, 2]:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the group did not settle")


class TestTopicInMemory(SharedSourceContract):
    @pytest.fixture
    async def group(self) -> Group:
        return MemoryGroup()


@pytest.mark.kafka
class TestTopicOfABroker(SharedSourceContract):
    @pytest.fixture
    async def group(self, kafka_broker: KafkaBroker) -> AsyncIterator[Group]:
        topic = f"events-{uuid4().hex}"
        admin = AIOKafkaAdminClient(bootstrap_servers=kafka_broker.bootstrap)
        await admin.start()
        await admin.create_topics([NewTopic(topic, 3, 1)])
        await admin.close()
        producer = AIOKafkaProducer(bootstrap_servers=kafka_broker.bootstrap)
        await producer.start()
        yield RealGroup(kafka_broker.bootstrap, topic, producer)
        await producer.stop()
