"""Daemons, forwarders, a topic, projecting members and tables in one simulated loop, and what must hold at the end.

Daemon, engine, sender, forwarder, Kafka source and runner are the real ones. Simulated are time, the wire, disks,
the topic and the tables. Everything that happens follows from one seed.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from memory_store import Database, MemoryStore
from memory_topic import MemoryCarrier, MemoryTopic
from simulated_disk import Disk, SimulatedLog, acknowledged_but_gone
from simulated_processes import InlineLoop, Process, Programs

from daemon.app import Daemon
from daemon.attempts.keeping import BodyKeeper
from daemon.attempts.sending import AttemptSender
from daemon.configuration import Secrets
from daemon.forwarding.forwarder import Forwarder
from daemon.forwarding.resuming import Mark
from daemon.forwarding.sink import Place, Shipped, Sink, SinkUnreachableError, TopicView
from daemon.log import BlobStore
from daemon.machine import daemon_started
from daemon.runs.budget import DailyBudget
from daemon.runs.engine import RunEngine
from daemon.schedule.slots import plan_from
from daemon.schedule.waker import LoopWaker
from daemon.simulation.clock import SimulatedClock
from daemon.telemetry import Telemetry
from daemon.transport.contract import Connected, Ended, PreparedRequest, Read, Responded, Sent, Signal, Written
from daemon.workloads.contract import Prompt
from daemon.world import simulated_world
from projections.errors import StoreLostError
from projections.folding import fold_batch
from projections.kafka.carrier import Record
from projections.kafka.source import KafkaSource
from projections.pace import Pace
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import EventSource, LogSource
from schemas.catalogue import AccountFacts, EndpointFacts, ProviderFacts
from schemas.configuration import LimitsTable, PlanTable
from schemas.definitions import Definitions
from schemas.envelope import decode_envelope
from schemas.errors import LogError
from schemas.events import (
    AttemptCompleted,
    CatalogueDeclared,
    ConnectionFacts,
    PromptFacts,
    RequestSent,
    RunPlanned,
    decode_event,
)
from schemas.events.attempts import ClockKind
from schemas.log import StoredEvent

MONDAY_NS: Final = int(datetime(2026, 10, 19, tzinfo=UTC).timestamp()) * 1_000_000_000
TROUBLED_S: Final = 6 * 3600.0
QUIET_S: Final = 2 * 3600.0
_PLAN: Final = PlanTable(workload="text-1k", every="1h", jitter_minutes=1)
_NOT_FOLDED: Final = frozenset(
    {"checkpoints", "definitions", "migrations", "rebuilds", "quarantine", "stops", "lost"}
)
_GOOD: Final = (
    b'data: {"id":"r","model":"m","choices":[{"index":0,"delta":{"content":"one "}}]}\n\n',
    b'data: {"id":"r","model":"m","choices":[{"index":0,"delta":{"content":"two"},"finish_reason":"stop"}]}\n\n',
    b'data: {"id":"r","model":"m","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}\n\n',
    b"data: [DONE]\n\n",
)


Lie = Literal["disk", "topic", "tables"]
"""Who acknowledges what it did not keep."""

_LIES: Final = 0.02


class OneLine:
    """A workload of one short prompt: the simulation is about losing things, not about text."""

    suite, needs_vision, max_output_tokens, nominal_input_tokens, window_s = "performance", False, 1, 1, 1
    name = "text-1k"

    def prompts(self, seed: str) -> Sequence[Prompt]:
        facts = PromptFacts(
            generator=self.name,
            generator_version=1,
            seed=seed,
            sha256=seed,
            input_tokens=1,
            min_output_tokens=1,
            max_output_tokens=1,
            task="none",
        )
        return [Prompt(text=seed, facts=facts)]


class Wire:
    """A transport that answers, is rate-limited, breaks off or stays silent, as chance has it."""

    name = "simulated wire"
    clock_kind: ClockKind = "simulated"

    def __init__(self, clock: SimulatedClock, chance: random.Random) -> None:
        self._clock = clock
        self._chance = chance

    async def exchange(self, request: PreparedRequest) -> AsyncGenerator[Signal, None]:  # noqa: ARG002  # any request
        yield Connected(ConnectionFacts(reused=False, peer="simulated", http_version="1.1"))
        await self._pass(0.01)
        yield Sent(self._clock.wall_ns(), self._clock.mono_ns())
        yield Written(self._clock.mono_ns())
        await self._pass(2)
        luck = self._chance.random()
        status = 429 if luck < 0.1 else 200
        yield Responded(
            self._clock.mono_ns(), self._clock.mono_ns(), status, (("content-type", "text/event-stream"),)
        )
        if status == 200:
            for part in _GOOD[: self._chance.randint(0, 2) if luck < 0.2 else len(_GOOD)]:
                await self._pass(0.5)
                yield Read(self._clock.mono_ns(), part)
        cut = status == 200 and luck < 0.2
        yield Ended(self._clock.mono_ns(), "connection-lost" if cut else "complete", "cut" if cut else "")

    async def close(self) -> None:
        pass

    async def _pass(self, at_most_s: float) -> None:
        await asyncio.sleep(self._chance.uniform(0, at_most_s))


class Marks:
    """A mark that survives its process."""

    def __init__(self) -> None:
        self.mark = Mark()
        self.process: Process | None = None

    def read(self) -> Mark:
        return self.mark

    def write(self, mark: Mark) -> None:
        if self.process is not None and self.process.alive:
            self.mark = mark


class TopicSink(Sink):
    """A forwarder's access to a topic in memory; acknowledgements get lost, brokers go away."""

    def __init__(self, cluster: Cluster, process: Process) -> None:
        self._cluster = cluster
        self._process = process

    async def open(self) -> None:
        await self._reach()

    async def look(self, source: str, marked: Place | None) -> TopicView:
        await self._reach()
        topic, partition = self._cluster.topic, self._cluster.topic.partition_of(source)
        own = [
            self._shipped(partition, record.offset, record.value or b"")
            for record in topic.records[partition]
            if record.key == source.encode()
        ]
        at = next((each for each in own if marked is not None and each.place.offset == marked.offset), None)
        place = self._place(partition, len(topic.records[partition]))
        return TopicView(place=place, begin=topic.begins[partition], newest=own[-1] if own else None, at=at)

    async def since(self, source: str, place: Place) -> Sequence[Shipped]:
        await self._reach()
        return [
            self._shipped(place.partition, record.offset, record.value or b"")
            for record in self._cluster.topic.records[place.partition][place.offset :]
            if record.key == source.encode()
        ]

    async def send(self, events: Sequence[StoredEvent]) -> Sequence[Shipped]:
        await self._reach()
        chance, topic = self._cluster.chance, self._cluster.topic
        taken = events[: chance.randint(1, 40)]
        lost = self._cluster.troubled and chance.random() < 0.05
        shipped = []
        for stored in taken[: chance.randint(0, len(taken)) if lost else len(taken)]:
            partition = topic.partition_of(stored.envelope.source)
            offset = len(topic.records[partition])
            if self._cluster.lie != "topic" or chance.random() >= _LIES:
                topic.send_events([stored])
            shipped.append(self._shipped(partition, offset, stored.raw))
        if lost:
            if chance.random() < 0.5:
                self._process.kill()
            raise SinkUnreachableError("gone before the acknowledgement")
        return shipped

    async def close(self) -> None:
        pass

    async def _reach(self) -> None:
        await asyncio.sleep(self._cluster.chance.uniform(0, 0.02))
        if self._cluster.broker_away or not self._process.alive:
            raise SinkUnreachableError("away")

    def _place(self, partition: int, offset: int) -> Place:
        return Place("memory", "memory", partition, offset)

    def _shipped(self, partition: int, offset: int, raw: bytes) -> Shipped:
        envelope = decode_envelope(raw)
        return Shipped(envelope.seq, envelope.id, self._place(partition, offset))


