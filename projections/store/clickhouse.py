"""A store over ClickHouse's HTTP interface: the child of our own, or any server of the same tables.

Inserts are synchronous, one block a batch, under a deduplication token. Reading goes through a client of its
own that logs in as the reader.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import aiohttp
import clickhouse_connect
import msgspec
from clickhouse_connect.driver.asyncclient import AsyncClient
from clickhouse_connect.driver.exceptions import ClickHouseError, OperationalError

from projections.errors import StoreError, StoreLostError
from projections.store.contract import Argument, Selection, Store
from projections.store.directory import ServerAddress
from projections.store.settings import OWNER, READER, Secret
from projections.tables import DATABASE, Table

T = TypeVar("T")

# Part of every insert: asynchronous inserts acknowledge before rows are stored, and squashing into several
# blocks could store half a batch.
INSERT_SETTINGS: Final[Mapping[str, int]] = {"async_insert": 0, "insert_deduplicate": 1, "max_insert_threads": 1}

_LOST = (OperationalError, aiohttp.ClientError, TimeoutError, ConnectionError)


class ClickHouseStore(Store):
    """Tables on a ClickHouse server. ``recover`` is called when it is not reached; it may start it again."""

    def __init__(
        self, writer: AsyncClient, reader: AsyncClient, recover: Callable[[], Awaitable[object]] | None = None
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._recover = recover

    @classmethod
    async def connect(
        cls,
        address: ServerAddress,
        secret: Secret,
        recover: Callable[[], Awaitable[object]] | None = None,
    ) -> ClickHouseStore:
        """Log in as owner and as reader, and make the database if it is not there."""
        writer = await _client(address, OWNER, secret.owner)
        try:
            await writer.command(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
            writer.database = DATABASE
            reader = await _client(address, READER, secret.reader, DATABASE)
        except BaseException:
            await writer.close()
            raise
        return cls(writer, reader, recover)

    async def select(self, sql: str, arguments: Mapping[str, Argument] | None = None) -> Selection:
        """See :class:`Store`."""

        async def read() -> Selection:
            result = await self._reader.query(sql, parameters=dict(arguments or {}), tz_mode="aware")
            return Selection(
                names=tuple(result.column_names),
                types=tuple(kind.name for kind in result.column_types),
                rows=tuple(tuple(row) for row in result.result_rows),
            )

        return await self._repeated(read, sql)

    async def execute(self, statement: str) -> None:
        """See :class:`Store`."""
        try:
            await self._writer.command(statement)
        except _LOST as problem:
            await self._recovered(problem)
            raise StoreLostError(
                f"connection to the tables broke during: {_brief(statement)}; repeat it"
            ) from problem
        except ClickHouseError as problem:
            raise _refused(problem, statement) from problem

    async def insert(
        self, table: Table, rows: Sequence[msgspec.Struct], *, token: str, into: str | None = None
    ) -> None:
        """See :class:`Store`."""
        if not rows:
            return
        names, types, columns = columns_of(table, rows)

        async def write() -> None:
            context = await self._writer.create_insert_context(
                into or table.name,
                column_names=names,
                column_type_names=types,
                database=DATABASE,
                column_oriented=True,
                settings={**INSERT_SETTINGS, "insert_deduplication_token": token},
                data=columns,
            )
            context.block_row_count = len(rows)  # the client would cut blocks by size
            await self._writer.data_insert(context)

        await self._repeated(write, f"INSERT INTO {into or table.name}")

    async def close(self) -> None:
        """See :class:`Store`."""
        await self._writer.close()
        await self._reader.close()

    async def _repeated(self, action: Callable[[], Awaitable[T]], what: str) -> T:
        """Carry out something that may safely happen twice; once more after a broken connection."""
        try:
            return await action()
        except _LOST as problem:
            await self._recovered(problem)
        except ClickHouseError as problem:
            raise _refused(problem, what) from problem
        try:
            return await action()
        except _LOST as problem:
            raise StoreLostError(
                f"connection to the tables broke twice during: {_brief(what)}: {problem}"
            ) from problem
        except ClickHouseError as problem:
            raise _refused(problem, what) from problem

    async def _recovered(self, problem: Exception) -> None:
        if self._recover is None:
            raise StoreLostError(f"the tables' server is not to be reached: {problem}") from problem
        await self._recover()


def columns_of(table: Table, rows: Sequence[msgspec.Struct]) -> tuple[list[str], list[str], list[list[Any]]]:
    """Names, types and values of rows, column by column."""
    columns = table.columns
    return (
        [entry.name for entry in columns],
        [entry.column.type for entry in columns],
        [[getattr(row, entry.name) for row in rows] for entry in columns],
    )


async def _client(address: ServerAddress, user: str, password: str, database: str | None = None) -> AsyncClient:
    try:
        return await clickhouse_connect.get_async_client(
            host=address.host,
            port=address.http_port,
            username=user,
            password=password,
            database=database,
            compress=False,  # loopback: compressing costs more than it saves
            query_retries=0,
        )
    except (ClickHouseError, *_LOST) as problem:
        raise StoreError(
            f"cannot log in to the tables' server at {address.host}:{address.http_port} as {user}: {problem}"
        ) from problem


def _refused(problem: Exception, what: str) -> StoreError:
    return StoreError(f"the tables refused: {_brief(what)}: {problem}")


def _brief(text: str) -> str:
    return " ".join(text.split())[:200]
