"""What is known of rebuilds under way and done, kept in the store: one row a projection.

A rebuild may be killed anywhere. The next one, or the next process that folds, reads here how far it came.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from projections.store.contract import Store
from projections.tables import NAME, Column, Table

PREFIX = "rebuild:"
"""Stands before a projection's name in checkpoints of tables that are not in place yet."""

Phase = Literal["folding", "exchanging", "following", "done"]
"""folding: into shadow tables. exchanging: some are in place. following: all are, and what came meanwhile is
missing in them; the checkpoint that counts is the rebuild's. done: the old tables are kept for a while."""


Old = Literal["day", "keep", "drop"]
"""Old tables stay for a day, for good, or not at all."""


class RebuildRow(msgspec.Struct, frozen=True, kw_only=True):
    """State of a projection's last rebuild."""

    projection: Annotated[str, Column(NAME, "projection")]
    change: Annotated[int, Column("UInt64", "when this was written, nanoseconds since 1970")]
    phase: Annotated[str, Column(NAME, "folding, exchanging, following or done")]
    definition: Annotated[str, Column(NAME, "definitions that the new rows are made with")]
    version: Annotated[int, Column("UInt32", "version of the projection that makes them")]
    tables: Annotated[tuple[str, ...], Column("Array(String)", "names of the projection's tables")]
    uuids: Annotated[tuple[str, ...], Column("Array(String)", "UUIDs of the new ones, in the same order")]
    old: Annotated[str, Column(NAME, "what becomes of the old tables: day, keep or drop")]
    compared: Annotated[str, Column("String", "what the comparison found, as JSON", codec="ZSTD(3)")]


REBUILDS = Table(
    name="rebuilds",
    row=RebuildRow,
    order_by=("projection",),
    partition_by="",
    version="change",
    comment="how far the last rebuild of each projection came",
)


async def read_rebuilds(store: Store) -> Mapping[str, RebuildRow]:
    """State of every projection's last rebuild, by projection."""
    columns = ", ".join(RebuildRow.__struct_fields__)
    found = await store.select(f"SELECT {columns} FROM {REBUILDS.name} FINAL")  # noqa: S608  # declared names
    return {
        row["projection"]: RebuildRow(**{**row, "tables": tuple(row["tables"]), "uuids": tuple(row["uuids"])})
        for row in found.dicts()
    }


async def write_rebuilds(store: Store, rows: Sequence[RebuildRow]) -> None:
    """Write later states of projections' rebuilds, all of them or none."""
    token = ",".join(f"{row.projection}/{row.change}/{row.phase}" for row in rows)
    await store.insert(REBUILDS, rows, token=f"rebuilds/{token}")


def shadow(table: str) -> str:
    """Name under which a table is built anew, and under which the old one lies until all is done."""
    return f"{table}_rebuilt"


def before(table: str) -> str:
    """Name under which an old table is kept."""
    return f"{table}_before"


async def table_uuids(store: Store, names: Sequence[str]) -> Mapping[str, str]:
    """UUID by name of those tables that exist; it stays with a table when tables are exchanged."""
    found = await store.select(
        "SELECT name, toString(uuid) FROM system.tables WHERE database = {database:String} "
        "AND has({names:Array(String)}, name)",
        {"database": store.layout.database, "names": list(names)},
    )
    return dict(found.rows)
