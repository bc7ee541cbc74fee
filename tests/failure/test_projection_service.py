"""``messwerk project`` as a service over a real broker: killed, multiplied, poisoned, stalled; nothing is lost."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from daemons import wait_until
from made_events import NOON, MadeLog, endpoint

from daemon.paths import DataPaths
from projections.migrations import TABLES, migrate
from projections.quarantine import read_quarantine
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.child import ChildServer
from projections.store.clickhouse import ClickHouseStore
from projections.store.contract import Store
from schemas.definitions import Definitions
from tests.support.kafka import KafkaBroker

pytestmark = [pytest.mark.kafka, pytest.mark.clickhouse]

FOLDED = [table for table in TABLES if table.name not in {"migrations", "quarantine", "rebuilds", "stops", "lost"}]
SOURCES = 5
MEMBERS = (1, 1, 3, 3, 2, 1, 1)
"""How many there are before each kill."""


def made(source: str, runs: int = 12) -> MadeLog:
    log = MadeLog(source)
    log.open(endpoint())
    for hour in range(runs):
        log.run(NOON + timedelta(hours=3 * hour), {}, {"failure_kind": "overloaded"})
    return log


async def content(store: Store) -> dict[str, list[str]]:
    return {
        table.name: [str(row) for row in (await store.select(f"SELECT * FROM {table.name} FINAL ORDER BY ALL")).rows]
        for table in FOLDED
    }


async def clean(store: Store, logs: Sequence[MadeLog]) -> dict[str, list[str]]:
    for table in FOLDED:
        await store.execute(f"TRUNCATE TABLE {table.name}")
    for log in logs:
        runner = Runner(store, PROJECTIONS, Definitions())
        await runner.open()
        await runner.fold_available(LogSource(log))
    return await content(store)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
async def store(data: Path) -> AsyncIterator[ClickHouseStore]:
    """Serve tables that the killed processes only visit."""
    server = await ChildServer.start(DataPaths(data).tables)
    opened = await ClickHouseStore.connect(server.address, server.secret)
    await migrate(opened)
    yield opened
    await opened.close()
    await server.stop()


@pytest.fixture
async def topic(kafka_broker: KafkaBroker) -> str:
    name = f"events-{uuid4().hex}"
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka_broker.bootstrap)
    await admin.start()
    await admin.create_topics([NewTopic(name, 3, 1)])
    await admin.close()
    return name


@pytest.fixture
async def producer(kafka_broker: KafkaBroker) -> AsyncIterator[AIOKafkaProducer]:
    opened = AIOKafkaProducer(bootstrap_servers=kafka_broker.bootstrap)
    await opened.start()
    yield opened
    await opened.stop()


@pytest.fixture
def configuration(tmp_path: Path, kafka_broker: KafkaBroker, topic: str) -> Path:
    directory = tmp_path / "configuration"
    directory.mkdir()
    (directory / "messwerk.toml").write_text(
        f'[daemon]\nsource = "reader"\nvantage = "a test"\n[kafka]\nbootstrap = ["{kafka_broker.bootstrap}"]\n'
        f'topic = "{topic}"\n[project]\ngroup = "{topic}"\nhealth_port = 0\n'
    )
    for name in ("providers", "endpoints", "accounts", "schedule"):
        (directory / f"{name}.toml").write_text("")
    return directory


class Projecting:
    """One ``messwerk project``."""

    def __init__(self, configuration: Path, data: Path, said: Path) -> None:
        self.said = said
        self._stderr = said.open("a")
        self.process = subprocess.Popen(
            [
                sys.executable, "-m", "daemon.cli", "project", "--interval", "0.05",
                "--config", str(configuration), "--data", str(data),
            ],
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
        )  # fmt: skip
        self.address = ""

    async def served(self) -> None:
        assert self.process.stdout is not None
        line = await asyncio.to_thread(self.process.stdout.readline)
        assert line.startswith("health: "), self.said.read_text()
        self.address = line.split()[1].removesuffix("/health,")

    def ask(self, path: str) -> tuple[int, Any]:
        try:
            with urllib.request.urlopen(f"{self.address}/{path}") as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, json.load(refused)

    def end(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        code = self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._stderr.close()
        return code


@contextmanager
def projecting(configuration: Path, data: Path, said: Path) -> Iterator[Projecting]:
    one = Projecting(configuration, data, said)
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.end(signal.SIGKILL)


async def until_folded(store: Store, logs: Sequence[MadeLog]) -> None:
    """Wait until every projection has folded every log to its end."""
    wanted = {log.source: len(log.events) for log in logs}
    for _ in range(1200):
        found = await store.select("SELECT source, min(seq), count() FROM checkpoints FINAL GROUP BY source")
        if {row[0]: row[1] for row in found.rows if row[2] == len(PROJECTIONS)} == wanted:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"not everything was folded: {found.rows}, wanted {wanted}")


async def send_with_duplicates(producer: AIOKafkaProducer, topic: str, log: MadeLog, seed: str) -> None:
    """Send a log in bursts; each begins a little before the end of the one before, as after a forwarder's crash."""
    moments = random.Random(seed)
    place = 0
    while place < len(log.events):
        for stored in log.events[max(0, place - moments.randrange(3)) : place + 4]:
            await producer.send_and_wait(topic, stored.raw, key=log.source.encode())
        place += 4
        await asyncio.sleep(moments.random() * 6)


