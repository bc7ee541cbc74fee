"""The forwarding process against a real broker, with faults: nothing acknowledged is lost, and the order holds.

Each test ends with a plain consumer that reads the whole topic: duplicates may be there, gaps and disorder not.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import msgspec
import pytest
from aiokafka.admin import AIOKafkaAdminClient
from forwarding_topic import arguments_for, delivered, lying_in, made_topic, table_for
from made_events import NOON, MadeLog, endpoint, ns

from daemon.configuration import builtin
from daemon.forwarding.beside import forwarding as beside_daemon
from daemon.forwarding.forwarder import Forwarder
from daemon.forwarding.kafka_sink import KafkaSink
from daemon.forwarding.marks import MarkFile, Standing, StandingFile
from daemon.forwarding.process import SAME_SOURCE_EXIT, Assignment
from daemon.forwarding.topic import make_topic
from daemon.log import InlineLog, SqliteReader
from daemon.paths import DataPaths
from daemon.telemetry import Telemetry
from daemon.telemetry.contract import LagStage
from schemas.clocks import ManualClock, SystemClock
from schemas.configuration import KafkaTable
from schemas.events import decode_event
from tests.support.kafka import KafkaBroker, running_broker

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(300)]

WITHIN_S = 100


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    """Start a broker that these tests may stop, kill and wipe."""
    with running_broker(tmp_path_factory.mktemp("kafka")) as running:
        yield running


class GrowingLog:
    """A log on the disk, beside the marks of its forwarder."""

    def __init__(self, data: Path, source: str = "lab") -> None:
        self.paths = DataPaths(data)
        self._clock = ManualClock(ns(NOON))
        self._log = InlineLog(self.paths.log, source=source, clock=self._clock, commit_every=200)
        made = MadeLog(source)
        made.open(endpoint())
        event = decode_event(made.events[-1].envelope)
        assert event is not None
        self._event = event
        self.source = source

    async def grow(self, count: int) -> None:
        self._clock.step_wall(1_000_000)
        for _ in range(count):
            await self._log.append(self._event)
        await self._log.checkpoint()

    async def close(self) -> None:
        await self._log.close()

    def raw(self) -> list[bytes]:
        with closing(SqliteReader(self.paths.log)) as reader:
            return [each.raw for each in reader.read_after(0, limit=1_000_000)]

    @property
    def marked(self) -> int:
        return MarkFile(self.paths.forwarded).read().seq


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[GrowingLog]:
    made = GrowingLog(tmp_path / "data")
    yield made
    await made.close()


def start(log: GrowingLog, table: KafkaTable, *program: str) -> subprocess.Popen[bytes]:
    program = program or ("-m", "daemon.forwarding.process")
    process = subprocess.Popen([sys.executable, "-P", *program], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    assignment = Assignment(
        table=table, directory=".", data=str(log.paths.root), log_format="json", log_level="warning"
    )
    process.stdin.write(msgspec.json.encode(assignment) + b"\n")
    process.stdin.flush()
    return process


@asynccontextmanager
async def forwarding(log: GrowingLog, table: KafkaTable) -> AsyncIterator[subprocess.Popen[bytes]]:
    """Keep one forwarding process, which ends with its standard input."""
    process = start(log, table)
    try:
        yield process
    finally:
        process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
        try:
            await asyncio.to_thread(process.wait, 20)
        finally:
            process.kill()
            process.wait()
            process.stderr.close()  # type: ignore[union-attr]  # the same


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(WITHIN_S):
        while not condition():  # noqa: ASYNC110  # another process makes it true
            await asyncio.sleep(0.05)


async def test_kills_of_the_forwarder_lose_nothing(broker: KafkaBroker, log: GrowingLog) -> None:
    """Killed a dozen times while it ships, between acknowledgement and mark or elsewhere, it loses nothing."""
    table, draw = await made_topic(broker), random.Random(4)
    for _ in range(12):
        await log.grow(400)
        process = start(log, table)
        before = log.marked
        await until(lambda before=before: log.marked > before)  # type: ignore[misc]  # mypy wants no default here
        await asyncio.sleep(draw.random() * 0.05)
        process.kill()
        process.communicate()
    async with forwarding(log, table):
        written = log.raw()
        await until(lambda: log.marked == len(written))
    assert delivered(await lying_in(broker, table.topic, log.source)) == written


DIES_BEFORE_ITS_MARK = """
import asyncio, os, signal, sys
from daemon.forwarding import marks, process
written = marks.MarkFile.write
def write(self, mark):
    if mark.seq > int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)
    written(self, mark)
