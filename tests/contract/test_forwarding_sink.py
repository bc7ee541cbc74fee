"""Every sink keeps the same promises: one in memory, for simulations, and a real topic of Apache Kafka."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest
from forwarding_topic import arguments_for, lying_in, made_topic
from made_events import NOON, MadeLog, endpoint
from memory_sink import MemoryShelf, MemorySink

from daemon.forwarding.kafka_sink import KafkaSink
from daemon.forwarding.sink import Sink, SinkRefusedError
from schemas.log import StoredEvent
from tests.support.kafka import KafkaBroker


def events_of(source: str, count: int) -> Sequence[StoredEvent]:
    log = MadeLog(source)
    for _ in range(count):
        log.declare(endpoint(), at=NOON)
    return log.events


@pytest.fixture(params=["memory", pytest.param("kafka", marks=pytest.mark.kafka)])
async def sink(request: pytest.FixtureRequest) -> AsyncIterator[Sink]:
    made: Sink
    if request.param == "memory":
        made = MemorySink(MemoryShelf())
    else:
        broker: KafkaBroker = request.getfixturevalue("kafka_broker")
        table = await made_topic(broker)
        made = KafkaSink(arguments_for(broker), table.topic, message_bytes=table.message_bytes)
    await made.open()
    yield made
    await made.close()


async def test_an_empty_topic_holds_nothing_of_anybody(sink: Sink) -> None:
    """A topic without records has no newest event and begins where it ends."""
    view = await sink.look("lab", None)
    assert (view.newest, view.at, view.begin, view.place.offset) == (None, None, 0, 0)


async def test_what_was_sent_is_found_again_by_its_source(sink: Sink) -> None:
    """After sending, also after opening anew, the newest event of a source and the one at the mark are told."""
    events = events_of("lab", 7)
    place = (await sink.look("lab", None)).place
    shipped: list[int] = []
    while len(shipped) < len(events):
        taken = await sink.send(events[len(shipped) :])
        assert taken
        shipped += [each.place.offset for each in taken]
        assert [each.id for each in taken] == [each.envelope.id for each in events[len(shipped) - len(taken) :]][
            : len(taken)
        ]
    assert shipped == sorted(set(shipped))
    await sink.close()
    await sink.open()
    view = await sink.look("lab", type(place)(place.cluster, place.topic, place.partition, shipped[2]))
    assert view.newest is not None
    assert view.at is not None
    assert (view.newest.seq, view.newest.id) == (7, events[6].envelope.id)
    assert (view.at.seq, view.at.id) == (3, events[2].envelope.id)
    assert (await sink.look("nobody", None)).newest is None


async def test_what_came_since_a_place_is_told_by_source(sink: Sink) -> None:
    """Records at a place and behind it are told in order, of the source alone, and none behind the end."""
    events, others = events_of("lab", 3), events_of("other", 2)
    place = (await sink.look("lab", None)).place
    assert list(await sink.since("lab", place)) == []
    shipped = [each for taken in (events[:1], others, events[1:]) for each in await sink.send(taken)]
    own = [each for each in shipped if each.id in {stored.envelope.id for stored in events}]
    assert list(await sink.since("lab", place)) == own[:1] + own[-2:]
    assert list(await sink.since("lab", own[-1].place)) == own[-1:]


@pytest.mark.kafka
async def test_bytes_in_the_topic_are_the_logs_own(kafka_broker: KafkaBroker) -> None:
    """A record's key is the source and its value the very bytes of the log."""
    table = await made_topic(kafka_broker)
    sink = KafkaSink(arguments_for(kafka_broker), table.topic, message_bytes=table.message_bytes)
    events = events_of("lab", 20)
    await sink.open()
    await sink.look("lab", None)
    assert len(await sink.send(events)) == 20
    await sink.close()
    found = await lying_in(kafka_broker, table.topic, "lab")
    assert found == [(each.envelope.seq, each.raw) for each in events]


@pytest.mark.kafka
async def test_an_event_larger_than_the_bound_is_refused_by_name(kafka_broker: KafkaBroker) -> None:
    """An event over message_bytes is refused with its position and what to change, before anything is sent."""
    table = await made_topic(kafka_broker)
    sink = KafkaSink(arguments_for(kafka_broker), table.topic, message_bytes=100)
    await sink.open()
    await sink.look("lab", None)
    with pytest.raises(SinkRefusedError, match=r"event 1 .*message_bytes is 100"):
        await sink.send(events_of("lab", 1))
    await sink.close()
