"""Several processes that open the same new tables at once: one makes them, all find them whole."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import msgspec
import pytest
from own_server import foreign_server, login_to

from projections.migrations import MIGRATIONS, TABLES
from projections.store.child import ChildServer
from projections.store.clickhouse import ClickHouseStore

pytestmark = pytest.mark.clickhouse

# Migrates up to a step that empties a projection: done twice, it would take what was folded in between.
MIGRATING = """
import asyncio, sys
import msgspec
from projections.migrations import MIGRATIONS, Migration, migrate
from projections.store.clickhouse import ClickHouseStore
from projections.store.login import Login
async def main():
    store = await ClickHouseStore.log_in(msgspec.json.decode(sys.stdin.buffer.read(), type=Login))
    again = Migration(number=len(MIGRATIONS) + 1, name="again", statements=(), refold=("runs",))
    applied = await migrate(store, migrations=(*MIGRATIONS, again) if sys.argv[1] == "again" else MIGRATIONS)
    print(len(applied))
    await store.close()
asyncio.run(main())
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChildServer]:
    with foreign_server(tmp_path_factory.mktemp("together")) as running:
        yield running


def migrated_at_once(server: ChildServer, step: str, processes: int = 4) -> list[int]:
    started = [
        subprocess.Popen([sys.executable, "-c", MIGRATING, step], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(processes)
    ]
    login = msgspec.json.encode(login_to(server))
    for process in started:
        assert process.stdin is not None
        process.stdin.write(login)
        process.stdin.close()
        process.stdin = None
    return sorted(int(process.communicate()[0]) for process in started)


async def test_of_several_processes_one_applies_each_migration(server: ChildServer) -> None:
    """Four processes at once make the tables once and apply a later migration once; all four end well."""
    assert migrated_at_once(server, "fresh") == [0, 0, 0, len(MIGRATIONS)]
    assert migrated_at_once(server, "again") == [0, 0, 0, 1]
    store = await ClickHouseStore.log_in(login_to(server))
    names = await store.select("SELECT name FROM system.tables WHERE database = 'lab_tables'")
    assert {name for (name,) in names.rows} == {table.name for table in TABLES}
    await store.close()
