"""How answers of the tables are worded for people and for other programs. Pure."""

from __future__ import annotations

from datetime import datetime

from dashboards.page.figures import heading
from projections.comparing import TableComparison
from projections.queries.contract import NamedQuery, QueryTable


def introduced(known: NamedQuery) -> str:
    """Say in one line what a query is called and takes."""
    takes = ", ".join(parameter.name for parameter in known.parameters) or "nothing"
    return f"{known.name:<28} {known.title}; takes {takes}"


def as_text(answer: QueryTable) -> list[str]:
    """Write an answer in columns, a record as one column a line."""
    if answer.query.shape == "record":
        width = max(len(column.name) for column in answer.query.columns)
        return [
            f"{column.name:<{width}}  {_cell(value) or '-'} {column.unit}".rstrip()
            for row in answer.rows
            for column, value in zip(answer.query.columns, row, strict=True)
        ] or ["nothing"]
    head = [heading(column) for column in answer.query.columns]
    body = [[_cell(value) or "-" for value in row] for row in answer.rows]
    if not body:
        return ["nothing"]
    widths = [max(len(line[place]) for line in [head, *body]) for place in range(len(head))]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)) for line in [head, *body]]


def stopped(source: str, seq: int, reason: str, since: datetime | None = None) -> str:
    """Say which source stands still, behind which position, why, and, as part of that, what to do."""
    when = "" if since is None else f" since {since:%Y-%m-%d %H:%M:%S}Z"
    return f"source {source or 'unknown'} stopped behind position {seq}{when}: {reason}"


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case datetime():
            return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:.6g}"
        case _:
            return str(value)


def compared(comparison: TableComparison) -> list[str]:
    """Say what a rebuild found in one table."""
    if comparison.same:
        return [f"{comparison.table}: {comparison.rows_after} rows, the same ({comparison.sampled} compared in full)"]
    lines = [f"{comparison.table}: {comparison.rows_before} rows before, {comparison.rows_after} after"]
    lines += [f"  sum of {name}: {before} before, {after} after" for name, (before, after) in comparison.sums.items()]
    return lines + [f"  {difference}" for difference in comparison.differences]
