"""The fallback store: the engine inside our own process, where a child cannot listen.

One process per directory, no other client, no reader's rights; calls are carried out one after the other in
a thread. The engine keeps one directory for as long as any client of it is open.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import clickhouse_connect
import msgspec
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError

from projections.errors import StoreError
from projections.store.clickhouse import INSERT_SETTINGS
from projections.store.contract import Argument, Selection, Store
from projections.store.native import columns_of
from projections.store.retrying import Patience, brief, classified, repeated
from projections.tables import Table

T = TypeVar("T")

_READS: Final = re.compile(r"\s*(SELECT|WITH|SHOW|DESCRIBE|EXPLAIN)\b", re.IGNORECASE)


class InProcessStore(Store):
    """Tables of an engine in this process."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, directory: Path) -> InProcessStore:
        """Open the engine over ``directory`` and make the database if it is not there."""
        path = str(directory / "data")
        try:
            client = await asyncio.to_thread(clickhouse_connect.get_client, interface="chdb", path=path)
        except ClickHouseError as problem:
            raise StoreError(f"cannot open the engine in this process over {path}: {problem}") from problem
        store = cls(client)
        await store.execute(store.layout.create_database())
        await store.execute(f"USE {store.layout.database}")
        return store

    async def select(self, sql: str, arguments: Mapping[str, Argument] | None = None) -> Selection:
        """See :class:`Store`. There is no reader to log in as, so anything but reading is refused by its verb."""
        if not _READS.match(sql):
            raise StoreError(f"not a query that only reads: {brief(sql)}")

        def read() -> Selection:
            result = self._client.query(sql, parameters=dict(arguments or {}), tz_mode="aware")
            return Selection(
                names=tuple(result.column_names),
                types=tuple(kind.name for kind in result.column_types),
                rows=tuple(tuple(row) for row in result.result_rows),
            )

        return await self._repeated(read, sql)

    async def execute(self, statement: str) -> None:
        """See :class:`Store`."""

        def change() -> None:
            self._client.command(statement)

        await self._done(change, statement)

    async def insert(
        self, table: Table, rows: Sequence[msgspec.Struct], *, token: str, into: str | None = None
    ) -> None:
        """See :class:`Store`."""
        if not rows:
            return
        names, types, columns = columns_of(table, rows)
        settings: dict[str, Any] = {**INSERT_SETTINGS, "insert_deduplication_token": token}

        def write() -> None:
            context = self._client.create_insert_context(
                into or table.name,
                column_names=names,
                column_types=types,
                database=self.layout.database,
                column_oriented=True,
                settings=settings,
                data=columns,
            )
            context.block_row_count = len(rows)
            self._client.data_insert(context)

        await self._repeated(write, f"INSERT INTO {into or table.name}")

    async def close(self) -> None:
        """See :class:`Store`."""
        await asyncio.to_thread(self._client.close)

    async def _done(self, action: Callable[[], T], what: str) -> T:
        async with self._turn:
            try:
                return await asyncio.to_thread(action)
            except ClickHouseError as problem:
                raise classified(problem, what) from problem

    async def _repeated(self, action: Callable[[], T], what: str) -> T:
        async def once() -> T:
            async with self._turn:
                return await asyncio.to_thread(action)

        return await repeated(once, what, patience=Patience())
