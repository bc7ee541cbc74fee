"""A broker that is away for a while, and one that comes back without its data: measuring goes on, nothing is lost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from daemons import ReferenceServerThread, wait_until
from forwarding_topic import arguments_for, made_topic
from installation import Installation, Place, installation
from operation_history import table_content

from daemon.forwarding.topic import make_topic
from projections.embedded import open_running_or_embedded
from schemas.definitions import Definitions
from tests.support.kafka import running_broker

pytestmark = [pytest.mark.kafka, pytest.mark.clickhouse, pytest.mark.timeout(300)]


async def attempts_folded(made: Installation) -> list[tuple[str, ...]]:
    async with open_running_or_embedded(made.members.paths.tables, Definitions()) as tables:
        return list((await table_content(tables.store))["attempts"])


async def until_caught_up(made: Installation, place: Place) -> None:
    """Wait until the tables are beyond where the log ends now."""
    wanted = place.end_of_log
    async with asyncio.timeout(100):
        while (await made.members.positions()).get(place.source, 0) < wanted:  # noqa: ASYNC110  # others make it true
            await asyncio.sleep(0.3)


async def test_a_broker_that_stops_and_one_that_lost_its_data(
    tmp_path: Path, reference: ReferenceServerThread
) -> None:
    """Measuring goes on without a broker, the backlog drains into it, even from the start, and tables stay right."""
    with running_broker(tmp_path / "kafka") as broker:
        kafka = await made_topic(broker)
        with installation(tmp_path, broker, kafka, reference.base_url) as made:
            place = made.place("steady")
            place.start()
            made.members.have(1)
            place.wait_for(50, "it measures")
            await until_caught_up(made, place)

            await asyncio.to_thread(broker.stop)
            marked = place.marked
            await asyncio.to_thread(place.wait_for, 200, "it measures without a broker")
            wait_until(lambda: place.standing.startswith("waiting"), "the forwarder says that it waits")
            assert place.marked == marked
            await asyncio.to_thread(broker.start)
            await until_caught_up(made, place)

            before = await attempts_folded(made)
            broker.kill()
            broker.wipe()
            await asyncio.to_thread(broker.start)
            await make_topic(arguments_for(broker), kafka)
            await asyncio.to_thread(place.wait_for, 100, "it measures on")
            await until_caught_up(made, place)
            assert set(before) < set(await attempts_folded(made))
            await made.settle()
            history = await made.history()
    # Until the loss was noticed, a batch of that moment may have come first; no reader needs it.
    assert not history.since_first_event().broken_laws()
