"""Rows as one block of ClickHouse's Native format, handed over piece by piece.

The block of a full batch has tens of megabytes. Made in one piece it would be copied whole several times on its
way to the socket, each time into memory that the system has to clear first; in pieces the same memory serves again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Final

import msgspec
from clickhouse_connect.datatypes.base import ClickHouseType
from clickhouse_connect.driver.common import write_leb128
from clickhouse_connect.driver.compression import get_compressor
from clickhouse_connect.driver.insert import InsertContext

from projections.store.packed import column_type
from projections.tables import Table

PIECE_BYTES: Final = 256 * 1024
_AT_ONCE: Final = 256


def columns_of(
    table: Table, rows: Sequence[msgspec.Struct]
) -> tuple[list[str], list[ClickHouseType], list[list[Any]]]:
    """Names, types and values of rows, column by column."""
    names = [entry.name for entry in table.columns]
    values: list[list[Any]] = [[] for _ in names]
    for first in range(0, len(rows), _AT_ONCE):  # few enough to stay in the processor's cache
        part = map(msgspec.structs.astuple, rows[first : first + _AT_ONCE])
        for column, more in zip(values, zip(*part, strict=True), strict=True):
            column.extend(more)
    return names, [column_type(entry.column.type) for entry in table.columns], values


def native_insert(table: Table, rows: Sequence[msgspec.Struct], into: str) -> Iterator[bytearray]:
    """Write statement and block; each part is some :data:`PIECE_BYTES` long, longer where one column is."""
    names, types, columns = columns_of(table, rows)
    context = InsertContext(into, names, types)
    part = bytearray(f"INSERT INTO {into} ({', '.join(names)}) FORMAT Native\n".encode())
    write_leb128(len(names), part)
    write_leb128(len(rows), part)
    for place, (name, kind) in enumerate(zip(names, types, strict=True)):
        for text in (name, kind.insert_name):
            write_leb128(len(text.encode()), part)
            part += text.encode()
        context.start_column(name)
        kind.write_column(columns[place], part, context)
        columns[place] = []
        if len(part) >= PIECE_BYTES:
            yield part
            part = bytearray()
    if part:
        yield part


class Sending:
    """The body of one insert. ``problem`` is what went wrong while it was made, which the server cannot know."""

    def __init__(self, parts: Iterator[bytearray], compression: str | None) -> None:
        self._parts = parts
        self._compressor = get_compressor(compression)
        self.problem: Exception | None = None

    async def pieces(self) -> AsyncIterator[Any]:
        """Bytes in order, made in a thread one part at a time. What is broken off is no block to the server."""
        while True:
            try:
                part = await asyncio.to_thread(self._next)
            except Exception as problem:
                self.problem = problem
                raise
            if part is None:
                break
            for first in range(0, len(part), PIECE_BYTES):
                yield memoryview(part)[first : first + PIECE_BYTES]
        end: bytes | None = self._compressor.flush()  # type: ignore[no-untyped-call]  # the client's own has no types
        if end:
            yield end

    def _next(self) -> bytes | bytearray | None:
        part = next(self._parts, None)
        return None if part is None else self._compressor.compress_block(part)
