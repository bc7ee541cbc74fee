"""Somebody who answers named queries from memory, and remembers what was asked."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from projections.queries.contract import QueryTable, ResultColumn
from projections.queries.registry import query_named
from schemas.errors import MesswerkError

MOMENT = datetime(2026, 11, 30, 0, 0, 12, 345_000, tzinfo=UTC)


class CannedAsk:
    """Answers every query with the rows given for it, else with none; columns left out of a row are None."""

    def __init__(self, rows: Mapping[str, list[dict[str, Any]]] | None = None) -> None:
        self.rows = dict(rows or {})
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.failure: MesswerkError | None = None

    async def __call__(self, name: str, **parameters: Any) -> QueryTable:
        self.asked.append((name, parameters))
        if self.failure is not None:
            raise self.failure
        query = query_named(name)
        names = [column.name for column in query.columns]
        for row in self.rows.get(name, []):
            assert set(row) <= set(names), f"{name} has no {sorted(set(row) - set(names))}"
        return QueryTable(
            query=query,
            rows=tuple(tuple(row.get(column) for column in names) for row in self.rows.get(name, [])),
        )


def made_up_row(query: str) -> dict[str, Any]:
    """Return a row with a value in every column, of the kind that the column has."""
    return {column.name: _value(column) for column in query_named(query).columns}


def _value(column: ResultColumn) -> Any:
    match column.kind:
        case "time":
            return MOMENT
        case "flag":
            return True
        case "number":
            return 3 if column.unit in {"attempts", "slots", "events"} else 0.75
        case "array":
            return [1, 2, 3]
        case "label" | "text":
            return f"a {column.name}"
