"""How fast events become rows: ``python -m tests.bench.folding [--attempts N] [--chunks F] [--kafka]``.

One made-up history (``tests/bench/year.py``) is read and folded in several ways: without tables; from the log into a
child of its own, at full speed and gently; into this very process; with ``--kafka`` from a real broker's topic as
well. Processor time of this process and of the child is told apart. Prints figures of this machine; asserts nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Final

from aiokafka import AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from daemon.forwarding.kafka_sink import BATCH_BYTES
from daemon.log.reader import SqliteReader
from projections.checkpoints import record_definitions
from projections.embedded import open_embedded, open_in_process
from projections.folding import Place, fold_batch
from projections.kafka.client import AiokafkaCarrier, KafkaAccess
from projections.kafka.source import KafkaSource
from projections.pace import GENTLE, Pace
from projections.registry import PROJECTIONS
from projections.source import EventSource, LogSource
from schemas.definitions import Definitions
from schemas.log import LogReader, StoredEvent
from tests.bench.scale import cpu
from tests.bench.year import Size, write_log
from tests.support.kafka import running_broker

GENTLE_ATTEMPTS: Final = 400
TOPIC: Final = "messwerk-events"


class Beginning(LogReader):
    """A log cut off after some events, for the slow ways."""

    def __init__(self, reader: LogReader, events: int) -> None:
        self._reader = reader
        self._events = events

    @property
    def source(self) -> str:
        return self._reader.source

    def read_after(self, seq: int, *, limit: int) -> Sequence[StoredEvent]:
        return self._reader.read_after(seq, limit=min(limit, self._events - seq)) if seq < self._events else ()

    def last_seq(self) -> int:
        return min(self._events, self._reader.last_seq())

    def close(self) -> None:
        self._reader.close()


def without_tables(reader: LogReader) -> None:
    """Read and fold in this thread, timing both."""
    pace, places = Pace(), dict[tuple[str, str], Place]()
    kinds: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    read_s = fold_s = 0.0
    seq = 0
    while True:
        begun = time.process_time()
        batch = reader.read_after(seq, limit=pace.batch_events)
        read_s += time.process_time() - begun
        if not batch:
            break
        seq = batch[-1].envelope.seq
        begun = time.process_time()
        for first in range(0, len(batch), pace.slice_events):
            folded = fold_batch(batch[first : first + pace.slice_events], PROJECTIONS, places, Definitions())
            places.update(folded.places)
        fold_s += time.process_time() - begun
        for stored in batch:
            kinds[stored.envelope.type] += 1
            sizes[stored.envelope.type] += len(stored.raw)
    for kind, count in kinds.most_common():
        print(f"    {kind:<20} {count / seq:7.2%} of the events, {sizes[kind] / count:9,.0f} bytes each")
    print(f"read alone:        {seq / read_s:9,.0f} events/s, {read_s / seq * 1e6:5.1f} us each")
    print(f"folded alone:      {seq / fold_s:9,.0f} events/s, {fold_s / seq * 1e6:5.1f} us each")


async def into_child(name: str, source: EventSource, directory: Path, pace: Pace) -> None:
    """Fold into a child, timed by the clock and by both processes' processor time."""
    async with open_embedded(directory, Definitions(), pace=pace) as tables:
        assert tables.server is not None
        await record_definitions(tables.store, Definitions())  # the client's first insert imports for a while
        before, begun = cpu(tables.server), time.perf_counter()
        events = await tables.fold_available(source)
        taken_s, after = time.perf_counter() - begun, cpu(tables.server)
    here_s, child_s = after.here_s - before.here_s, after.child_s - before.child_s
    print(
        f"{name:<18} {events / taken_s:9,.0f} events/s by the clock; in a second of processor time "
        f"{events / here_s:,.0f} of this process, {events / child_s:,.0f} of the child, "
        f"{events / (here_s + child_s):,.0f} of both together"
    )


async def disturbed(source: EventSource, directory: Path, pace: Pace) -> list[float]:
    """Fold into a child; return how late a sleeper in this loop woke meanwhile, in microseconds."""
    async with open_embedded(directory, Definitions(), pace=pace) as tables:
        done = asyncio.Event()
        watching = asyncio.create_task(lateness_us(done))
        await tables.fold_available(source)
        done.set()
        return await watching


