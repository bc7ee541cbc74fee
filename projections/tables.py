"""Tables as data: a row type, its columns' ClickHouse types, units and comments, and the DDL made of them.

The row type is the one source of a table's shape. Statements that change existing tables are in
``projections/migrations``; nothing here talks to a store.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Annotated, Any, ClassVar, get_type_hints

import msgspec

from projections.layout import Layout, quoted

UTC_TIME = "DateTime64(6, 'UTC')"
NAME = "LowCardinality(String)"
MAYBE_NAME = "LowCardinality(Nullable(String))"


class Column(msgspec.Struct, frozen=True):
    """Metadata of one column; stands in ``Annotated`` beside the Python type of the row's field."""

    type: str
    comment: str
    codec: str = ""


class Row(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A row of some table. ``(source, seq)`` is the position of the event that it was folded from."""

    source: Annotated[str, Column(NAME, "daemon whose log holds the event")]
    seq: Annotated[int, Column("UInt64", "position of the event in that log")]


class TimedRow(Row, frozen=True, kw_only=True):
    """A row with a place in time."""

    time: Annotated[datetime, Column(UTC_TIME, "when, by the daemon's wall clock")]


class NamedColumn(msgspec.Struct, frozen=True):
    """A column of a table."""

    name: str
    column: Column


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table of the store.

    order_by: the sorting key; its last parts must tell rows of different events apart, because rows with
        equal keys replace one another.
    partition_by: an expression, or empty for one partition.
    granule_rows: rows between two marks of the sorting key, 0 for the server's own choice.
    version: column whose greatest value survives among rows with equal keys; empty for the latest insert.
    """

    name: str
    row: type[msgspec.Struct]
    order_by: tuple[str, ...]
    partition_by: str = "toYYYYMM(time)"
    version: str = ""
    granule_rows: int = 0
    indices: tuple[str, ...] = ()
    comment: str = ""

    # Rows must be on the disk before the checkpoint that says so. A partition that gets no more rows becomes one
    # part, over which FINAL costs nothing; the age is above the hours between two slots, so that one still in use is
    # not written again and again.
    SETTINGS: ClassVar[tuple[tuple[str, int], ...]] = (
        ("fsync_after_insert", 1),
        ("fsync_part_directory", 1),
        ("min_age_to_force_merge_seconds", 4 * 3600),
        ("min_age_to_force_merge_on_partition_only", 1),
    )
    # a retried insert with the same token is the same insert; replicated tables remember tokens in the keeper
    DEDUPLICATION: ClassVar[tuple[tuple[str, int], ...]] = (("non_replicated_deduplication_window", 1000),)
    REPLICATED_DEDUPLICATION: ClassVar[tuple[tuple[str, int], ...]] = (("replicated_deduplication_window", 1000),)

    @property
    def columns(self) -> tuple[NamedColumn, ...]:
        """Columns in the order of the row type's fields."""
        return _columns_of(self.row)


def create_statement(table: Table, name: str | None = None, layout: Layout | None = None) -> str:
    """DDL of a table, under its own name or another one, for the usual layout or another one."""
    layout = layout or Layout()
    lines = [
        f"    `{entry.name}` {entry.column.type}{_codec(entry.column)} COMMENT {quoted(entry.column.comment)}"
        for entry in table.columns
    ]
    lines += [f"    INDEX {index}" for index in table.indices]
    partition = f"\nPARTITION BY {table.partition_by}" if table.partition_by else ""
    remembered = Table.REPLICATED_DEDUPLICATION if layout.replicated else Table.DEDUPLICATION
    granules = (("index_granularity", table.granule_rows),) if table.granule_rows else ()
    settings = ", ".join(f"{key} = {value}" for key, value in (*remembered, *Table.SETTINGS, *granules))
    columns = ",\n".join(lines)
    return (
        f"CREATE TABLE IF NOT EXISTS {layout.qualified(name or table.name)}{layout.on_cluster}\n(\n{columns}\n)\n"
        f"ENGINE = {layout.engine(table.version)}{partition}\n"
        f"ORDER BY ({', '.join(table.order_by)})\nSETTINGS {settings}\nCOMMENT {quoted(table.comment)}"
    )


@cache  # every insert asks
def _columns_of(row: type[msgspec.Struct]) -> tuple[NamedColumn, ...]:
    hints = get_type_hints(row, include_extras=True)
    return tuple(NamedColumn(name, _column_of(row, name, hints)) for name in row.__struct_fields__)


def _codec(column: Column) -> str:
    return f" CODEC({column.codec})" if column.codec else ""


def _column_of(row: type[msgspec.Struct], name: str, hints: dict[str, Any]) -> Column:
    for extra in getattr(hints[name], "__metadata__", ()):
        if isinstance(extra, Column):
            return extra
    raise TypeError(f"{row.__name__}.{name} has no Column in its annotation")
