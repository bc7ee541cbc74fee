"""Definitions of metrics as data: whole, in force where figures are, and equal to the page that people read."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec
import pytest

from dashboards.endpoint import FIGURES
from dashboards.page.figures import title_of
from dashboards.panels import Table
from projections.queries import (
    declared,
    instrument,
    integrity,
    language_tax,
    office_comparisons,
    office_costs,
    office_private,
    office_quality,
    pairs,
    progress,
    public_office,
    review,
    rubric_numbers,
    rubric_tasks,
)
from projections.queries.contract import NamedQuery, ResultColumn
from projections.queries.registry import QUERIES
from schemas.definitions import Definitions
from schemas.metrics import METRICS, MetricDefinition, UnknownMetricError, metric, metrics_page, stated

PAGE = Path(__file__).parents[2] / "docs" / "definitions.md"
OTHER = Definitions(
    version="other", last_share=0.6, assumed_reasoning_tokens=1, reasoning_sample_prompts=2, short_window_us=3_500
)

EVERY = pytest.mark.parametrize("each", METRICS, ids=lambda each: each.id)

OF_METRICS = {"s", "tokens/s", "tokens", "USD", "share", "ratio"}
NO_METRICS = {"window_s", "newest_age_s", "last_share", "min_output_tokens"}
"""Columns in such units that say what a figure rests on and are none."""

# the alert's age of the newest folded event is about the instrument, too
PRICES = {query.name for family in (instrument, progress, declared) for query in family.QUERIES} | {
    "alert-projection-lag"
}

DEFINED_BY_ROW = {
    query.name
    for family in (
        integrity,
        pairs,
        office_quality,
        office_costs,
        office_comparisons,
        office_private,
        language_tax,
        public_office,
        rubric_numbers,
        rubric_tasks,
        review,
    )
    for query in family.QUERIES
}
"""Figures of pairs, fields, documents, criteria and reviews are no metrics of attempts: each row names its rules."""
STATEMENTS = {"attestations", "public-attestations", "definitions"}
"""What somebody said, and the definitions themselves, is nobody's measurement."""


def test_ids_are_unique() -> None:
    """No two metrics share an id, and every id can stand in a file's name."""
    ids = [each.id for each in METRICS]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9-]+", metric_id) for metric_id in ids)


@EVERY
def test_parameters_are_fields_of_the_definitions(each: MetricDefinition) -> None:
    """A metric's parameters exist, and its text states each of them and nothing else."""
    assert set(each.parameters) <= {field.name for field in msgspec.structs.fields(Definitions)}
    assert set(re.findall(r"\{(\w+)\}", each.text)) == set(each.parameters)
    assert each.version >= 1
    assert each.text_under(Definitions()).endswith(".")


@EVERY
def test_text_and_stamp_follow_the_values_in_force(each: MetricDefinition) -> None:
    """Another value changes the text and the stamp of the metrics that depend on it, and of no others."""
    for name in ("last_share", "assumed_reasoning_tokens", "reasoning_sample_prompts", "short_window_us"):
        changed = msgspec.structs.replace(Definitions(), **{name: getattr(OTHER, name)})
        depends = name in each.parameters
        assert (each.text_under(changed) != each.text_under(Definitions())) is depends
        assert (each.stamp(changed) != each.stamp(Definitions())) is depends


def test_values_are_worded_for_people() -> None:
    """Shares are said in per cent, spans in milliseconds, counts with separators."""
    assert "last 80 % of the chunks" in stated("output-speed")
    assert "less than 100 ms" in stated("output-speed")
    assert "2,000 of them assumed until 60 prompts" in stated("total-100")
    assert "last 60 % of the chunks" in metric("output-speed").text_under(OTHER)
    assert metric("output-speed").stamp(OTHER) == "output-speed/1+last_share=0.6,short_window_us=3500"


def test_an_unknown_metric_is_named_with_the_known_ones() -> None:
    """An id that does not exist is refused with a list of those that do."""
    with pytest.raises(UnknownMetricError, match=r"'speed'; there are: ttft, ttfat"):
        metric("speed")


@pytest.mark.parametrize(
    "query", [query for query in QUERIES.values() if query.name not in PRICES], ids=lambda q: q.name
)
def test_every_column_of_a_metric_names_its_definition(query: NamedQuery) -> None:
    """A column in the unit of a metric names a metric that exists, or its row names the rules it was made under."""
    by_row = query.name in DEFINED_BY_ROW and any(column.name == "definition" for column in query.columns)
    for column in query.columns:
        if column.kind == "number" and column.unit in OF_METRICS and column.name not in NO_METRICS:
            assert column.metric or by_row or query.name in STATEMENTS, (
                f"{query.name}.{column.name} names no definition"
            )
        if column.metric:
            known = metric(column.metric)
            assert column.unit in {known.unit, "ratio", "us", "share"}, f"{query.name}.{column.name}"


def test_metrics_named_in_rows_exist() -> None:
    """Where a row names its metric, each name is a metric, and the page knows its title."""
    query = QUERIES["endpoint-figures"]
    (label,) = (column for column in query.columns if column.name == "metric")
    named = label.description.split(", ")
    assert len(named) == 5
    assert all(f"'{name}', '{metric(name).unit}'" in query.sql for name in named)
    assert isinstance(FIGURES.visualisation, Table)
    (shown,) = (column.names for column in FIGURES.visualisation.columns if column.column == "metric")
    assert shown == {name: metric(name).title for name in named}


def test_columns_are_shown_with_their_definition() -> None:
    """What the page says of a metric's column is its definition with version; of other columns their description."""
    speed = ResultColumn(name="p50", kind="number", description="median", metric="output-speed")
    assert title_of(speed) == f"median. Output speed, definition output-speed/1: {stated('output-speed')}"
    assert title_of(ResultColumn(name="n", kind="number", description="attempts")) == "attempts"


def test_queries_are_described_by_the_definitions() -> None:
    """The texts of series over one metric are the metric's own."""
    for metric_id in ("ttft", "ttfat", "output-speed", "end-to-end", "total-100"):
        query = QUERIES[f"{metric_id}-over-time"]
        assert query.title == metric(metric_id).title
        assert query.description.startswith(stated(metric_id))


def test_the_page_is_made_of_the_data() -> None:
    """docs/definitions.md equals what the data give; MESSWERK_WRITE_GOLDEN=1 writes it anew."""
    if os.environ.get("MESSWERK_WRITE_GOLDEN") == "1":
        PAGE.write_text(metrics_page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == metrics_page()
