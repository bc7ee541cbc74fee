"""Several daemons into one topic and one set of tables: apart where they must be, refused where they clash."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from daemons import ReferenceServerThread, wait_until
from forwarding_topic import made_topic
from installation import Installation, installation

from projections.embedded import open_running_or_embedded
from projections.queries.registry import run_query
from schemas.definitions import Definitions
from tests.support.kafka import KafkaBroker

pytestmark = [pytest.mark.kafka, pytest.mark.clickhouse, pytest.mark.timeout(300)]

MEMBERS = (1, 3, 1)


@pytest.fixture
async def made(
    tmp_path: Path, kafka_broker: KafkaBroker, reference: ReferenceServerThread
) -> AsyncIterator[Installation]:
    with installation(tmp_path, kafka_broker, await made_topic(kafka_broker), reference.base_url) as one:
        yield one


async def attempts_seen(made: Installation, *vantages: str) -> int:
    """Count the attempts that the overview shows, measured from these vantage points."""
    async with open_running_or_embedded(made.members.paths.tables, Definitions()) as tables:
        end = datetime.now(UTC) + timedelta(hours=1)
        found = await run_query(tables.store, "overview-tiles", end=end, vantage=vantages)
    return int(found.dicts()[0]["attempts"])


async def test_two_places_and_one_to_three_to_one_members(made: Installation) -> None:
    """While members come and go, both places' figures arrive; one is stopped, the other one goes on untouched."""
    inland, coast = made.place("inland", "vienna"), made.place("coast", "oslo")
    for place in (inland, coast):
        place.start()
    for count in MEMBERS:
        made.members.have(count)
        for place in (inland, coast):
            await asyncio.to_thread(place.wait_for, 30, "it measures")
    coast.stop()
    ended = coast.end_of_log
    await asyncio.to_thread(inland.wait_for, 60, "the other one measures on")
    assert coast.end_of_log == ended
    wanted = inland.end_of_log
    async with asyncio.timeout(100):
        while (await made.members.positions()).get("inland", 0) < wanted:  # noqa: ASYNC110  # others make it true
            await asyncio.sleep(0.3)
    await made.settle()
    history = await made.history()
    assert not history.broken_laws()
    both, one, other = (
        await attempts_seen(made),
        await attempts_seen(made, "vienna"),
        await attempts_seen(made, "oslo"),
    )
    assert one > 0 < other
    assert both == one + other == await attempts_seen(made, "vienna", "oslo")


async def test_a_second_daemon_of_the_same_name_measures_and_does_not_forward(made: Installation) -> None:
    """Of two daemons with one name the second says why it forwards nothing, and goes on measuring."""
    first, second = made.place("twin"), made.place("twin", folder="other")
    first.start()
    wait_until(lambda: first.marked > 0, "the first one forwards")
    second.start()
    wait_until(lambda: second.standing.startswith("stopped"), "the second one's forwarding stops")
    assert "another daemon uses the name 'twin'" in second.standing
    assert "Give one of them another source in messwerk.toml" in second.standing
    await asyncio.to_thread(second.wait_for, 60, "the second one measures on")
    second.stop()
    assert second.forwarder() is None
    made.places.remove(second)
    await made.settle()
    assert not (await made.history()).broken_laws()


async def test_a_second_process_on_one_data_directory_is_refused(made: Installation) -> None:
    """A second daemon over the same directory ends at once and names the first; the first one is not disturbed."""
    place = made.place("alone")
    place.start()
    place.wait_for(20, "it measures")
    refused = await asyncio.to_thread(
        subprocess.run,
        [
            sys.executable, "-m", "daemon.cli", "daemon",
            "--config", str(place.configuration), "--data", str(place.paths.root),
        ],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert refused.returncode == 1
    assert f"is already being written by process {place.daemon.process.pid}" in refused.stderr
    assert "or give this daemon a data directory of its own" in refused.stderr
    await asyncio.to_thread(place.wait_for, 20, "it measures on")
    assert place.daemon.end(signal.SIGTERM) == 0
