"""One ClickHouse child for the whole session; each test gets an empty database in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from projections.layout import DATABASE
from projections.migrations import migrate
from projections.store.child import ChildServer
from projections.store.clickhouse import ClickHouseStore
from projections.store.contract import Store


@pytest.fixture(scope="session")
def tables_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChildServer]:
    """Start a child that tests share, outside of any test's event loop."""
    directory: Path = tmp_path_factory.mktemp("tables")
    server = asyncio.run(ChildServer.start(directory))
    yield server
    asyncio.run(server.stop())


async def drop_everything(store: Store) -> None:
    """Drop every table."""
    found = await store.select(
        "SELECT name FROM system.tables WHERE database = {database:String}", {"database": DATABASE}
    )
    for (name,) in found.rows:
        await store.execute(f"DROP TABLE {name} SYNC")


@pytest.fixture
async def empty_store(tables_server: ChildServer) -> AsyncIterator[ClickHouseStore]:
    """Connect to a store without tables."""
    store = await ClickHouseStore.connect(tables_server.address, tables_server.secret)
    await drop_everything(store)
    yield store
    await store.close()


@pytest.fixture
def emptied() -> Callable[[Store], Awaitable[None]]:
    """Return what drops every table of a store."""
    return drop_everything


@pytest.fixture
async def store(empty_store: ClickHouseStore) -> ClickHouseStore:
    """Connect to a store with all tables, empty."""
    await migrate(empty_store)
    return empty_store
