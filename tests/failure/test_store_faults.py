"""Inserts into a server that refuses, runs full or is cut off: repeated under one token, stored once, or told."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from uuid import UUID

import msgspec
import pytest
from made_events import NOON, MadeLog
from own_server import Fault, Proxy, foreign_server, login_to, no_sleep

from projections.checkpoints import CHECKPOINTS
from projections.errors import StoreBusyError, StoreError, StoreLostError
from projections.migrations import TABLES, migrate
from projections.pace import Pace
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.child import ChildServer
from projections.store.clickhouse import ClickHouseStore
from projections.store.retrying import BUSY, Patience
from schemas.definitions import Definitions

pytestmark = pytest.mark.clickhouse

ONCE = [table for table in TABLES if table.name not in ("migrations", "definitions", "rebuilds")]


def made(runs: int = 3) -> MadeLog:
    log = MadeLog()
    log.open()
    for hour in range(runs):
        log.run(NOON + timedelta(hours=3 * hour), {}, {"failure_kind": "overloaded"})
    return log


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChildServer]:
    with foreign_server(tmp_path_factory.mktemp("faulty")) as running:
        yield running


@pytest.fixture
def proxy(server: ChildServer) -> Iterator[Proxy]:
    with Proxy(server.address.http_port) as running:
        yield running


@pytest.fixture
async def store(server: ChildServer, proxy: Proxy) -> AsyncIterator[ClickHouseStore]:
    opened = await ClickHouseStore.log_in(
        login_to(server, proxy.port), patience=Patience((0.0, 0.0, 0.0)), sleep=no_sleep
    )
    await migrate(opened)
    for table in TABLES:
        if table.name != "migrations":
            await opened.execute(opened.layout.truncate(table.name))
    yield opened
    await opened.close()


async def counts(store: ClickHouseStore, final: str = "") -> dict[str, int]:
    return {t.name: (await store.select(f"SELECT count() FROM {t.name} {final}")).rows[0][0] for t in ONCE}


async def fold(store: ClickHouseStore, log: MadeLog, batch: int = 7) -> Runner:
    runner = Runner(store, PROJECTIONS, Definitions(), pace=Pace(batch_events=batch))
    await runner.open()
    await runner.fold_available(LogSource(log))
    return runner


@pytest.mark.parametrize("fault", ["cut after", "cut before", 252, 241, 243, 242, 319], ids=str)
async def test_inserts_of_which_every_second_fails_are_stored_once(
    store: ClickHouseStore, server: ChildServer, proxy: Proxy, fault: Fault
) -> None:
    """Whatever befalls every second insert that reaches the server, each row is there once, even without FINAL."""
    log = made()
    await fold(store, log)
    undisturbed = await counts(store)
    for table in ONCE:
        await store.execute(store.layout.truncate(table.name))

    class Always(list[Fault]):
        """Every other one fails, whosever it is: a batch's tables are inserted at once."""

        turn = 0

        def __bool__(self) -> bool:
            return True

        def pop(self, _: object = 0) -> Fault:  # type: ignore[override]
            self.turn += 1
            return fault if self.turn % 2 else None  # type: ignore[return-value]

    # One insert may meet a fault again and again while those beside it go through.
    patient = await ClickHouseStore.log_in(
        login_to(server, proxy.port), patience=Patience((0.0,) * 50), sleep=no_sleep
    )
    proxy.faults = Always()
    seen = proxy.seen
    await fold(patient, log)
    proxy.faults = []
    await patient.close()
    assert proxy.seen - seen > 10
    assert await counts(store) == undisturbed


@pytest.mark.parametrize("fault", ["cut after", "cut before", 252], ids=str)
@pytest.mark.parametrize("table", ["attempts", "events", "checkpoints"])
async def test_a_runner_that_gave_up_between_rows_and_checkpoint_leaves_nothing_double(
    store: ClickHouseStore, proxy: Proxy, fault: Fault, table: str
) -> None:
    """Cut off for good before, between or after rows and checkpoint, the next runner ends with the same tables."""
    log = made()
    runner = Runner(store, PROJECTIONS, Definitions(), pace=Pace(batch_events=7))
    await runner.open()
    await runner.step(LogSource(log))
    proxy.during = rb"INSERT INTO [`.\w]*\b%s\b" % table.encode()
    proxy.faults = [fault] * 40  # the client's own library tries again after a cut, too
    with pytest.raises(StoreLostError if isinstance(fault, str) else StoreBusyError):
        await runner.step(LogSource(log))
    assert len(proxy.faults) < 40
    proxy.faults = []
    await fold(store, log)
    events = await store.select("SELECT count(), uniqExact(seq), max(seq) FROM events FINAL")
    assert events.rows == ((len(log.events),) * 3,)
    places = await store.select(f"SELECT DISTINCT seq FROM {CHECKPOINTS.name} FINAL")
    assert places.rows == ((len(log.events),),)


async def test_what_no_waiting_mends_is_not_repeated(store: ClickHouseStore, proxy: Proxy) -> None:
    """A refusal for good is told after one try."""
    proxy.faults = [60, 60]
    with pytest.raises(StoreError, match="the tables refused"):
        await store.insert(CHECKPOINTS, [place()], token="a")
    assert proxy.faults == [60]


@pytest.mark.parametrize("code", sorted(BUSY))
async def test_what_passes_is_told_as_such_when_it_does_not(store: ClickHouseStore, proxy: Proxy, code: int) -> None:
    """A server that stays unable is reported with its reason after the last try, and the insert can come later."""
    proxy.faults = [code] * 4
    with pytest.raises(StoreBusyError, match=r"not able to for now \("):
        await store.insert(CHECKPOINTS, [place()], token="a")
    await store.insert(CHECKPOINTS, [place()], token="a")
    assert (await counts(store))["checkpoints"] == 1


async def test_too_many_parts_for_real(store: ClickHouseStore) -> None:
    """A table that has all the parts it may have refuses as busy, and takes the same batch once they are merged."""
    await store.execute("SYSTEM STOP MERGES checkpoints")
    await store.execute("ALTER TABLE checkpoints MODIFY SETTING parts_to_throw_insert = 3, parts_to_delay_insert = 3")
    try:
        for seq in range(1, 4):
            await store.insert(CHECKPOINTS, [place(seq)], token=f"t{seq}")
        with pytest.raises(StoreBusyError, match="too many parts"):
            await store.insert(CHECKPOINTS, [place(9)], token="t9")
    finally:
        await store.execute("SYSTEM START MERGES checkpoints")
        await store.execute("ALTER TABLE checkpoints RESET SETTING parts_to_throw_insert, parts_to_delay_insert")
    await store.insert(CHECKPOINTS, [place(9)], token="t9")
    assert (await store.select("SELECT max(seq) FROM checkpoints FINAL")).rows == ((9,),)


def place(seq: int = 1) -> msgspec.Struct:
    return CHECKPOINTS.row(  # type: ignore[call-arg]
        source="lab", seq=seq, projection="test", version=1, definition="d", event=UUID(int=seq), state=""
    )
