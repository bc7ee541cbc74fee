"""kill -9 of every part of a distributed installation, at random: daemon, forwarder, projection, tables.

``MESSWERK_KILL_SEED`` repeats the moments of an earlier run; which one it was is printed.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from pathlib import Path

import pytest
from daemons import ReferenceServerThread
from forwarding_topic import made_topic
from installation import PARTS, installation

from schemas.events import AttemptCompleted, DaemonStarted, decode_event
from tests.support.kafka import running_broker

pytestmark = [pytest.mark.kafka, pytest.mark.clickhouse, pytest.mark.timeout(300)]

KILLS = 26
EARLY = 0.2
SHARE = 3


async def test_kills_of_every_part_lose_and_double_nothing(tmp_path: Path, reference: ReferenceServerThread) -> None:
    """Daemon, forwarder, projection and tables' server, killed 26 times in any order, keep every law."""
    seed = int(os.environ.get("MESSWERK_KILL_SEED", random.randrange(10**6)))
    print(f"MESSWERK_KILL_SEED={seed}")
    chance = random.Random(seed)
    with running_broker(tmp_path / "kafka") as broker:
        kafka = await made_topic(broker)
        with installation(tmp_path, broker, kafka, reference.base_url) as made:
            place = made.place("under-fire")
            place.start()
            made.members.start()
            place.wait_for(50, "the daemon measures")
            made.members.wait_until_serving()
            await asyncio.to_thread(place.wait_for, 50, "it measures on")
            killed: Counter[str] = Counter()
            while killed.total() < KILLS:
                await asyncio.sleep(chance.uniform(0.1, 0.8))
                made.look_after(place)
                # Most are killed at work, some while they are still coming up; who is not there at all has no turn.
                early = chance.random() < EARLY
                # A part that is seldom at work comes first until it had its share: chance alone may pass it over.
                order = sorted(chance.sample(PARTS, len(PARTS)), key=lambda part: killed[part] >= SHARE)
                for part in order:
                    if (early or made.at_work(part, place)) and made.kill(part, place):
                        killed[part] += 1
                        break
            await asyncio.to_thread(place.wait_for, 50, "the last daemon measures")
            await made.settle()
            history = await made.history()
    print(dict(killed))
    assert min(killed[part] for part in PARTS) > 1, f"{killed}, seed {seed}"
    assert not history.broken_laws(), f"seed {seed}"
    events = [decode_event(stored.envelope) for stored in history.logs[place.source]]
    completed = [event for event in events if isinstance(event, AttemptCompleted)]
    assert sum(isinstance(event, DaemonStarted) for event in events) > 2
    assert any(event.status == "response" for event in completed)
    assert any(event.failure is not None and event.failure.kind == "crash" for event in completed)