async def lateness_us(until: asyncio.Event) -> list[float]:
    """Measure how late the loop wakes from sleeps of one millisecond."""
    late: list[float] = []
    while not until.is_set():
        before = time.perf_counter()
        await asyncio.sleep(0.001)
        late.append((time.perf_counter() - before - 0.001) * 1e6)
    return sorted(late)


async def quiet() -> list[float]:
    """Lateness with nothing else going on."""
    done = asyncio.Event()
    asyncio.get_running_loop().call_later(3, done.set)
    return await lateness_us(done)


async def in_this_process(reader: LogReader, directory: Path) -> None:
    """Fold into the engine in this process."""
    async with open_in_process(directory, Definitions()) as tables:
        begun = time.perf_counter()
        events = await tables.fold_available(LogSource(reader))
        taken_s = time.perf_counter() - begun
    print(f"in this process:   {events / taken_s:9,.0f} events/s by the clock")


def topic_bytes(directory: Path) -> int:
    """Size of the topic's records on the broker's disk."""
    return sum(path.stat().st_size for path in directory.rglob(f"{TOPIC}-*/*.log"))


@asynccontextmanager
async def topic(reader: LogReader, directory: Path, attempts: int) -> AsyncIterator[KafkaSource]:
    """Send everything to a broker of our own, as the forwarder encodes it, and open the topic."""
    with running_broker(directory) as broker:
        client = {"bootstrap_servers": broker.bootstrap}
        admin = AIOKafkaAdminClient(**client)
        await admin.start()
        await admin.create_topics([NewTopic(TOPIC, num_partitions=1, replication_factor=1)])
        await admin.close()
        producer = AIOKafkaProducer(
            **client, acks="all", enable_idempotence=True, compression_type="zstd", max_batch_size=BATCH_BYTES
        )
        await producer.start()
        seq = 0
        while batch := reader.read_after(seq, limit=2000):
            for stored in batch:
                await producer.send(TOPIC, value=stored.raw, key=stored.envelope.source.encode())
            seq = batch[-1].envelope.seq
        await producer.stop()
        print(f"Kafka:             {topic_bytes(directory) / attempts:9,.0f} bytes an attempt in the topic")
        source = KafkaSource(AiokafkaCarrier(KafkaAccess(topic=TOPIC, client=client), "bench"))
        await source.open()
        try:
            yield source
        finally:
            await source.close()


def shown(name: str, late: list[float]) -> None:
    print(
        f"{name:<28} loop late by p50 {late[len(late) // 2]:7.0f} us, "
        f"p99 {late[int(len(late) * 0.99)]:7.0f} us, max {late[-1]:7.0f} us"
    )


async def everything(size: Size, directory: Path, *, kafka: bool) -> None:
    log = directory / "events.sqlite3"
    events = write_log(log, size)
    attempts = size.runs * size.endpoints
    print(
        f"{events:,} events, {attempts:,} attempts, {log.stat().st_size / attempts:,.0f} bytes an attempt in the log"
    )
    few = Beginning(SqliteReader(log), round(GENTLE_ATTEMPTS * events / attempts))
    with closing(SqliteReader(log)) as reader, closing(few):
        without_tables(reader)
        await into_child("log to child:", LogSource(reader), directory / "fast", Pace())
        await into_child("gently:", LogSource(few), directory / "gentle", GENTLE)
        await in_this_process(few, directory / "here")
        if kafka:
            async with topic(reader, directory / "kafka", attempts) as source:
                await into_child("Kafka to child:", source, directory / "from-kafka", Pace())
        shown("nothing folded", await quiet())
        shown("folding at full speed", await disturbed(LogSource(few), directory / "fast-again", Pace()))
        shown("folding gently", await disturbed(LogSource(few), directory / "gently-again", GENTLE))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=40_000)
    parser.add_argument("--chunks", type=float, default=1.0, help="factor on the length of answers")
    parser.add_argument("--kafka", action="store_true", help="from a real broker's topic, too")
    parser.add_argument("--dir", type=Path, default=None, help="where to work; a temporary directory by default")
    arguments = parser.parse_args()
    size = Size(attempts=arguments.attempts, chunks=arguments.chunks)
    with tempfile.TemporaryDirectory(dir=arguments.dir) as directory:
        asyncio.run(everything(size, Path(directory), kafka=arguments.kafka))


if __name__ == "__main__":
    main()
