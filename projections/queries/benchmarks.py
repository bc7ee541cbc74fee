"""Tables of public benchmarks as they ship with Messwerk: a query each, with a column for each model.

They are nobody's measurement of ours and stand in no table of the store; the query carries them.
"""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, label, number, text
from schemas.benchmarks import BenchmarkTable, benchmark_tables


def query_name(table: BenchmarkTable) -> str:
    """Name of a table's query."""
    return f"benchmarks-{table.id.replace('.', '-')}"


def model_column(place: int) -> str:
    """Name of the column of a table's model, by its place among them from 0."""
    return f"model_{place + 1}"


def source_line(table: BenchmarkTable) -> str:
    """Say where a table's figures come from, of when, and who measured."""
    address = f", {table.source.url}" if table.source.url else ""
    return f"{table.source.title.en}, {table.as_of}{address}; measured by the {_BY[table.source.measured_by]}"


_BY: Final = {"vendor": "maker of one of the models", "independent": "somebody else than the makers"}


def _quoted(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _rows(table: BenchmarkTable) -> str:
    rows = []
    for row in table.rows:
        figures = [row.figure(model) for model in table.models]
        cells = ", ".join("NULL" if figure is None else f"toNullable(toFloat64({figure}))" for figure in figures)
        rows.append(
            f"({_quoted(row.benchmark)}, {_quoted(row.description.en)}, {cells}, {_quoted(', '.join(row.best))})"
        )
    return ",\n           ".join(rows)


def _query(table: BenchmarkTable) -> NamedQuery:
    columns = ["benchmark", "description", *(model_column(place) for place in range(len(table.models))), "best"]
    return NamedQuery(
        name=query_name(table),
        title=table.title.en,
        description=f"Figures of others, to be read beside ours and never mixed with them. One source, so that rows "
        f"compare: {source_line(table)}.",
        shape="table",
        parameters=(),
        columns=(
            label("benchmark"),
            text("description", "what it asks for"),
            *(
                number(model_column(place), "percent", f"{model}; null where none was published")
                for place, model in enumerate(table.models)
            ),
            text("best", "highest figure of the row"),
            text("stated_by", "where the figures were published"),
            text("as_of", "month or day of that source"),
        ),
        sql=f"""
SELECT {", ".join(f"public.{place} AS {name}" for place, name in enumerate(columns, 1))},
       {_quoted(table.source.title.en)} AS stated_by, {_quoted(table.as_of)} AS as_of
FROM (
    SELECT arrayJoin([
           {_rows(table)}
    ]) AS public
)
""",
    )


QUERIES: Final[tuple[NamedQuery, ...]] = tuple(map(_query, benchmark_tables()))
