"""Migrations: fresh equals migrated, and tables that are not what this build declares are noticed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from made_events import NOON, MadeLog

from projections.errors import SchemaError
from projections.migrations import MIGRATIONS, TABLES, Migration, migrate
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from projections.store.contract import Store
from projections.tables import Row, create_statement
from schemas.definitions import Definitions

pytestmark = pytest.mark.clickhouse

FIRST = Path(__file__).parents[2] / "golden" / "tables" / "0001.sql"


async def shape(store: ClickHouseStore) -> dict[str, list[tuple[object, ...]]]:
    """Everything about tables and columns that a statement could see."""
    columns = await store.select(
        "SELECT table, position, name, type, comment, compression_codec, is_in_sorting_key FROM system.columns "
        "WHERE database = 'messwerk' ORDER BY table, position"
    )
    tables = await store.select(
        "SELECT name, engine_full, comment FROM system.tables WHERE database = 'messwerk' ORDER BY name"
    )
    return {"columns": list(columns.rows), "tables": list(tables.rows)}


async def test_fresh_equals_migrated(
    empty_store: ClickHouseStore, emptied: Callable[[Store], Awaitable[None]]
) -> None:
    """Tables of the first build, brought up by every migration, are the tables that a fresh store gets."""
    for statement in FIRST.read_text(encoding="utf-8").split(";\n"):
        if statement.strip():
            await empty_store.execute(statement)
    await empty_store.execute("INSERT INTO migrations VALUES (1, 'first tables')")
    await migrate(empty_store)
    migrated = await shape(empty_store)
    await emptied(empty_store)
    await migrate(empty_store)
    assert await shape(empty_store) == migrated


async def test_migrations_are_applied_once_and_in_order(store: ClickHouseStore) -> None:
    """What a store has is recorded, and only what is missing is applied, by rising number."""
    numbers = [migration.number for migration in MIGRATIONS]
    assert numbers == list(range(1, len(numbers) + 1))
    assert await migrate(store) == []
    recorded = await store.select("SELECT number, name FROM migrations FINAL ORDER BY number")
    assert recorded.rows == tuple((migration.number, migration.name) for migration in MIGRATIONS)


async def test_a_migration_can_have_a_projection_folded_again(store: ClickHouseStore) -> None:
    """A migration whose old rows lack something empties the projection, and the next fold begins at position 0."""
    log = MadeLog()
    log.open()
    log.run(NOON, {})
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))
    step = Migration(
        number=len(MIGRATIONS) + 1,
        name="again",
        statements=("ALTER TABLE runs MODIFY COMMENT 'changed'",),
        refold=("runs",),
    )
    assert await migrate(store, migrations=(*MIGRATIONS, step)) == [step]
    assert (await store.select("SELECT count() FROM runs FINAL")).rows == ((0,),)
    again = Runner(store, PROJECTIONS, Definitions())
    await again.open()
    assert await again.fold_available(LogSource(log)) == len(log.events)
    counts = await store.select("SELECT (SELECT count() FROM runs FINAL), (SELECT count() FROM attempts FINAL)")
    assert counts.rows == ((1, 1),)


async def test_a_forgotten_migration_is_noticed(store: ClickHouseStore) -> None:
    """A column that differs from its declaration is named when the store is opened."""
    await store.execute("ALTER TABLE calibrations DROP COLUMN streams")
    with pytest.raises(SchemaError, match=r"calibrations .*streams"):
        await migrate(store)


async def test_tables_of_a_newer_build_are_left_alone(store: ClickHouseStore) -> None:
    """A store with a migration that this build does not know is refused with what to do."""
    await store.execute("INSERT INTO migrations VALUES (9999, 'from the future')")
    with pytest.raises(SchemaError, match=r"newer build \(migration 9999; this build knows 1\): upgrade"):
        await migrate(store)


def test_columns_are_documented_and_keys_tell_events_apart() -> None:
    """Every column has a comment, and every table of events has the position in its key."""
    for table in TABLES:
        assert all(entry.column.comment for entry in table.columns), table.name
        fields = {entry.name for entry in table.columns}
        if issubclass(table.row, Row) and table.version != "seq":
            assert {"source", "seq"} <= set(table.order_by), table.name
        assert set(table.order_by) <= fields
        assert create_statement(table).count("`") == 2 * len(table.columns)


@pytest.mark.parametrize("layout", ["layout-single", "layout-cluster", "layout-replicated-database"])
async def test_the_engine_parses_the_statements_of_every_layout(empty_store: ClickHouseStore, layout: str) -> None:
    """ClickHouse's own parser reads the golden statements of each layout."""
    statements = (FIRST.parent / f"{layout}.sql").read_text(encoding="utf-8").split(";\n")
    whole = [text for text in statements if text and "attempts_rebuilt" not in text.split("\n")[0][:70]]
    assert len(whole) > 5
    for text in whole:
        assert (await empty_store.select("SELECT formatQuery({text:String})", {"text": text})).rows[0][0]