class Carrier(MemoryCarrier):
    """A member's access to the topic, in which waiting for records takes its time."""

    async def poll(self, *, timeout_s: float, limit: int) -> Sequence[Record]:
        found = await super().poll(timeout_s=timeout_s, limit=limit)
        if not found:
            await asyncio.sleep(timeout_s)
        return found


class Cluster:
    """One seed's world. ``sources`` daemons; ``members`` projecting processes share the topic."""

    def __init__(self, loop: InlineLoop, seed: int, lie: Lie | None) -> None:
        self.lie = lie
        self.chance = random.Random(seed)  # replayable on purpose
        self.loop = loop
        self.troubled = True
        self.broker_away = False
        self.wipes = 0
        self.sources = [f"site-{number}" for number in range(self.chance.choice((1, 1, 2)))]
        self.members = self.chance.choice((1, 1, 3))
        self.disks = {source: Disk(source, self.chance) for source in self.sources}
        self.marks = {source: Marks() for source in self.sources}
        self.topic = MemoryTopic()
        self.database = Database()
        self.embedded = self.chance.random() < 0.25
        self.programs = Programs(loop, self.chance)
        self._stop = asyncio.Event()
        self._lives = 0

    async def live(self) -> None:
        """Six hours of trouble, then quiet until everything has come to its end."""
        self.database.trouble = 0.01
        self.database.lies = _LIES if self.lie == "tables" else 0.0
        for source in self.sources:
            self.disks[source].trouble = 0.01
            self.disks[source].lies = _LIES if self.lie == "disk" else 0.0
            self.programs.keep(f"daemon {source}", lambda p, s=source: self._daemon(p, s), tolerated=(LogError,))
            if not self.embedded:
                self.programs.keep(f"forwarder {source}", lambda p, s=source: self._forward(p, s), tolerated=())
        if self.embedded:
            for source in self.sources:
                self.programs.keep(
                    f"folding {source}", lambda p, s=source: self._fold_log(p, s), tolerated=(StoreLostError,)
                )
        else:
            for number in range(self.members):
                self.programs.keep(f"member {number}", self._fold_topic, tolerated=(StoreLostError,))
        trouble = [
            asyncio.create_task(self.programs.run_chaos(600)),
            asyncio.create_task(self._broker_comes_and_goes()),
        ]
        await asyncio.sleep(TROUBLED_S)
        for task in trouble:
            task.cancel()
        self.troubled = self.broker_away = False
        for disk in self.disks.values():
            disk.trouble = disk.lies = 0.0
        self.database.trouble = self.database.lies = 0.0
        await asyncio.sleep(QUIET_S)
        if not self.programs.defects:
            self._stop.set()
            await self.programs.stop()

    async def _broker_comes_and_goes(self) -> None:
        while True:
            await asyncio.sleep(self.chance.expovariate(1 / 3600))
            self.broker_away = True
            if self.chance.random() < 0.25:
                self.wipes += 1
                for records in self.topic.records.values():
                    records.clear()
                self.topic.remembered.clear()
            await asyncio.sleep(self.chance.uniform(1, 1200))
            self.broker_away = False

    def _clock(self, name: str) -> SimulatedClock:
        """Return a clock for a new life: another boot, and a wall that may have been corrected meanwhile."""
        self._lives += 1
        step_ns = self.chance.choice((0, 0, 0, self.chance.randint(-60, 60) * 1_000_000_000)) if self.troubled else 0
        wall_ns = MONDAY_NS + self.loop.now_ns + step_ns
        return SimulatedClock(self.loop, wall_ns, boot=f"{name}-{self._lives}")

    async def _daemon(self, process: Process, source: str) -> None:
        clock = self._clock(source)
        disk = self.disks[source]
        log = SimulatedLog(disk, process, clock)
        world = simulated_world(clock, f"{source}/{self._lives}/{self.chance.random()}")
        sender = AttemptSender(
            transport=Wire(clock, self.chance),
            log=log,
            keys=Secrets({}),
            limits=LimitsTable(),
            keeper=BodyKeeper(BlobStore(Path("unused"), clock), inline_bytes=1_000_000, world=world),
            telemetry=Telemetry(),
            world=world,
        )
        workload = OneLine()
        catalogue = _catalogue(source)
        daemon = Daemon(
            started=daemon_started(configuration_sha256="", vantage=source, simulated=True),
            catalogue=catalogue,
            plans=[plan_from(_PLAN)],
            engine=RunEngine(
                catalogue=catalogue,
                workloads={workload.name: workload},
                log=log,
                sender=sender,
                budget=DailyBudget(None),
                world=world,
            ),
            log=log,
            history=disk,
            waker=LoopWaker(clock, sweep_s=600),
            world=world,
            telemetry=Telemetry(),
        )
        await daemon.start()
        report = await daemon.run(self._stop, grace_s=300)
        if report.failure is not None:
            raise report.failure
        await log.close()

    async def _forward(self, process: Process, source: str) -> None:
        marks = self.marks[source]
        marks.process = process
        forwarder = Forwarder(
            self.disks[source],
            TopicSink(self, process),
            marks,
            clock=self._clock(source),
            pause=lambda seconds: asyncio.sleep(max(seconds, 60)),
            draw=random.Random(self.chance.random()),  # replayable on purpose
        )
        until = self.disks[source]
        await forwarder.run(lambda: self._stop.is_set() and marks.mark.seq == until.last_seq())

    async def _fold_topic(self, process: Process) -> None:
        await self._fold(process, KafkaSource(Carrier(self.topic, "projections")))

    async def _fold_log(self, process: Process, source: str) -> None:
        await self._fold(process, LogSource(self.disks[source]))

    async def _fold(self, process: Process, source: EventSource) -> None:
        store = MemoryStore(self.database, process, self.chance)
        life = self._lives = self._lives + 1
        runner = Runner(
            store,
            PROJECTIONS,
            Definitions(),
            pace=Pace(batch_events=self.chance.randint(1, 60), slice_events=self.chance.randint(1, 20)),
            nonce=lambda: f"life-{life}",
            now_ns=lambda: MONDAY_NS + self.loop.now_ns,
        )
        try:
            await runner.open()
            if isinstance(source, KafkaSource):
                await source.open()
            while not (self._stop.is_set() and self._all_folded()):
                if not await runner.step(source):
                    await asyncio.sleep(120)
                assert not runner.stopped, f"a reader stopped: {runner.stopped}"
        finally:
            await source.close()

    def _all_folded(self) -> bool:
        reached: dict[str, int] = {}
        for row in self.database.final("checkpoints"):
            reached[row.source] = min(row.seq, reached.get(row.source, row.seq))  # type: ignore[attr-defined]  # a checkpoint's
        return all(reached.get(source) == disk.last_seq() for source, disk in self.disks.items()) and not any(
            name.startswith("daemon") for name in (process.name for process in self.programs.living())
        )

    def broken_laws(self) -> list[str]:
        """Every law that this history broke, in words; empty when all held."""
        found = [f"a program broke: {defect!r}" for defect in self.programs.defects]
        for source, disk in self.disks.items():
            found += [f"{source}: acknowledged event {seq} is gone" for seq in acknowledged_but_gone(disk)]
            found += _broken_in_log(source, disk)
            if not self.embedded:
                found += _broken_in_topic(source, disk, self.topic, wiped=self.wipes > 0)
        clean = Database()
        for disk in self.disks.values():
            folded = fold_batch(disk.events, PROJECTIONS, {}, Definitions())
            for name, rows in folded.rows.items():
                clean.rows.setdefault(name, []).extend(rows)
        for name in sorted(clean.tables):
            if name not in _NOT_FOLDED and self.database.final(name) != clean.final(name):
                live, right = len(self.database.final(name)), len(clean.final(name))
                found.append(f"table {name} has {live} rows, a clean fold {right}, or their contents differ")
        return found

    def fingerprint(self) -> str:
        """Hash over everything that was stored, for comparing two runs of one seed."""
        digest = hashlib.sha256()
        for disk in self.disks.values():
            for stored in disk.events:
                digest.update(stored.raw)
        for partition in self.topic.records.values():
            for record in partition:
                digest.update(record.value or b"")
        for name, rows in sorted(self.database.rows.items()):
            digest.update(repr((name, rows)).encode())
        return digest.hexdigest()


