"""Folding projections anew beside the live tables, comparing, and exchanging the two. A normal operation.

It changes nothing that people see until the moment of exchange. It may be interrupted anywhere: the next
rebuild goes on where the last one was, and a process that folds finishes an exchange that it finds begun.
Comparing is in ``projections/comparing.py``, the exchange in ``projections/exchanging.py``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from projections.checkpoints import CHECKPOINTS, forget_checkpoints, read_checkpoints
from projections.comparing import TableComparison, comparable, compare
from projections.contract import AnyProjection
from projections.errors import LogReplacedError, StoreError
from projections.exchanging import advance, finish_exchanges, tidy
from projections.pace import Pace
from projections.rebuilds import PREFIX, Old, RebuildRow, read_rebuilds, shadow, table_uuids, write_rebuilds
from projections.runner import Runner
from projections.source import EventSource
from projections.store.claims import Claim, claimed
from projections.store.contract import Store
from projections.tables import create_statement
from schemas.definitions import Definitions


class RebuildProgress(msgspec.Struct, frozen=True, kw_only=True):
    """Events folded so far, and how many the source had when last asked; ``resumed`` of them were folded before."""

    folded: int
    total: int
    resumed: int = 0


class _Wanted(msgspec.Struct, frozen=True):
    projections: Sequence[AnyProjection]
    definitions: Definitions
    old: Old


async def rebuild(
    store: Store,
    source: EventSource,
    projections: Sequence[AnyProjection],
    definitions: Definitions,
    *,
    old: Old = "day",
    pace: Pace | None = None,
    progress: Callable[[RebuildProgress], None] = lambda _: None,
    now_ns: Callable[[], int] = time.time_ns,
) -> Sequence[TableComparison]:
    """Rebuild ``projections`` and put the result in the place of what was there.

    A projection's tables are exchanged together with its checkpoint. ``old`` says what becomes of the old
    tables, which lie under names that end in ``_before``. Another process may go on folding under the same
    definitions: what it adds meanwhile is folded again after the exchange, and rows folded twice replace
    themselves. Raises :class:`ClaimTakenError` when another rebuild is under way, and :class:`StoreError`
    when a source stopped; tables that hold more of it than the rebuild found stay in place then.
    """
    async with claimed(store, "rebuild") as claim:
        await tidy(store, now_ns())
        state = await finish_exchanges(store, now_ns)
        following = [p for p in projections if _is_following(state.get(p.name), p, definitions)]
        anew = [p for p in projections if p not in following]
        if anew:
            wanted = _Wanted(anew, definitions, old)
            shadows = await _fold_anew(store, source, wanted, pace, progress, now_ns)
            await _require_no_less(store, anew, shadows)
            await _enter_exchange(store, source, anew, claim, now_ns)
            await finish_exchanges(store, now_ns)
        catching_up = Runner(store, projections, definitions, pace=pace)
        await catching_up.open()
        await catching_up.fold_available(source)
        state = await read_rebuilds(store)
        unfinished = [p.name for p in projections if state[p.name].phase != "done"]
        if unfinished and catching_up.stopped:
            reasons = "; ".join(str(problem) for problem in catching_up.stopped.values())
            raise StoreError(
                "rebuilt as far as events are there, and not finished, because "
                f"{', '.join(sorted(catching_up.stopped))} stopped: {reasons}. "
                "Once that is settled run the rebuild again, and it goes on"
            )
        if unfinished:
            raise StoreError(f"{', '.join(unfinished)}: the end of the events was not reached; run the rebuild again")
        return [
            comparison
            for projection in projections
            for comparison in msgspec.json.decode(state[projection.name].compared, type=tuple[TableComparison, ...])
        ]


def _is_following(row: RebuildRow | None, projection: AnyProjection, definitions: Definitions) -> bool:
    return row is not None and row.phase == "following" and _made_alike(row, projection, definitions)


def _made_alike(row: RebuildRow, projection: AnyProjection, definitions: Definitions) -> bool:
    return (row.definition, row.version, row.tables) == (
        definitions.id,
        projection.version,
        tuple(table.name for table in projection.tables),
    )


async def _fold_anew(
    store: Store,
    source: EventSource,
    wanted: _Wanted,
    pace: Pace | None,
    progress: Callable[[RebuildProgress], None],
    now_ns: Callable[[], int],
) -> Runner:
    """Fill shadow tables, from where an interrupted rebuild left them if they still are what it would make.

    Returns the runner, which knows how far it came and what stopped.
    """
    rows = await read_rebuilds(store)
    there = await table_uuids(store, [shadow(table.name) for each in wanted.projections for table in each.tables])
    new = [each for each in wanted.projections if not _is_resumable(rows.get(each.name), there, each, wanted)]
    await _begin(store, new, wanted, now_ns)
    runner = Runner(
        store,
        wanted.projections,
        wanted.definitions,
        pace=pace,
        tables={table.name: shadow(table.name) for each in wanted.projections for table in each.tables},
        prefix=PREFIX,
    )
    await runner.open()
    try:
        await _catch_up(runner, source, progress)
    except LogReplacedError:
        # What was interrupted had read another log.
        await _begin(store, wanted.projections, wanted, now_ns)
        await runner.open()
        await _catch_up(runner, source, progress)
    return runner


def _is_resumable(
    row: RebuildRow | None, there: Mapping[str, str], projection: AnyProjection, wanted: _Wanted
) -> bool:
    """Tell whether what an interrupted rebuild left, tables ``there`` by their UUIDs, is what this one would make."""
    if row is None or row.phase != "folding" or not _made_alike(row, projection, wanted.definitions):
        return False
    return tuple(there.get(shadow(table)) for table in row.tables) == row.uuids


async def _begin(
    store: Store, projections: Sequence[AnyProjection], wanted: _Wanted, now_ns: Callable[[], int]
) -> None:
    """Make empty shadow tables and write down that they are being filled."""
    rows = await read_rebuilds(store)
    following = [row for each in projections if (row := rows.get(each.name)) is not None and row.phase == "following"]
    for row in following:
        await _fall_back(store, row.projection)
    await advance(store, following, "done", now_ns)
    rows = await read_rebuilds(store)
    for projection in projections:
        for table in projection.tables:
            await store.execute(store.layout.drop(shadow(table.name)))
            await store.execute(create_statement(table, shadow(table.name), store.layout))
    # After the tables, for rows of a killed rebuild without their checkpoint would be taken up as if there were none.
    await forget_checkpoints(store, [PREFIX + projection.name for projection in projections])
    uuids = await table_uuids(store, [shadow(table.name) for each in projections for table in each.tables])
    now = now_ns()
    begun = [
        RebuildRow(
            projection=projection.name,
            change=max(now, rows[projection.name].change + 1 if projection.name in rows else 0),
            phase="folding",
            definition=wanted.definitions.id,
            version=projection.version,
            tables=tuple(table.name for table in projection.tables),
            uuids=tuple(uuids[shadow(table.name)] for table in projection.tables),
            old=wanted.old,
            compared="[]",
        )
        for projection in projections
    ]
    if begun:
        await write_rebuilds(store, begun)


async def _fall_back(store: Store, projection: str) -> None:
    """Take the live tables for folded no further than the rebuild that put them in place had come."""
    places = [
        msgspec.structs.replace(row, projection=projection)
        for row in await read_checkpoints(store)
        if row.projection == PREFIX + projection
    ]
    await forget_checkpoints(store, [projection])
    token = ",".join(f"{place.source}:{place.seq}:{place.event}" for place in places)
    await store.insert(CHECKPOINTS, places, token=f"back/{projection}/{token}")


async def _catch_up(runner: Runner, source: EventSource, progress: Callable[[RebuildProgress], None]) -> None:
    folded = resumed = sum(runner.positions.values())
    total = sum((await source.ends()).values())
    progress(RebuildProgress(folded=folded, total=total, resumed=resumed))
    while events := await runner.step(source):
        folded += events
        if folded > total:
            total = sum((await source.ends()).values())
        progress(RebuildProgress(folded=folded, total=max(total, folded), resumed=resumed))


async def _require_no_less(store: Store, projections: Sequence[AnyProjection], shadows: Runner) -> None:
    """Raise :class:`StoreError` when a source stopped before the position that the tables in place have reached."""
    live: dict[str, int] = {}
    for by_source in (await _positions(store, projections)).values():
        for name, seq in by_source.items():
            live[name] = max(seq, live.get(name, 0))
    less = {
        name: problem
        for name, problem in shadows.stopped.items()
        if shadows.positions.get(name, 0) < live.get(name, 0)
    }
    if less:
        far = ", ".join(
            f"{name} at {shadows.positions.get(name, 0)} of {live[name]} that are in place" for name in sorted(less)
        )
        raise StoreError(
            f"the tables in place stay, because {', '.join(sorted(less))} stopped: "
            f"{'; '.join(map(str, less.values()))}. The rebuild came less far than they are ({far}). Once that is "
            "settled run the rebuild again, and it goes on"
        )


async def _enter_exchange(
    store: Store,
    source: EventSource,
    projections: Sequence[AnyProjection],
    claim: Claim,
    now_ns: Callable[[], int],
) -> None:
    """Compare, write the result down, and declare that the exchange begins."""
    live, shadows = await _positions(store, projections), await _positions(store, projections, prefix=PREFIX)
    ends = await source.ends()
    rows = await read_rebuilds(store)
    for projection in projections:
        compared = [
            await compare(
                store,
                table,
                shadow(table.name),
                comparable(live.get(projection.name, {}), shadows.get(projection.name, {}), ends),
            )
            for table in projection.tables
        ]
        rows = {
            **rows,
            projection.name: msgspec.structs.replace(
                rows[projection.name], compared=msgspec.json.encode(compared).decode()
            ),
        }
    await claim.confirm()
    await advance(store, [rows[projection.name] for projection in projections], "exchanging", now_ns)


async def _positions(
    store: Store, projections: Sequence[AnyProjection], prefix: str = ""
) -> Mapping[str, Mapping[str, int]]:
    """Position by projection and source up to which the tables go: the live ones, or a rebuild's with its prefix."""
    names = {prefix + projection.name: projection.name for projection in projections}
    found: dict[str, dict[str, int]] = {}
    for row in await read_checkpoints(store):
        if row.projection in names:
            found.setdefault(names[row.projection], {})[row.source] = row.seq
    return found
