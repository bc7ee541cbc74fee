"""Bringing a store's tables to the shape that this build declares, one numbered step after the other.

Row types declare what tables are (one DDL source); a migration says how tables of an older build become that.
A fresh store is made from the declarations and counts every migration as applied. At each opening the real
columns are compared with the declared ones, so a forgotten migration is found at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

import msgspec

from projections.checkpoints import CHECKPOINTS, DEFINITIONS, forget_checkpoints
from projections.errors import SchemaError
from projections.lost import LOST
from projections.quarantine import QUARANTINE
from projections.rebuilds import REBUILDS
from projections.registry import PROJECTIONS
from projections.stops import STOPS
from projections.store.claims import Claim, claimed
from projections.store.contract import Store
from projections.tables import Column, Table, create_statement


class Migration(msgspec.Struct, frozen=True, kw_only=True):
    """One step. ``refold`` names projections that must begin again because old rows lack something.

    Each statement must be repeatable (``IF NOT EXISTS`` and the like): a crash may leave a step half done.
    ``{on_cluster}`` stands for the clause of that name. A replicated table tells its replicas of ``ALTER`` itself,
    and takes the clause no less.
    """

    number: int
    name: str
    statements: tuple[str, ...]
    refold: tuple[str, ...] = ()


class MigrationRow(msgspec.Struct, frozen=True, kw_only=True):
    """A migration that this store has."""

    number: Annotated[int, Column("UInt32", "number")]
    name: Annotated[str, Column("String", "name")]


MIGRATIONS_TABLE = Table(
    name="migrations",
    row=MigrationRow,
    order_by=("number",),
    partition_by="",
    comment="steps that brought the tables to their shape",
)

MIGRATIONS: Final[tuple[Migration, ...]] = (Migration(number=1, name="first tables", statements=()),)
"""In order of their numbers; never edited, only added to."""

TABLES: Final[tuple[Table, ...]] = (
    MIGRATIONS_TABLE,
    CHECKPOINTS,
    DEFINITIONS,
    REBUILDS,
    QUARANTINE,
    STOPS,
    LOST,
    *(table for projection in PROJECTIONS for table in projection.tables),
)
"""Every declared table."""


async def migrate(
    store: Store, *, migrations: Sequence[Migration] = MIGRATIONS, tables: Sequence[Table] = TABLES
) -> Sequence[Migration]:
    """Bring a store up to date and return what was applied to it.

    Several processes may do so at once: one does it, the others wait for it and find it done. Raises
    :class:`SchemaError` when the store was made by a newer build, or when its columns still differ after that.
    """
    if await _pending(store, migrations) or await _missing(store, tables):
        async with claimed(store, "migration") as claim:
            pending = await _pending(store, migrations)  # somebody may have done it meanwhile
            await _apply(store, pending, tables, claim)
    else:
        pending = []
    await _compare(store, tables)
    return pending


async def require_tables(store: Store) -> None:
    """Raise :class:`SchemaError` unless the tables are there and are what this build declares. Changes nothing."""
    if await _missing(store, TABLES):
        raise SchemaError(
            f"there are not all tables of this build in database {store.layout.database!r}: start `messwerk project` "
            "(or `messwerk up`) of this build over it first; it makes them"
        )
    await _compare(store, TABLES)


async def _pending(store: Store, migrations: Sequence[Migration]) -> Sequence[Migration]:
    """Migrations that the store has not had. Raises :class:`SchemaError` when it has had one too many."""
    if not await _exists(store, MIGRATIONS_TABLE.name):
        return migrations
    applied = {row[0] for row in (await store.select("SELECT number FROM migrations FINAL")).rows}
    unknown = applied - {migration.number for migration in migrations}
    if unknown:
        newest = max(migration.number for migration in migrations)
        raise SchemaError(
            f"the tables were made by a newer build (migration {max(unknown)}; this build knows {newest}): upgrade "
            "Messwerk, or delete the tables and let them be folded again from the log"
        )
    return [migration for migration in migrations if migration.number not in applied]


async def _missing(store: Store, tables: Sequence[Table]) -> bool:
    found = await store.select(
        "SELECT name FROM system.tables WHERE database = {database:String}", {"database": store.layout.database}
    )
    return not {table.name for table in tables} <= {row[0] for row in found.rows}


async def _apply(store: Store, pending: Sequence[Migration], tables: Sequence[Table], claim: Claim) -> None:
    fresh = not await _exists(store, MIGRATIONS_TABLE.name)
    if not fresh:
        for migration in pending:
            for statement in migration.statements:
                await store.execute(statement.replace("{on_cluster}", store.layout.on_cluster))
            for name in migration.refold:
                await claim.confirm()
                await _start_again(store, name)
    await _create(store, tables)
    rows = [MigrationRow(number=migration.number, name=migration.name) for migration in pending]
    if rows:
        await store.insert(MIGRATIONS_TABLE, rows, token=f"migrations/{rows[-1].number}")


async def _exists(store: Store, table: str) -> bool:
    found = await store.select(
        "SELECT count() FROM system.tables WHERE database = {database:String} AND name = {name:String}",
        {"database": store.layout.database, "name": table},
    )
    return bool(found.rows[0][0])


async def _create(store: Store, tables: Sequence[Table]) -> None:
    # The record of migrations comes last: without it, an interrupted creation simply starts again.
    for table in sorted(tables, key=lambda table: table.name == MIGRATIONS_TABLE.name):
        await store.execute(create_statement(table, layout=store.layout))


async def _start_again(store: Store, projection: str) -> None:
    await forget_checkpoints(store, [projection])
    for known in PROJECTIONS:
        if known.name == projection:
            for table in known.tables:
                await store.execute(store.layout.truncate(table.name))


async def _compare(store: Store, tables: Sequence[Table]) -> None:
    found = await store.select(
        "SELECT table, name, type FROM system.columns WHERE database = {database:String} ORDER BY table, position",
        {"database": store.layout.database},
    )
    real: dict[str, list[tuple[str, str]]] = {}
    for table_name, name, kind in found.rows:
        real.setdefault(table_name, []).append((name, kind))
    for table in tables:
        declared = [(entry.name, entry.column.type) for entry in table.columns]
        if real.get(table.name) != declared:
            wrong = sorted(set(declared) ^ set(real.get(table.name, ())))
            raise SchemaError(
                f"table {table.name} is not what this build declares (differs in {wrong or 'the order of columns'}): "
                "a migration is missing. Delete the tables to have them folded again from the log"
            )
