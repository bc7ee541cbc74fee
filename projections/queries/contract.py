"""What a named query is: SQL with typed parameters, its columns with units, and what its figures mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from schemas.metrics import metric

ParameterType = Literal[
    "Array(String)",
    "String",
    "UUID",
    "DateTime64(6, 'UTC')",
    "UInt32",
    "Float64",
]

ColumnKind = Literal["time", "label", "number", "flag", "text", "array"]
"""``time`` named ``time`` comes first in a series, then labels, then numbers."""

Shape = Literal["series", "table", "record"]
"""``series``: time, labels, numbers, sorted by time. ``record``: one row."""


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """A ``{name:Type}`` of the SQL. Without a default it must be given."""

    name: str
    type: ParameterType
    description: str
    default: Any = None
    required: bool = False


class ResultColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column of the answer. ``unit`` is empty for what has none; shares are 0 to 1 with unit ``share``.

    metric: id of the definition in :mod:`schemas.metrics` that its values follow; empty for what is no metric.
    all_accounts: counts what every account did, control accounts included; other columns do not change by those.
    """

    name: str
    kind: ColumnKind
    description: str
    unit: str = ""
    metric: str = ""
    all_accounts: bool = False


class NamedQuery(msgspec.Struct, frozen=True, kw_only=True):
    """One question that can be asked of the tables. ``description`` carries the definition of its figures.

    version: goes up when the same tables would give other figures.
    all_accounts: all of its rows are about whatever was sent, by whichever account.
    """

    name: str
    title: str
    description: str
    shape: Shape
    parameters: tuple[Parameter, ...]
    columns: tuple[ResultColumn, ...]
    sql: str
    version: int = 1
    all_accounts: bool = False


class QueryTable(msgspec.Struct, frozen=True, kw_only=True):
    """An answer: the query that was asked, and its rows in the order of ``query.columns``; NULL is None."""

    query: NamedQuery
    rows: tuple[tuple[Any, ...], ...]

    def dicts(self) -> list[dict[str, Any]]:
        """Rows as mappings from column to value."""
        names = [column.name for column in self.query.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def column(self, name: str) -> Sequence[Any]:
        """All values of one column."""
        place = [column.name for column in self.query.columns].index(name)
        return [row[place] for row in self.rows]


def time(description: str, name: str = "time") -> ResultColumn:
    """Describe a column of times, aware and in UTC."""
    return ResultColumn(name=name, kind="time", description=description)


def label(name: str, description: str = "") -> ResultColumn:
    """Describe a column that names what a row is about."""
    return ResultColumn(name=name, kind="label", description=description or name.replace("_", " "))


def number(
    name: str, unit: str, description: str, *, metric_id: str = "", all_accounts: bool = False
) -> ResultColumn:
    """Describe a column of numbers: counts, lengths, or something made of a metric in a unit of its own."""
    return ResultColumn(
        name=name, kind="number", unit=unit, description=description, metric=metric_id, all_accounts=all_accounts
    )


def measured(name: str, metric_id: str, description: str, *, all_accounts: bool = False) -> ResultColumn:
    """Describe a column of numbers that follow the definition of a metric, in that metric's unit."""
    return ResultColumn(
        name=name,
        kind="number",
        unit=metric(metric_id).unit,
        description=description,
        metric=metric_id,
        all_accounts=all_accounts,
    )


def flag(name: str, description: str) -> ResultColumn:
    """Describe a column of true and false."""
    return ResultColumn(name=name, kind="flag", description=description)


def text(name: str, description: str) -> ResultColumn:
    """Describe a column of free text."""
    return ResultColumn(name=name, kind="text", description=description)


def array(name: str, unit: str, description: str) -> ResultColumn:
    """Describe a column of arrays; never in a series."""
    return ResultColumn(name=name, kind="array", unit=unit, description=description)