@pytest.mark.timeout(420)
async def test_kills_and_rebalances_while_events_flow(
    store: ClickHouseStore,
    producer: AIOKafkaProducer,
    topic: str,
    configuration: Path,
    data: Path,
    tmp_path: Path,
) -> None:
    """With 1, 3 and again 1 members, killed at random while events come twice, the tables are a clean rebuild's."""
    moments = random.Random(4)
    logs = [made(f"place-{number}") for number in range(SOURCES)]
    sending = [asyncio.create_task(send_with_duplicates(producer, topic, log, log.source)) for log in logs]
    members: list[Projecting] = []

    async def have(count: int) -> None:
        """Bring the group to so many members, all of them serving."""
        while len(members) > count:
            assert members.pop().end(signal.SIGTERM) == 0, (tmp_path / "said").read_text()
        fresh = [Projecting(configuration, data, tmp_path / "said") for _ in range(count - len(members))]
        members.extend(fresh)
        await asyncio.gather(*(each.served() for each in fresh))

    try:
        for count in MEMBERS:
            await have(count)
            await asyncio.sleep(moments.random() * 2)
            members.pop(moments.randrange(len(members))).end(signal.SIGKILL)
        await have(1)
        await asyncio.gather(*sending)
        await until_folded(store, logs)
        await have(0)
    finally:
        for task in sending:
            task.cancel()
        for member in members:
            member.end(signal.SIGKILL)
    folded = await content(store)
    assert folded == await clean(store, logs)


async def test_health_readiness_and_poison(
    store: ClickHouseStore,
    producer: AIOKafkaProducer,
    topic: str,
    configuration: Path,
    data: Path,
    tmp_path: Path,
) -> None:
    """The service tells its lag, keeps garbage, says which source stopped, and ends in order when told."""
    whole, broken = made("whole", 2), made("broken", 2)
    for stored in whole.events:
        await producer.send_and_wait(topic, stored.raw, key=b"whole")
    await producer.send_and_wait(topic, b"garbage", key=b"whole")
    with projecting(configuration, data, tmp_path / "said") as service:
        await service.served()
        await until_folded(store, [whole])
        await asyncio.to_thread(wait_until, lambda: service.ask("ready")[1]["lag"] == {"whole": 0}, "the lag is told")
        status, report = service.ask("ready")
        assert (status, report["ready"], report["positions"]) == (200, True, {"whole": len(whole.events)})
        await asyncio.to_thread(wait_until, lambda: service.ask("health")[0] == 200, "it is healthy")
        for stored in [*broken.events[:4], *broken.events[5:]]:
            await producer.send_and_wait(topic, stored.raw, key=b"broken")
        await asyncio.to_thread(wait_until, lambda: service.ask("ready")[0] == 503, "the gap is noticed")
        _, report = service.ask("ready")
        assert "1 event(s) are missing" in report["stopped"]["broken"]
        assert service.ask("health")[0] == 200
        assert service.end(signal.SIGTERM) == 0
    assert [bytes.fromhex(row.bytes) for row in await read_quarantine(store)] == [b"garbage"]
    listed = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "daemon.cli", "quarantine", "list", "--json", "--config", str(configuration),
         "--data", str(data)],
        capture_output=True, text=True, check=True, env=os.environ,
    )  # fmt: skip
    (entry,) = json.loads(listed.stdout)
    assert (entry["topic"], entry["source"], entry["state"]) == (topic, "whole", "held")
