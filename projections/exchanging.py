"""Putting rebuilt tables in place, so that a kill at any point leaves something that the next process can finish.

The state of a rebuild (``projections/rebuilds.py``) is written before each step, and which table is which is
told by UUIDs, so every step may be done again. From the exchange until the new tables have caught up with
what others put into the old ones, the rebuild's checkpoint counts and the projection's own does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Final

import msgspec

from projections.checkpoints import CHECKPOINTS, CheckpointRow, forget_checkpoints, read_checkpoints
from projections.errors import StoreLostError
from projections.rebuilds import Phase, RebuildRow, before, read_rebuilds, shadow, table_uuids, write_rebuild
from projections.store.claims import claimed
from projections.store.contract import Store

KEPT_FOR: Final = timedelta(days=1)
_TRIES: Final = 5


async def finish_exchanges(store: Store, now_ns: Callable[[], int]) -> Mapping[str, RebuildRow]:
    """Finish every exchange that was interrupted; return the state of all rebuilds."""
    rebuilds = await read_rebuilds(store)
    if all(row.phase != "exchanging" for row in rebuilds.values()):
        return rebuilds
    async with claimed(store, "exchange"):
        for row in (await read_rebuilds(store)).values():
            if row.phase == "exchanging":
                await _exchange(store, row)
                await advanced(store, row, "following", now_ns)
    return await read_rebuilds(store)


async def advanced(store: Store, row: RebuildRow, phase: Phase, now_ns: Callable[[], int]) -> RebuildRow:
    """Write that a rebuild has reached another phase."""
    later = msgspec.structs.replace(row, phase=phase, change=max(now_ns(), row.change + 1))
    await write_rebuild(store, later)
    return later


async def finish_following(
    store: Store, row: RebuildRow, reached: Sequence[CheckpointRow], now_ns: Callable[[], int]
) -> None:
    """Let a projection's own checkpoint count again, at the places ``reached``, and put the old tables aside.

    The rebuild's checkpoint is then to be forgotten, of all that have finished at once.
    """
    ahead = {place.source: place.seq for place in reached}
    mine = [place for place in await read_checkpoints(store) if place.projection == row.projection]
    if any(place.seq > ahead.get(place.source, 0) for place in mine):
        # Of another log, or of a source that is no more: as the higher position it would win.
        await forget_checkpoints(store, [row.projection])
    token = ",".join(f"{place.source}:{place.seq}:{place.event}" for place in reached)
    await store.insert(CHECKPOINTS, reached, token=f"following/{row.projection}/{row.change}/{token}")
    await put_aside(store, row)
    await advanced(store, row, "done", now_ns)


async def put_aside(store: Store, row: RebuildRow) -> None:
    """Rename what the new tables replaced, or drop it."""
    there = await table_uuids(store, [shadow(table) for table in row.tables])
    for table in row.tables:
        if shadow(table) in there:
            await store.execute(store.layout.drop(before(table)))
            statement = store.layout.rename(shadow(table), before(table))
            await store.execute(store.layout.drop(shadow(table)) if row.old == "drop" else statement)


async def tidy(store: Store, now_ns: int) -> Sequence[str]:
    """Drop old tables that were kept for their day; return their names."""
    dropped: list[str] = []
    kept_ns = KEPT_FOR // timedelta(microseconds=1) * 1000
    for row in (await read_rebuilds(store)).values():
        if row.phase == "done" and row.old == "day" and now_ns - row.change >= kept_ns:
            for name in sorted(await table_uuids(store, [before(table) for table in row.tables])):
                await store.execute(store.layout.drop(name))
                dropped.append(name)
    return dropped


async def _exchange(store: Store, row: RebuildRow) -> None:
    for table, uuid in zip(row.tables, row.uuids, strict=True):
        for _ in range(_TRIES):
            if (await table_uuids(store, [table])).get(table) == uuid:
                break
            try:
                await store.execute(store.layout.exchange(table, shadow(table)))
            except StoreLostError:
                continue  # the UUID tells whether it was carried out
        else:
            raise StoreLostError(f"table {table} and {shadow(table)} could not be exchanged: run `messwerk rebuild`")
