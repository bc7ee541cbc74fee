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
from projections.rebuilds import PREFIX, Phase, RebuildRow, before, read_rebuilds, shadow, table_uuids, write_rebuilds
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
        begun = [row for row in (await read_rebuilds(store)).values() if row.phase == "exchanging"]
        there = await table_uuids(store, [table for row in begun for table in row.tables])
        for row in begun:
            await _exchange(store, row, there)
        await advance(store, begun, "following", now_ns)
    return await read_rebuilds(store)


async def advance(store: Store, rows: Sequence[RebuildRow], phase: Phase, now_ns: Callable[[], int]) -> None:
    """Write that rebuilds have reached another phase."""
    if rows:
        now = now_ns()
        await write_rebuilds(
            store, [msgspec.structs.replace(row, phase=phase, change=max(now, row.change + 1)) for row in rows]
        )


async def finish_following(
    store: Store, rows: Sequence[RebuildRow], reached: Sequence[CheckpointRow], now_ns: Callable[[], int]
) -> None:
    """Let projections' own checkpoints count again, at the places ``reached``, and put the old tables aside.

    ``rows`` are as the caller has read them. Whatever is otherwise by now is left alone: somebody else has finished
    it, and the tables beside may be those of the next rebuild.
    """
    state = await read_rebuilds(store)
    rows = [row for row in rows if state.get(row.projection) == row]
    if not rows:
        return
    ahead = {(place.projection, place.source): place.seq for place in reached}
    finished = {row.projection for row in rows}
    reached = [place for place in reached if place.projection in finished]
    mine = [place for place in await read_checkpoints(store) if place.projection in finished]
    # Of another log, or of a source that is no more: as the higher position it would win.
    beyond = {place.projection for place in mine if place.seq > ahead.get((place.projection, place.source), 0)}
    await forget_checkpoints(store, beyond)
    token = ",".join(f"{place.projection}:{place.source}:{place.seq}:{place.event}" for place in reached)
    changes = ",".join(str(row.change) for row in rows)
    await store.insert(CHECKPOINTS, reached, token=f"following/{changes}/{token}")
    await _put_aside(store, rows)
    await advance(store, rows, "done", now_ns)
    await forget_checkpoints(store, [PREFIX + name for name in finished])


async def _put_aside(store: Store, rows: Sequence[RebuildRow]) -> None:
    """Rename what the new tables replaced, or drop it."""
    there = await table_uuids(store, [shadow(table) for row in rows for table in row.tables])
    for row in rows:
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


async def _exchange(store: Store, row: RebuildRow, there: Mapping[str, str]) -> None:
    """Exchange what is not in place yet; ``there``: UUIDs of the tables as they are, by name."""
    for table, uuid in zip(row.tables, row.uuids, strict=True):
        in_place = there.get(table) == uuid
        for _ in range(_TRIES):
            if in_place:
                break
            try:
                await store.execute(store.layout.exchange(table, shadow(table)))
                in_place = True
            except StoreLostError:
                # Whether it was carried out is told by the UUID alone.
                in_place = (await table_uuids(store, [table])).get(table) == uuid
        if not in_place:
            raise StoreLostError(f"table {table} and {shadow(table)} could not be exchanged: run `messwerk rebuild`")
