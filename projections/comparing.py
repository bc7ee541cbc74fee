"""Comparing a rebuilt table with the live one: counts, sums of every number, sampled rows column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from projections.layout import quoted
from projections.store.contract import Store
from projections.tables import Table

_SAMPLED_ROWS = 200
_SHOWN_DIFFERENCES = 5


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


def comparable(live: Mapping[str, int], rebuilt: Mapping[str, int], ends: Mapping[str, int]) -> Mapping[str, int]:
    """Positions up to which both have had the chance to hold rows.

    Where others folded on meanwhile, what they added is still to come here and no difference; where events are
    gone from what is read, all that the live tables hold counts.
    """
    return {
        name: rebuilt.get(name, 0) if rebuilt.get(name, 0) < seq <= ends.get(name, 0) else seq
        for name, seq in live.items()
    }


async def compare(store: Store, table: Table, rebuilt: str, reached: Mapping[str, int]) -> TableComparison:
    """Set ``rebuilt`` beside the live table up to the positions ``reached``, by source."""
    before, sums_before = await _summary(store, table, table.name, reached)
    after, sums_after = await _summary(store, table, rebuilt, reached)
    rows_before = await _sample(store, table, table.name, reached)
    rows_after = await _sample(store, table, rebuilt, reached)
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
