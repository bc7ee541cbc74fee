"""Rebuilds that are killed at any point, and servers that are killed under them: the tables end right."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import msgspec
import pytest
from own_server import foreign_server, login_to
from rebuilding import history

from projections.embedded import open_embedded
from projections.errors import StoreError
from projections.migrations import migrate
from projections.pace import Pace
from projections.rebuild import rebuild
from projections.rebuilds import read_rebuilds
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store import claims
from projections.store.child import ChildServer
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions

pytestmark = [pytest.mark.clickhouse, pytest.mark.timeout(600)]

KILLS = 12
REBUILDER = Path(__file__).parents[1] / "support" / "rebuilding.py"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChildServer]:
    with foreign_server(tmp_path_factory.mktemp("killed")) as running:
        yield running


@pytest.fixture
async def store(server: ChildServer) -> AsyncIterator[ClickHouseStore]:
    opened = await ClickHouseStore.log_in(login_to(server))
    await migrate(opened)
    yield opened
    await opened.close()


async def test_killed_anywhere_a_rebuild_is_finished_by_the_next(
    store: ClickHouseStore, server: ChildServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often a rebuild is killed, others fold on, and the tables end as a clean rebuild makes them."""
    monkeypatch.setattr(claims, "USUAL", claims.Patience(renew_s=0.2, dead_after_s=2))
    log = history()
    folding = Runner(store, PROJECTIONS, Definitions(), pace=Pace(batch_events=60))
    await folding.open()
    await folding.fold_available(LogSource(log))
    chance = random.Random(4)
    phases: set[str] = set()
    for _ in range(KILLS):
        process = subprocess.Popen(  # noqa: ASYNC220  # starts at once
            [sys.executable, str(REBUILDER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(msgspec.json.encode(login_to(server)))
        process.stdin.close()
        assert await asyncio.to_thread(process.stdout.readline) == b"begun\n"
        await asyncio.sleep(chance.uniform(0.0, 4.0))
        process.kill()
        process.wait()
        process.stdout.close()
        phases |= {row.phase for row in (await read_rebuilds(store)).values()}
        # Another process starts, finishes what it finds begun, and folds.
        beside = Runner(store, PROJECTIONS, Definitions())
        await beside.open()
        await beside.fold_available(LogSource(log))
        events = await store.select("SELECT count(), uniqExact(seq), max(seq) FROM events FINAL")
        assert events.rows == ((len(log.events),) * 3,)
    assert "folding" in phases
    compared = await rebuild(store, LogSource(log), PROJECTIONS, Definitions())
    again = await rebuild(store, LogSource(log), PROJECTIONS, Definitions())
    assert all(each.same for each in (*compared, *again)), (compared, again)


async def test_a_server_that_is_killed_under_a_rebuild_loses_nothing(tmp_path: Path) -> None:
    """A child killed in each of several rebuilds comes back, and the tables end as a clean rebuild makes them."""
    log = history()
    chance = random.Random(5)
    async with open_embedded(tmp_path, Definitions(), pace=Pace()) as tables:
        await tables.fold_available(LogSource(log))
        server = tables.server
        assert server is not None
        for _ in range(4):
            rebuilding = asyncio.create_task(
                rebuild(tables.store, LogSource(log), PROJECTIONS, Definitions(), pace=Pace(batch_events=60))
            )
            await asyncio.sleep(chance.uniform(0.1, 2.0))
            os.kill(server.pid, signal.SIGKILL)
            try:
                await rebuilding
            except StoreError:
                continue  # a statement that must not be repeated was cut off; the next rebuild goes on
        await tables.runner.open()
        await tables.runner.fold_available(LogSource(log))
        again = await rebuild(tables.store, LogSource(log), PROJECTIONS, Definitions())
        assert all(each.same for each in again), again
        counted = await tables.store.select("SELECT count(), uniqExact(seq) FROM events FINAL")
        assert counted.rows == ((len(log.events),) * 2,)
