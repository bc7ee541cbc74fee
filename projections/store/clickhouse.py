"""A store over ClickHouse's HTTP interface: the child of our own, or a server or cluster that an operator runs.

Inserts are synchronous, one block a batch, under a deduplication token. Reading goes through a client of its
own that logs in as the reader.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import clickhouse_connect
import msgspec
from clickhouse_connect.driver.asyncclient import AsyncClient
from clickhouse_connect.driver.exceptions import ClickHouseError

from projections.errors import StoreError, StoreLostError
from projections.layout import Layout
from projections.store.contract import Argument, Selection, Store
from projections.store.directory import ServerAddress
from projections.store.login import Login
from projections.store.native import Sending, native_insert
from projections.store.retrying import LOST, Patience, Sleep, brief, classified, repeated
from projections.store.settings import OWNER, READER, Secret
from projections.tables import Table

T = TypeVar("T")

# Part of every insert: asynchronous inserts acknowledge before rows are stored, and squashing into several
# blocks could store half a batch.
INSERT_SETTINGS: Final[Mapping[str, Any]] = {"async_insert": 0, "insert_deduplicate": 1, "max_insert_threads": 1}

# A checkpoint that survives a lost server while its rows do not would be a hole, so most replicas must have
# either before the next is written. Quorum inserts one after the other are what lets a read see all of them.
REPLICATED_INSERT_SETTINGS: Final[Mapping[str, Any]] = {
    **INSERT_SETTINGS,
    "insert_quorum": "auto",
    "insert_quorum_parallel": 0,
    "insert_quorum_timeout": 60_000,
}
REPLICATED_READ_SETTINGS: Final[Mapping[str, Any]] = {"select_sequential_consistency": 1}

# Every server of the cluster must have carried a statement out, or it fails aloud.
CLUSTER_SETTINGS: Final[Mapping[str, Any]] = {
    "distributed_ddl_task_timeout": 180,
    "distributed_ddl_output_mode": "throw",
}


class ClickHouseStore(Store):
    """Tables on a ClickHouse server. ``recover`` is called when it is not reached; it may start it again."""

    def __init__(
        self,
        writer: AsyncClient,
        reader: AsyncClient,
        layout: Layout | None = None,
        *,
        recover: Callable[[], Awaitable[object]] | None = None,
        patience: Patience | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._layout = layout or Layout()
        self._recover = recover
        self._patience = patience or Patience()
        self._sleep = sleep

    @classmethod
    async def connect(
        cls,
        address: ServerAddress,
        secret: Secret,
        recover: Callable[[], Awaitable[object]] | None = None,
    ) -> ClickHouseStore:
        """Log in to a child of our own as owner and as reader, and make the database if it is not there."""
        login = Login(
            host=address.host,
            port=address.http_port,
            user=OWNER,
            password=secret.owner,
            reader=READER,
            reader_password=secret.reader,
        )
        return await cls.log_in(login, recover=recover)

    @classmethod
    async def log_in(
        cls,
        login: Login,
        *,
        recover: Callable[[], Awaitable[object]] | None = None,
        patience: Patience | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> ClickHouseStore:
        """Log in to any server as writer and as reader, and make the database if it is not there.

        Raises :class:`StoreError` when a login, the database or the cluster is not to be had.
        """
        layout = login.layout
        writer = await _client(login, login.user, login.password, _writer_settings(layout))
        try:
            await _prepare(writer, layout)
            writer.database = layout.database
            reader = await _client(login, *_reading(login), database=layout.database)
        except BaseException:
            await writer.close()
            raise
        return cls(writer, reader, layout, recover=recover, patience=patience, sleep=sleep)

    @classmethod
    async def read_only(cls, login: Login) -> ClickHouseStore:
        """Log in as whoever reads, and as nobody else: what would change something is refused by the server."""
        reader = await _client(login, *_reading(login), database=login.layout.database)
        return cls(reader, reader, login.layout)

    @property
    def layout(self) -> Layout:
        """See :class:`Store`."""
        return self._layout

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
        except (ClickHouseError, *LOST) as problem:
            failure = classified(problem, statement)
            if isinstance(failure, StoreLostError) and self._recover is not None:
                await self._recover()
            raise failure from problem

    async def insert(
        self, table: Table, rows: Sequence[msgspec.Struct], *, token: str, into: str | None = None
    ) -> None:
        """See :class:`Store`."""
        if not rows:
            return
        insert_settings = REPLICATED_INSERT_SETTINGS if self._layout.replicated else INSERT_SETTINGS
        compression = self._writer.write_compression
        qualified = self._layout.qualified(into or table.name)

        async def write() -> None:
            sending = Sending(native_insert(table, rows, qualified), compression)
            try:
                await self._writer.raw_insert(
                    insert_block=sending.pieces(),
                    settings={**insert_settings, "insert_deduplication_token": token},
                    compression=compression,
                )
            except (ClickHouseError, *LOST):
                if sending.problem is not None:
                    raise sending.problem from None
                raise

        await self._repeated(write, f"INSERT INTO {into or table.name}")

    async def close(self) -> None:
        """See :class:`Store`."""
        await self._writer.close()
        await self._reader.close()

    async def _repeated(self, action: Callable[[], Awaitable[T]], what: str) -> T:
        return await repeated(action, what, patience=self._patience, recover=self._recover, sleep=self._sleep)


def _writer_settings(layout: Layout) -> Mapping[str, Any]:
    return CLUSTER_SETTINGS if layout.cluster else {}


def _reading(login: Login) -> tuple[str, str, Mapping[str, Any]]:
    """Name, password and settings of whoever reads; without a reader, the writer with its hands tied."""
    consistent = REPLICATED_READ_SETTINGS if login.layout.replicated else {}
    if login.reader is not None:
        return login.reader, login.reader_password, consistent
    return login.user, login.password, {**consistent, "readonly": 2}


async def _prepare(writer: AsyncClient, layout: Layout) -> None:
    """Find the cluster to be one of a single shard, and make the database."""
    try:
        if layout.cluster is not None:
            found = await writer.query(
                "SELECT uniqExact(shard_num) FROM system.clusters WHERE cluster = {name:String}",
                parameters={"name": layout.cluster},
            )
            shards = found.result_rows[0][0]
            if shards != 1:
                raise StoreError(
                    f"cluster {layout.cluster!r} has {shards} shards on this server, and tables need exactly one, "
                    "with any number of replicas: name another in messwerk.toml, [tables.server], cluster"
                )
        there = await writer.query(
            "SELECT count() FROM system.databases WHERE name = {name:String}", parameters={"name": layout.database}
        )
        # Whoever made the database may not want us to have the right to make one.
        if not there.result_rows[0][0]:
            await writer.command(layout.create_database())
    except (ClickHouseError, *LOST) as problem:
        raise StoreError(
            f"cannot prepare database {layout.database} on the tables' server: {brief(str(problem))}; make it by "
            "hand, or give the user of [tables.server] the right to"
        ) from problem


async def _client(
    login: Login, user: str, password: str, settings: Mapping[str, Any], *, database: str | None = None
) -> AsyncClient:
    try:
        return await clickhouse_connect.get_async_client(
            host=login.host,
            port=login.port,
            username=user,
            password=password,
            database=database,
            interface="https" if login.secure else "http",
            secure=login.secure,
            ca_cert=login.ca_file,
            settings=dict(settings),
            compress=not login.near,  # on loopback compressing costs more than it saves
            query_retries=0,
        )
    except (ClickHouseError, OSError, *LOST) as problem:
        raise StoreError(
            f"cannot log in to the tables' server at {login.host}:{login.port} as {user}: {problem}"
        ) from problem