marks.MarkFile.write = write
sys.exit(asyncio.run(process._main()))
"""


async def test_a_kill_between_acknowledgement_and_mark_sends_nothing_twice(
    broker: KafkaBroker, log: GrowingLog
) -> None:
    """Killed when a batch is acknowledged and not yet marked, the next forwarder finds it: no loss, no duplicate."""
    table = await made_topic(broker)
    for _ in range(3):
        await log.grow(500)
        before = len(await lying_in(broker, table.topic, log.source))
        process = start(log, table, "-c", DIES_BEFORE_ITS_MARK, str(before))
        assert await asyncio.to_thread(process.wait, WITHIN_S) == -signal.SIGKILL
        process.communicate()
        shipped = await lying_in(broker, table.topic, log.source)
        assert len(shipped) > before >= log.marked, "it was not killed between acknowledgement and mark"
    async with forwarding(log, table):
        written = log.raw()
        await until(lambda: log.marked == len(written))
    assert [raw for _, raw in await lying_in(broker, table.topic, log.source)] == written


async def test_a_frozen_broker_is_waited_for(broker: KafkaBroker, log: GrowingLog) -> None:
    """A broker that stops answering with a batch under way gets everything once it answers again, in order."""
    table, told = await made_topic(broker), list[Standing]()
    sink = KafkaSink(arguments_for(broker), table.topic, message_bytes=table.message_bytes, within_s=3)
    stopped = asyncio.Event()
    with closing(SqliteReader(log.paths.log)) as reader:
        forwarder = Forwarder(
            reader,
            sink,
            MarkFile(log.paths.forwarded),
            clock=SystemClock(),
            pause=lambda seconds: asyncio.sleep(min(seconds, 0.2)),
            tell=told.append,
        )
        working = asyncio.create_task(forwarder.run(stopped.is_set))
        await log.grow(500)
        await until(lambda: forwarder.mark.seq > 0)
        broker.freeze()
        try:
            await log.grow(2000)
            await until(lambda: told[-1].state == "waiting")
        finally:
            broker.thaw()
        await until(lambda: forwarder.mark.seq == len(log.raw()))
        stopped.set()
        await working
    assert [each.state for each in told][-1] == "forwarding"
    assert delivered(await lying_in(broker, table.topic, log.source)) == log.raw()


async def test_a_lost_mark_and_a_stale_mark_send_nothing_twice(broker: KafkaBroker, log: GrowingLog) -> None:
    """With the mark deleted, or put back to an old one, the topic says where to go on: not even a duplicate."""
    table = await made_topic(broker)
    await log.grow(300)
    async with forwarding(log, table):
        await until(lambda: log.marked == 301)
    old = log.paths.forwarded.read_bytes()
    for stale in (None, old):
        await log.grow(300)
        if stale is None:
            log.paths.forwarded.unlink()
        else:
            log.paths.forwarded.write_bytes(stale)
        async with forwarding(log, table):
            written = log.raw()
            await until(lambda: log.marked == len(written))  # noqa: B023  # awaited within the turn
    assert [seq for seq, _ in await lying_in(broker, table.topic, log.source)] == list(range(1, len(written) + 1))


async def test_a_broker_that_is_killed_and_comes_back_gets_the_rest(broker: KafkaBroker, log: GrowingLog) -> None:
    """Events written while the broker is dead wait in the log, the standing says so, and they follow in order."""
    table = await made_topic(broker)
    async with forwarding(log, table):
        await log.grow(200)
        await until(lambda: log.marked == 201)
        broker.kill()
        try:
            await log.grow(500)
            standing = StandingFile(log.paths.forwarding)
            await until(lambda: (told := standing.read()) is not None and told.state == "waiting")
            assert log.marked == 201
        finally:
            await asyncio.to_thread(broker.start)
        await until(lambda: log.marked == 702)
    assert delivered(await lying_in(broker, table.topic, log.source)) == log.raw()


async def test_a_wiped_broker_gets_the_whole_log_again(broker: KafkaBroker, log: GrowingLog) -> None:
    """After the broker lost its data and the topic was made anew, everything is there again."""
    table = await made_topic(broker)
    async with forwarding(log, table):
        await log.grow(300)
        await until(lambda: log.marked == 301)
        broker.kill()
        broker.wipe()
        await asyncio.to_thread(broker.start)
        await make_topic(arguments_for(broker), table)
        await log.grow(50)
        await until(lambda: log.marked == 352)
    records = await lying_in(broker, table.topic, log.source)
    # A batch of the moment before it was noticed may lie before event 1; no reader can have needed it.
    first = next(place for place, (seq, _) in enumerate(records) if seq == 1)
    assert delivered(records[first:]) == log.raw()


async def test_a_topic_deleted_and_made_again_gets_the_whole_log(broker: KafkaBroker, log: GrowingLog) -> None:
    """The same when only the topic was deleted and made again while nobody forwarded."""
    table = await made_topic(broker)
    await log.grow(100)
    async with forwarding(log, table):
        await until(lambda: log.marked == 101)
    admin = AIOKafkaAdminClient(**arguments_for(broker))
    await admin.start()
    await admin.delete_topics([table.topic])
    await admin.close()
    async with asyncio.timeout(WITHIN_S):
        while not await make_topic(arguments_for(broker), table):  # noqa: ASYNC110  # the broker deletes by and by
            await asyncio.sleep(0.2)
    await log.grow(10)
    async with forwarding(log, table):
        await until(lambda: log.marked == 112 and len(log.raw()) == 112)
        await asyncio.sleep(0.5)
    assert delivered(await lying_in(broker, table.topic, log.source)) == log.raw()


async def test_an_event_that_the_topic_refuses_stops_there_and_says_so(broker: KafkaBroker, log: GrowingLog) -> None:
    """A topic that takes smaller messages than configured stops forwarding with what to change; none is skipped."""
    small = table_for(broker, message_bytes=1)
    await make_topic(arguments_for(broker), small)
    await log.grow(5)
    async with forwarding(log, msgspec.structs.replace(small, message_bytes=2_000_000)):
        standing = StandingFile(log.paths.forwarding)
        await until(lambda: (told := standing.read()) is not None and told.state == "waiting")
    told = standing.read()
    assert told is not None
    assert "max.message.bytes" in (told.reason or "")
    assert await lying_in(broker, small.topic, log.source) == []


async def test_a_second_daemon_of_the_same_name_stops_forwarding(
    broker: KafkaBroker, log: GrowingLog, tmp_path: Path
) -> None:
    """Another log under the same source ends its forwarding with a code that asks not to be started again."""
    table = await made_topic(broker)
    await log.grow(50)
    async with forwarding(log, table):
        await until(lambda: log.marked == 51)
    twin = GrowingLog(tmp_path / "twin")
    await twin.grow(80)
    process = start(twin, table)
    _, told = await asyncio.to_thread(process.communicate, None, WITHIN_S)
    await twin.close()
    assert process.returncode == SAME_SOURCE_EXIT
    assert b"another daemon uses the name 'lab'" in told
    standing = StandingFile(twin.paths.forwarding).read()
    assert standing is not None
    assert standing.state == "stopped"
    assert delivered(await lying_in(broker, table.topic, log.source)) == log.raw()


async def test_a_second_forwarder_of_one_log_is_refused(broker: KafkaBroker, log: GrowingLog) -> None:
    """While one process forwards a log, another one ends at once."""
    table = await made_topic(broker)
    await log.grow(5)
    async with forwarding(log, table):
        await until(lambda: log.marked == 6)
        process = start(log, table)
        _, told = await asyncio.to_thread(process.communicate, None, WITHIN_S)
        assert process.returncode == 1
        assert b"already being" in told


class Told(Telemetry):
    """Remembers the newest backlog."""

    lagging: int | None = None
    size_bytes: int | None = None

    def lag(self, stage: LagStage, events: int) -> None:
        assert stage == "forwarder"
        self.lagging = events

    def backlog(self, size_bytes: int, age_s: float) -> None:
        assert age_s >= 0
        self.size_bytes = size_bytes


def forwarding_children() -> list[int]:
    """Find the children of this process that forward."""
    command = ["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "daemon.forwarding.process" in line]


async def test_a_daemon_keeps_its_forwarder_and_starts_a_killed_one_again(
    broker: KafkaBroker, log: GrowingLog
) -> None:
    """Beside a daemon the forwarder is started again when killed, the backlog is told, and it ends with it."""
    table = await made_topic(broker)
    configuration = msgspec.structs.replace(builtin(), kafka=table)
    told = Told()
    await log.grow(20)
    async with beside_daemon(configuration, log.paths, told, "json", "warning"):
        await until(lambda: log.marked == 21)
        (child,) = forwarding_children()
        os.kill(child, signal.SIGKILL)
        await log.grow(30)
        await until(lambda: log.marked == len(log.raw()))
        assert forwarding_children() != [child]
        assert told.lagging is not None
    assert forwarding_children() == []
    assert delivered(await lying_in(broker, table.topic, log.source)) == log.raw()
