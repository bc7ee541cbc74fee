"""A broker that is away for minutes, as it is while somebody is on the way to it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from daemons import ReferenceServerThread, wait_until
from forwarding_topic import made_topic
from installation import Place, installation

from tests.support.kafka import running_broker

pytestmark = [pytest.mark.kafka, pytest.mark.clickhouse, pytest.mark.minutes, pytest.mark.timeout(600)]

AWAY_S: Final = 150.0
LOOKS: Final = 4


def status(place: Place) -> dict[str, Any]:
    """Ask the place itself, as somebody does who wonders what waits."""
    command = [
        sys.executable, "-m", "daemon.cli", "status", "--json",
        "--config", str(place.configuration), "--data", str(place.paths.root),
    ]  # fmt: skip
    told: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return told


def rising(values: Sequence[float]) -> bool:
    return all(one < other for one, other in pairwise(values))


async def test_minutes_without_a_broker_cost_nothing(tmp_path: Path, reference: ReferenceServerThread) -> None:
    """For minutes the log grows and the backlog's age with it; then everything arrives, in order, and is folded."""
    with running_broker(tmp_path / "kafka") as broker:
        kafka = await made_topic(broker)
        with installation(tmp_path, broker, kafka, reference.base_url) as made:
            place = made.place("steady")
            place.start()
            made.members.have(1)
            await asyncio.to_thread(place.wait_for, 50, "it measures")
            await asyncio.to_thread(wait_until, lambda: place.marked > 0, "it forwards")

            broker.kill()
            away_since_s = time.monotonic()
            ends, ages_s = [], []
            for look in range(1, LOOKS + 1):
                await asyncio.sleep(away_since_s + look * AWAY_S / LOOKS - time.monotonic())
                ends.append(place.end_of_log)
                told = await asyncio.to_thread(status, place)
                ages_s.append(time.time() - told["forwarding"]["oldest_wall_ns"] / 1e9)
            marked = place.marked
            assert place.standing.startswith("waiting")
            assert "Kafka" in told["unreachable"]
            assert told["forwarding"]["events"] >= ends[-1] - marked
            assert rising(ends), "measuring goes on"
            assert rising(ages_s), "the backlog grows older"
            assert ages_s[-1] > AWAY_S - 15

            await asyncio.to_thread(broker.start)
            caught_up = place.end_of_log
            await asyncio.to_thread(
                wait_until, lambda: place.marked >= caught_up, "the backlog is forwarded", within_s=180.0
            )
            await made.settle()
            history = await made.history()
    assert "Task was destroyed" not in place.said.read_text()
    assert not history.broken_laws()
