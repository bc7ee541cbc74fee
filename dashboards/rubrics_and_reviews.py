"""Rubrics and reviews: the dashboard that answers "usable, and where did it tip?".

Its panels are in ``rubric_panels`` and ``review_panels``; here are the tables of public benchmarks beside them.
"""

from __future__ import annotations

from typing import Final

from dashboards import review_panels, rubric_panels
from dashboards.panels import Dashboard, Panel, Table, TableColumn
from dashboards.variables import CATALOGUE, ENDPOINT, STANDING, TEXT_LANGUAGE
from projections.queries.benchmarks import model_column, query_name, source_line
from schemas.benchmarks import BenchmarkTable, benchmark_tables


def _benchmarks(table: BenchmarkTable) -> Panel:
    return Panel(
        id=query_name(table),
        title=table.title.en,
        description="Nothing of ours is in it.",
        definition="Public benchmarks of one dated source",
        query=query_name(table),
        parameters={},
        window=source_line(table),
        quoted=True,
        visualisation=Table(
            columns=(
                TableColumn(title="Benchmark", column="benchmark"),
                TableColumn(title="Asks for", column="description"),
                *(TableColumn(title=model, column=model_column(place)) for place, model in enumerate(table.models)),
                TableColumn(title="Highest", column="best"),
                TableColumn(title="Source", column="stated_by"),
                TableColumn(title="of", column="as_of"),
            )
        ),
    )


RUBRICS_AND_REVIEWS: Final = Dashboard(
    id="rubrics-and-reviews",
    title="Rubrics and reviews",
    question="Usable, and where did it tip?",
    variables=(CATALOGUE, ENDPOINT, TEXT_LANGUAGE, STANDING),
    panels=(*rubric_panels.PANELS, *review_panels.PANELS, *map(_benchmarks, benchmark_tables())),
)
