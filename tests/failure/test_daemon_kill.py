"""kill -9 of a measuring daemon, again and again over one data directory, and of the tables' server beside it.

``MESSWERK_KILL_SEED`` repeats the moments of an earlier run; which one it was is printed.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from daemons import (
    READY,
    SOURCE,
    SUPPORT,
    Acknowledged,
    Measured,
    ReferenceServerThread,
    acknowledged,
    assert_closed,
    events_of,
    measure_without_end,
    write_configuration,
)

from daemon.composition import make_daemon
from daemon.configuration import load
from daemon.live import live_parts, read_secrets
from daemon.log import SqliteReader
from daemon.log.verify import verify
from daemon.paths import DataPaths
from projections.embedded import Tables, open_embedded
from projections.errors import StoreError
from projections.pace import Pace
from projections.registry import PROJECTIONS
from projections.source import EventSource, LogSource
from schemas.definitions import Definitions
from schemas.events import AttemptCompleted, DaemonStarted, RequestSent, RunPlanned
from schemas.log import StoredEvent

ROUNDS = 40
ROUNDS_KILLED_EARLY = 8
FOLDS = 6
PROFILES = ("calibration-fine", "calibration-quick", "calibration-thinking", "crowded", "jittery")


class Survived(msgspec.Struct, frozen=True):
    """What forty kills left behind. ``ends``: the log's end after each of them."""

    seed: int
    paths: DataPaths
    acknowledged: list[Acknowledged]
    ends: list[int]


class Child:
    """A daemon under way, forked from a process that has everything loaded already."""

    def __init__(self, data: Path, configuration: Path) -> None:
        context = multiprocessing.get_context("forkserver")
        self._told, tell = context.Pipe(duplex=False)
        self._process = context.Process(target=measure_without_end, args=(data, configuration, tell))
        self._process.start()
        tell.close()
        self._text = ""

    def listen(self, seconds: float, *, until: str | None = None) -> None:
        """Take up what it tells, for so long, or until it has told something."""
        end_s = time.monotonic() + seconds
        while (left_s := end_s - time.monotonic()) > 0 and (until is None or until not in self._text):
            if self._told.poll(left_s):
                self._text += self._told.recv_bytes().decode()
        assert until is None or until in self._text, f"the daemon did not say {until!r} within {seconds:g} s"

    def kill(self) -> list[Acknowledged]:
        """Kill it and return everything that it had told by then."""
        self._process.kill()
        self._process.join()
        # The last message may have been cut short by the kill.
        with suppress(EOFError, OSError):
            while True:
                self._text += self._told.recv_bytes().decode()
        self._told.close()
        self._process.close()
        return acknowledged(self._text)


@pytest.fixture(scope="module", autouse=True)
def forkserver() -> Iterator[None]:
    """Have children forked from a process that has loaded everything, so that a start takes no second."""
    with pytest.MonkeyPatch.context() as patch:
        # The fork server looks for what to load beforehand by its own path, which is not this process's.
        patch.setenv("PYTHONPATH", str(SUPPORT))
        multiprocessing.get_context("forkserver").set_forkserver_preload(["daemons"])
        yield


@pytest.fixture(scope="module")
def survived(tmp_path_factory: pytest.TempPathFactory, reference: ReferenceServerThread) -> Survived:
    """Kill forty daemons over one data directory, then start and stop one in order."""
    seed = int(os.environ.get("MESSWERK_KILL_SEED", random.randrange(10**6)))
    print(f"MESSWERK_KILL_SEED={seed}")
    chance = random.Random(seed)
    root = tmp_path_factory.mktemp("killed")
    configuration = write_configuration(
        root / "configuration", reference.base_url, [Measured(profile=name) for name in PROFILES]
    )
    paths = DataPaths(root / "data")
    early = set(chance.sample(range(1, ROUNDS), ROUNDS_KILLED_EARLY))
    told: list[Acknowledged] = []
    ends: list[int] = []
    for number in range(ROUNDS):
        child = Child(paths.root, configuration)
        if number in early:
            child.listen(chance.uniform(0.0, 0.3))  # perhaps before it has recovered from the kill before
        else:
            child.listen(60.0, until=READY)
            child.listen(chance.uniform(0.1, 1.5))
        told += child.kill()
        with closing(SqliteReader(paths.log)) as reader:
            ends.append(reader.last_seq())
    asyncio.run(start_and_stop(paths, configuration))
    return Survived(seed, paths, told, ends)


async def start_and_stop(paths: DataPaths, directory: Path) -> None:
    """Start a daemon without plans, which recovers, and stop it in order."""
    configuration = load(directory)
    async with live_parts(configuration, paths, read_secrets(configuration, "json", "error")) as parts:
        daemon = make_daemon(configuration, parts)
        await daemon.start()
        await daemon.stopped("finished")


