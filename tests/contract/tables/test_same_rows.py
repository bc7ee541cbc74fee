"""Golden streams in tables: a rebuild, and a fold in other batches, gives the same rows to the byte."""

from __future__ import annotations

from datetime import timedelta

import pytest
from golden_events import golden_events
from made_events import NOON, MadeLog, endpoint

from projections.pace import Pace
from projections.rebuild import rebuild
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions

pytestmark = pytest.mark.clickhouse


def log_of_streams() -> MadeLog:
    """Every event of every golden stream, behind the catalogue that knows their endpoint."""
    log = MadeLog()
    log.open(endpoint("e"))
    for number, each in enumerate(golden_events()):
        log.add(each.event, NOON + timedelta(milliseconds=number))
    return log


async def row_bytes(store: ClickHouseStore) -> dict[str, list[str]]:
    """All rows of all tables that projections fill, each as the bytes that ClickHouse stores its values in."""
    return {
        table.name: [
            row[0]
            for row in (
                await store.select(
                    f"SELECT hex(formatRow('RowBinary', *)) AS row FROM {table.name} FINAL ORDER BY row"
                )
            ).rows
        ]
        for projection in PROJECTIONS
        for table in projection.tables
    }


async def test_rows_of_golden_streams_are_the_same_bytes_after_a_rebuild(store: ClickHouseStore) -> None:
    """Folded once, and rebuilt in batches of another size, every row of every table has the same bytes."""
    log = log_of_streams()
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))
    before = await row_bytes(store)
    compared = await rebuild(
        store, LogSource(log), PROJECTIONS, Definitions(), pace=Pace(batch_events=37), old="drop"
    )
    after = await row_bytes(store)
    assert all(comparison.same for comparison in compared), compared
    assert len(before["attempts"]) > 100
    assert len(before["events"]) == len(log.events)
    assert before["timelines"]
    assert after == before
