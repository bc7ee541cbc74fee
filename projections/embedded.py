"""The read side put together for one process: a child of our own or another server, its store, a runner over it.

The composition root opens it and folds; nothing here knows of daemons, pages or commands.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from projections.contract import AnyProjection
from projections.exchanging import tidy
from projections.migrations import migrate, require_tables
from projections.pace import GENTLE, Pace
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import EventSource
from projections.store.child import ChildServer
from projections.store.clickhouse import ClickHouseStore
from projections.store.contract import Store
from projections.store.directory import running_server
from projections.store.inprocess import InProcessStore
from projections.store.login import Login
from projections.store.successor import Successor
from schemas.definitions import Definitions


class Tables:
    """An open store and the runner that fills it."""

    def __init__(self, store: Store, runner: Runner, server: ChildServer | None) -> None:
        self.store = store
        self.runner = runner
        self.server = server
        self._opened = False
        self._folding = asyncio.Lock()

    async def fold_available(self, source: EventSource) -> int:
        """Fold everything that the source has; return how many events were new.

        Raises :class:`projections.errors.FoldedOtherwiseError` when a rebuild is needed first.
        """
        async with self._folding:
            await self._open()
            return await self.runner.fold_available(source)

    async def follow(self, source: EventSource, stop: asyncio.Event, *, interval_s: float = 1.0) -> None:
        """Fold what is there and what comes until ``stop`` is set."""
        async with self._folding:
            await self._open()
            await self.runner.follow(source, stop, interval_s=interval_s)

    async def _open(self) -> None:
        if not self._opened:
            await tidy(self.store, time.time_ns())
            await self.runner.open()
            self._opened = True


@asynccontextmanager
async def open_embedded(
    tables_dir: Path,
    definitions: Definitions,
    *,
    projections: Sequence[AnyProjection] = PROJECTIONS,
    pace: Pace = GENTLE,
    http_port: int = 0,
    native_port: int = 0,
    heirs: bool = False,
) -> AsyncIterator[Tables]:
    """Start a child over ``tables_dir``, bring its tables to shape, and stop it at the end.

    Port 0 means any free one; Grafana wants a fixed ``native_port``. The child is started again if it dies. heirs:
    others who use it may serve it once this process is gone.
    """
    server = await ChildServer.start(
        tables_dir, http_port=http_port, native_port=native_port, definition=definitions.id, heirs=heirs
    )
    try:
        store = await ClickHouseStore.connect(server.address, server.secret, server.ensure_running)
        try:
            await migrate(store)
            yield Tables(store, Runner(store, projections, definitions, pace=pace), server)
        finally:
            await store.close()
    finally:
        await server.stop()


@asynccontextmanager
async def open_in_process(
    tables_dir: Path, definitions: Definitions, *, pace: Pace | None = None
) -> AsyncIterator[Tables]:
    """Open the engine in this very process: the fallback where no child can be started or nothing may listen.

    No other process can read the tables meanwhile, not even Grafana; one process can have one directory open.
    """
    store = await InProcessStore.open(tables_dir)
    try:
        await migrate(store)
        yield Tables(store, Runner(store, PROJECTIONS, definitions, pace=pace or Pace()), None)
    finally:
        await store.close()


@asynccontextmanager
async def open_server(login: Login, definitions: Definitions, *, pace: Pace | None = None) -> AsyncIterator[Tables]:
    """Use a ClickHouse server or cluster that an operator runs."""
    store = await ClickHouseStore.log_in(login)
    try:
        await migrate(store)
        yield Tables(store, Runner(store, PROJECTIONS, definitions, pace=pace or Pace()), None)
    finally:
        await store.close()


@asynccontextmanager
async def open_for_reading(login: Login) -> AsyncIterator[Store]:
    """Use tables that others fill, as the user who only reads. Raises :class:`SchemaError` when there are none."""
    store = await ClickHouseStore.read_only(login)
    try:
        await require_tables(store)
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def open_running_or_embedded(
    tables_dir: Path, definitions: Definitions, *, pace: Pace | None = None
) -> AsyncIterator[Tables]:
    """Use the child that another process of ours already runs over ``tables_dir``, or start one for now.

    ``Tables.server`` is None in the first case: that process does the folding. When it ends, whoever uses its child
    serves it on.
    """
    found = running_server(tables_dir)
    if found is None:
        async with open_embedded(tables_dir, definitions, pace=pace or Pace(), heirs=True) as tables:
            yield tables
        return
    successor = Successor(tables_dir, found[0], definitions.id)
    try:
        store = await ClickHouseStore.connect(*found, successor.ensure_running)
        try:
            await migrate(store)
            yield Tables(store, Runner(store, PROJECTIONS, definitions, pace=pace or Pace()), None)
        finally:
            await store.close()
    finally:
        await successor.stop()