@pytest.mark.timeout(600)
def test_everything_acknowledged_is_in_the_log(survived: Survived) -> None:
    """After forty kills every acknowledged event is at its position under its id; no position was given twice."""
    told = survived.acknowledged
    assert len({event.seq for event in told}) == len(told)
    with closing(SqliteReader(survived.paths.log)) as reader:
        for event in told:
            stored = reader.get(event.seq)
            assert stored is not None, f"event {event.seq} is gone (seed {survived.seed})"
            assert stored.envelope.id == event.id


def test_the_kills_met_daemons_at_work(survived: Survived) -> None:
    """The test itself: kills met sent and planned requests of overlapping runs, and some answers came through."""
    events = events_of(survived.paths.log)
    starts = [event for event in events if isinstance(event, DaemonStarted)]
    assert ROUNDS - ROUNDS_KILLED_EARLY < len(starts) <= ROUNDS + 1
    completed = [event for event in events if isinstance(event, AttemptCompleted)]
    crashed = [event for event in completed if event.failure is not None and event.failure.kind == "crash"]
    assert {event.timing.sent_wall_ns is None for event in crashed} == {True, False}
    assert any(event.status == "response" for event in completed)
    overlapping = [
        before
        for before, after in pairwise(events)
        if isinstance(before, RunPlanned) and isinstance(after, RunPlanned | RequestSent)
    ]
    assert overlapping


def test_nothing_is_left_open(survived: Survived) -> None:
    """Every request that was sent or planned has exactly one end once the last daemon has started."""
    assert_closed(events_of(survived.paths.log))


def test_the_log_is_sound(survived: Survived) -> None:
    """Positions are contiguous, every checkpoint's root holds, and `messwerk log verify` says so."""
    with closing(SqliteReader(survived.paths.log)) as reader:
        assert verify(reader).uncovered <= 1
    verified = subprocess.run(
        [sys.executable, "-m", "daemon.cli", "log", "verify", "--data", str(survived.paths.root)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert verified.returncode == 0, verified.stderr


class UpTo(EventSource):
    """A log as it was when it ended at some position."""

    def __init__(self, source: EventSource, end: int) -> None:
        self._source = source
        self._end = end

    async def read_after(self, positions: Any, *, limit: int) -> list[StoredEvent]:
        """See :class:`EventSource`."""
        batch = await self._source.read_after(positions, limit=limit)
        return [stored for stored in batch if stored.envelope.seq <= self._end]

    async def ends(self) -> dict[str, int]:
        """See :class:`EventSource`."""
        return {SOURCE: self._end}

    async def identify(self, source: str, seq: int) -> Any:
        """See :class:`EventSource`."""
        return await self._source.identify(source, seq)


async def contents(tables: Tables) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, in the order of the sorting key."""
    found = {}
    for table in (table for projection in PROJECTIONS for table in projection.tables):
        columns = ", ".join(entry.name for entry in table.columns)
        rows = await tables.store.select(
            f"SELECT {columns} FROM {table.name} FINAL ORDER BY {', '.join(table.order_by)}"
        )
        found[table.name] = [tuple(map(repr, row)) for row in rows.rows]
    return found


async def fold(tables: Tables, source: EventSource, chance: random.Random | None) -> None:
    """Fold everything; with ``chance`` kill the tables' server at a random moment of it."""
    folding = asyncio.create_task(tables.fold_available(source))
    if chance is not None:
        assert tables.server is not None
        await asyncio.sleep(chance.uniform(0.0, 0.4))
        os.kill(tables.server.pid, signal.SIGKILL)
    try:
        await folding
    except StoreError:
        # A statement that broke may have been carried out or not; folding again is what the daemon does then.
        await tables.fold_available(source)


@pytest.mark.clickhouse
@pytest.mark.timeout(600)
async def test_the_tables_are_those_of_a_rebuild(survived: Survived, tmp_path: Path) -> None:
    """Tables folded in rounds, their server killed in some, equal tables that are folded from zero, row by row."""
    chance = random.Random(survived.seed)
    ends = [*survived.ends[:: ROUNDS // FOLDS], 10**9]
    with closing(SqliteReader(survived.paths.log)) as reader:
        for number, end in enumerate(ends):
            async with open_embedded(survived.paths.tables, Definitions(), pace=Pace(batch_events=150)) as tables:
                await fold(tables, UpTo(LogSource(reader), end), chance if number % 2 else None)
                grown = await contents(tables)
        async with open_embedded(tmp_path / "anew", Definitions(), pace=Pace()) as tables:
            await tables.fold_available(LogSource(reader))
            anew = await contents(tables)
        size = reader.last_seq()
    assert len(anew["events"]) == size
    assert len(anew["attempts"]) > ROUNDS
    for name, rows in anew.items():
        assert grown[name] == rows, f"table {name} (seed {survived.seed})"