def play(seed: int, lie: Lie | None = None) -> Cluster:
    """Live one seed to its end, or until a program breaks; ``lie`` makes a part break its word."""
    loop = InlineLoop()

    async def main() -> Cluster:
        cluster = Cluster(loop, seed, lie)
        await cluster.live()
        return cluster

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(main())


def _catalogue(source: str) -> CatalogueDeclared:
    return CatalogueDeclared(
        sha256="",
        vantage=source,
        providers=(ProviderFacts(name="p", title="P", concurrency=4),),
        endpoints=tuple(
            EndpointFacts(name=name, provider="p", dialect="openai-chat", base_url="http://p", model=name)
            for name in ("a", "b")
        ),
        accounts=(AccountFacts(name="primary", provider="p", kind="primary"),),
        definitions=Definitions(),
    )


def _broken_in_log(source: str, disk: Disk) -> list[str]:
    planned: set[object] = set()
    sent: set[object] = set()
    completed: list[object] = []
    for place, stored in enumerate(disk.events, 1):
        if stored.envelope.seq != place:
            return [f"{source}: position {place} has event {stored.envelope.seq}"]
        event = decode_event(stored.envelope)
        if isinstance(event, RunPlanned):
            planned |= {attempt.attempt for attempt in event.attempts}
        elif isinstance(event, RequestSent):
            sent.add(event.attempt)
        elif isinstance(event, AttemptCompleted):
            completed.append(event.attempt)
    found = [
        f"{source}: attempt {attempt} ended {completed.count(attempt)} times"
        for attempt in planned | sent
        if completed.count(attempt) != 1
    ]
    ids = {stored.envelope.id for stored in disk.events}
    return found if len(ids) == len(disk.events) else [*found, f"{source}: identifiers repeat"]


def _broken_in_topic(source: str, disk: Disk, topic: MemoryTopic, *, wiped: bool) -> list[str]:
    """Order in the topic; after a wipe a batch that was on its way may lie before the log that is sent again."""
    reached = 0
    for record in topic.records[topic.partition_of(source)]:
        if record.key != source.encode():
            continue
        envelope = decode_envelope(record.value or b"")
        if envelope.seq > reached + 1:
            if wiped:
                continue
            return [f"{source}: in the topic {envelope.seq} follows {reached}"]
        if disk.events[envelope.seq - 1].envelope.id != envelope.id:
            return [f"{source}: the topic has another event at {envelope.seq}"]
        reached = max(reached, envelope.seq)
    return (
        [] if reached == disk.last_seq() else [f"{source}: the topic ends at {reached}, the log at {disk.last_seq()}"]
    )
