"""Folding projections anew beside the live tables, comparing, and exchanging the two. A normal operation.

It changes nothing that people see until the moment of exchange, and it may be interrupted anywhere: the next
rebuild starts again from position 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from projections.checkpoints import CHECKPOINTS, forget_checkpoints, read_checkpoints
from projections.contract import AnyProjection
from projections.runner import Pace, Runner
from projections.source import EventSource
from projections.store.contract import Store
from projections.tables import Table, create_statement, quoted
from schemas.definitions import Definitions

_PREFIX = "rebuild:"
_SAMPLED_ROWS = 200
_SHOWN_DIFFERENCES = 5


class RebuildProgress(msgspec.Struct, frozen=True, kw_only=True):
    """Events folded so far, and how many the source had when it was last asked."""

    folded: int
    total: int


class TableComparison(msgspec.Struct, frozen=True, kw_only=True):
    """What a rebuilt table says, beside the live one up to the same position.

    sums: columns whose sums differ, with both sums.
    differences: sampled rows that differ, each as a sentence; at most a few.
    sampled: rows that were compared column by column.
    """

    table: str
    rows_before: int
    rows_after: int
    sums: Mapping[str, tuple[str, str]]
    differences: tuple[str, ...]
    sampled: int

    @property
    def same(self) -> bool:
        """Whether nothing was found to differ."""
        return self.rows_before == self.rows_after and not self.sums and not self.differences


async def rebuild(
    store: Store,
    source: EventSource,
    projections: Sequence[AnyProjection],
    definitions: Definitions,
    *,
    keep_old: bool = False,
    pace: Pace | None = None,
    progress: Callable[[RebuildProgress], None] = lambda _: None,
) -> Sequence[TableComparison]:
    """Rebuild ``projections`` from position 0 and put the result in the place of what was there.

    A projection's tables are exchanged together with its checkpoint. With ``keep_old`` the old tables stay
    under names that end in ``_before``. Another process may go on folding under the same definitions: what
    it adds meanwhile is folded again after the exchange, and rows folded twice replace themselves.
    """
    tables = [table for projection in projections for table in projection.tables]
    await _clear(store, projections, tables)
    for table in tables:
        await store.execute(create_statement(table, _shadow(table)))
    runner = Runner(
        store,
        projections,
        definitions,
        pace=pace,
        tables={table.name: _shadow(table) for table in tables},
        prefix=_PREFIX,
    )
    await runner.open()
    await _catch_up(runner, source, progress)
    reached = await _live_positions(store, projections)
    comparisons = [
        await _compare(store, table, reached.get(projection.name, {}))
        for projection in projections
        for table in projection.tables
    ]
    for projection in projections:
        await _exchange(store, projection)
    await _follow_up(store, source, projections, definitions, pace)
    for table in tables:
        if keep_old:
            await store.execute(f"DROP TABLE IF EXISTS {table.name}_before")
            await store.execute(f"RENAME TABLE {_shadow(table)} TO {table.name}_before")
        else:
            await store.execute(f"DROP TABLE IF EXISTS {_shadow(table)}")
    return comparisons


async def _clear(store: Store, projections: Sequence[AnyProjection], tables: Sequence[Table]) -> None:
    """Remove what an interrupted rebuild left behind."""
    for projection in projections:
        await forget_checkpoints(store, _PREFIX + projection.name)
    for table in tables:
        await store.execute(f"DROP TABLE IF EXISTS {_shadow(table)}")


async def _catch_up(runner: Runner, source: EventSource, progress: Callable[[RebuildProgress], None]) -> None:
    folded = 0
    total = sum((await source.ends()).values())
    progress(RebuildProgress(folded=0, total=total))
    while events := await runner.step(source):
        folded += events
        if folded > total:
            total = sum((await source.ends()).values())
        progress(RebuildProgress(folded=folded, total=max(total, folded)))


async def _live_positions(store: Store, projections: Sequence[AnyProjection]) -> Mapping[str, Mapping[str, int]]:
    """Position by projection and source up to which the live tables go."""
    names = {projection.name for projection in projections}
    found: dict[str, dict[str, int]] = {}
    for row in await read_checkpoints(store):
        if row.projection in names:
            found.setdefault(row.projection, {})[row.source] = row.seq
    return found


async def _exchange(store: Store, projection: AnyProjection) -> None:
    """Put the rebuilt tables of one projection in place, then its checkpoint.

    A crash in between leaves the old checkpoint, or none: rows are folded again from there and replace
    themselves; under other definitions the runner refuses until the next rebuild.
    """
    for table in projection.tables:
        await store.execute(f"EXCHANGE TABLES {table.name} AND {_shadow(table)}")
    rebuilt = [
        msgspec.structs.replace(row, projection=projection.name)
        for row in await read_checkpoints(store)
        if row.projection == _PREFIX + projection.name
    ]
    await forget_checkpoints(store, projection.name)
    token = ",".join(f"{row.source}:{row.seq}:{row.event}" for row in rebuilt)
    await store.insert(CHECKPOINTS, rebuilt, token=f"exchange/{projection.name}/{token}")
    await forget_checkpoints(store, _PREFIX + projection.name)


async def _follow_up(
    store: Store,
    source: EventSource,
    projections: Sequence[AnyProjection],
    definitions: Definitions,
    pace: Pace | None,
) -> None:
    """Fold into the new tables what came since, also what another process put into the old ones."""
    runner = Runner(store, projections, definitions, pace=pace)
    await runner.open()
    await runner.fold_available(source)


async def _compare(store: Store, table: Table, reached: Mapping[str, int]) -> TableComparison:
    before, sums_before = await _summary(store, table, table.name, reached)
    after, sums_after = await _summary(store, table, _shadow(table), reached)
    rows_before = await _sample(store, table, table.name, reached)
    rows_after = await _sample(store, table, _shadow(table), reached)
    return TableComparison(
        table=table.name,
        rows_before=before,
        rows_after=after,
        sums={
            name: (str(value), str(sums_after[name]))
            for name, value in sums_before.items()
            if value != sums_after[name]
        },
        differences=tuple(_differences(table, rows_before, rows_after)),
        sampled=len(rows_before.keys() | rows_after.keys()),
    )


async def _summary(
    store: Store, table: Table, name: str, reached: Mapping[str, int]
) -> tuple[int, Mapping[str, object]]:
    # Sums of floats depend on the order of rows, so floats are summed as exact decimals of their shortest text.
    summed = {
        entry.name: f"sumOrNull(toDecimal256OrNull(toString({entry.name}), 18))"
        if "Float" in entry.column.type
        else f"sumOrNull({entry.name})"
        for entry in table.columns
        if any(kind in entry.column.type for kind in ("Int", "Float", "Decimal")) and "Array" not in entry.column.type
    }
    columns = "".join(f", {expression} AS {column}" for column, expression in summed.items())
    found = await store.select(
        f"SELECT count() AS rows_of{columns} FROM {name} FINAL WHERE {_up_to(reached)} "  # noqa: S608  # declared names
        "SETTINGS prefer_column_name_to_alias = 1"
    )
    row = found.dicts()[0]
    return row["rows_of"], {column: row[column] for column in summed}


async def _sample(
    store: Store, table: Table, name: str, reached: Mapping[str, int]
) -> Mapping[tuple[Any, ...], Mapping[str, Any]]:
    """Rows of some positions, the same positions in every table; by sorting key."""
    columns = ", ".join(entry.name for entry in table.columns)
    found = await store.select(
        f"SELECT {columns} FROM {name} FINAL WHERE {_up_to(reached)} "  # noqa: S608  # declared names
        f"ORDER BY cityHash64(source, seq), {', '.join(table.order_by)} LIMIT {_SAMPLED_ROWS}"
    )
    return {tuple(row[key] for key in table.order_by): row for row in found.dicts()}


def _differences(
    table: Table,
    before: Mapping[tuple[Any, ...], Mapping[str, Any]],
    after: Mapping[tuple[Any, ...], Mapping[str, Any]],
) -> Sequence[str]:
    found: list[str] = []
    for key in sorted(before.keys() & after.keys()):
        old, new = before[key], after[key]
        found.extend(
            f"event {old['seq']} of {old['source']!r}: {entry.name} was {old[entry.name]!r}, is {new[entry.name]!r}"
            for entry in table.columns
            # another definition stamps every row; what follows from it is what is worth showing
            if entry.name != "definition" and old[entry.name] != new[entry.name]
        )
    for key in sorted(before.keys() ^ after.keys()):
        row = before.get(key) or after[key]
        found.append(
            f"event {row['seq']} of {row['source']!r} has a row {'before' if key in before else 'after'} only"
        )
    return found[:_SHOWN_DIFFERENCES]


def _up_to(reached: Mapping[str, int]) -> str:
    """Condition for rows that the live table had the chance to hold."""
    if not reached:
        return "false"
    return "(" + " OR ".join(f"(source = {quoted(name)} AND seq <= {seq})" for name, seq in reached.items()) + ")"


def _shadow(table: Table) -> str:
    return f"{table.name}_rebuilt"
