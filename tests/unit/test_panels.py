"""Panels are data: what they name must exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import get_args

import msgspec
import pytest

from dashboards.page.static_files import HERE
from dashboards.panels import (
    COLOURS,
    Bars,
    Colour,
    Columns,
    Dashboard,
    Distribution,
    Histogram,
    Panel,
    States,
    Table,
    Tiles,
    TimeSeries,
    VariableName,
    Visualisation,
)
from dashboards.registry import DASHBOARDS
from dashboards.variables import (
    BOUNDS,
    CATALOGUE,
    COMMON,
    DOCUMENT_LANGUAGE,
    LATENCY_OBJECTIVE,
    OFFICE_TASK,
    STANDING,
    TEXT_LANGUAGE,
)
from projections.queries.registry import QUERIES

BOUND_BY_RENDERERS = {"start", "end", "step_s"}
PANELS = [(dashboard, panel) for dashboard in DASHBOARDS.values() for panel in dashboard.panels]
each_panel = pytest.mark.parametrize(
    ("dashboard", "panel"), PANELS, ids=[f"{dashboard.id}/{panel.id}" for dashboard, panel in PANELS]
)


def columns_named(drawn: Visualisation) -> Iterator[str | None]:  # noqa: C901  # one case a kind of picture
    match drawn:
        case Tiles():
            for tile in drawn.tiles:
                yield from (tile.value, tile.n, tile.note)
        case Table():
            for column in drawn.columns:
                yield from (
                    column.column,
                    column.badge,
                    column.mark,
                    column.outside,
                    column.unit_from,
                    column.unless_in,
                )
        case TimeSeries():
            yield drawn.time
            yield from drawn.by
            for line in drawn.lines:
                yield from (line.value, line.low, line.high)
        case Bars():
            yield from drawn.by
            for bar in drawn.bars:
                yield from (bar.value, bar.low, bar.high)
        case Columns():
            yield from (drawn.category, drawn.value, drawn.low, drawn.high, *drawn.by)
        case States():
            yield from (drawn.time, drawn.share, drawn.n, *drawn.by)
        case Histogram():
            yield from (drawn.start, drawn.end, drawn.count)
        case Distribution():
            yield from (drawn.value, drawn.n, *(line.value for line in drawn.lines))


def test_dashboards_are_known_by_their_ids() -> None:
    """Every dashboard stands in the registry under its own id, Overview first."""
    assert [dashboard.id for dashboard in DASHBOARDS.values()] == list(DASHBOARDS)
    assert next(iter(DASHBOARDS)) == "overview"


@pytest.mark.parametrize("dashboard", DASHBOARDS.values(), ids=list(DASHBOARDS))
def test_panel_ids_are_unique(dashboard: Dashboard) -> None:
    """No two panels of a dashboard share an id, and every id can stand in an address."""
    ids = [panel.id for panel in dashboard.panels]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9-]+", panel_id) for panel_id in ids)


@each_panel
def test_panel_asks_an_existing_query(dashboard: Dashboard, panel: Panel) -> None:
    """A panel's query exists, and takes every parameter that the panel binds or fixes."""
    query = QUERIES[panel.query]
    taken = {parameter.name for parameter in query.parameters}
    assert set(panel.parameters) | set(panel.constants) <= taken
    required = {parameter.name for parameter in query.parameters if parameter.required}
    assert required <= set(panel.parameters) | set(panel.constants) | BOUND_BY_RENDERERS, dashboard.id


@each_panel
def test_panel_draws_existing_columns(dashboard: Dashboard, panel: Panel) -> None:
    """Every column that a picture, a link or a count names is a column of the query."""
    known = {column.name for column in QUERIES[panel.query].columns}
    wanted = {name for name in columns_named(panel.visualisation) if name is not None}
    wanted |= {name for link in panel.links for name in (link.column, link.value) if name is not None}
    wanted |= {panel.n} if panel.n else set()
    assert wanted <= known, dashboard.id


@each_panel
def test_bound_variables_belong_to_the_dashboard(dashboard: Dashboard, panel: Panel) -> None:
    """A panel binds only variables that its dashboard offers."""
    offered = {variable.name for variable in dashboard.variables}
    assert set(panel.parameters.values()) <= offered


@each_panel
def test_description_names_a_definition(dashboard: Dashboard, panel: Panel) -> None:
    """Every panel says what is seen, names its definition, and its query says what the figures mean."""
    assert panel.definition, dashboard.id
    assert panel.description.endswith(".")
    assert QUERIES[panel.query].description.endswith(".")


@each_panel
def test_links_lead_somewhere(dashboard: Dashboard, panel: Panel) -> None:
    """A link names an attempt, or a dashboard that has the variable it fills."""
    for link in panel.links:
        if link.target == "attempt":
            assert link.value == "attempt", dashboard.id
        else:
            assert link.variable in {variable.name for variable in DASHBOARDS[link.target].variables}


@each_panel
def test_time_series_have_a_time_first(dashboard: Dashboard, panel: Panel) -> None:
    """A panel over time asks a query whose answer is a series."""
    if isinstance(panel.visualisation, TimeSeries | States):
        assert QUERIES[panel.query].shape == "series", dashboard.id


def test_common_variables_are_all_there() -> None:
    """The common variables are the six of the specification, text-10k by default."""
    rest = (BOUNDS, LATENCY_OBJECTIVE, OFFICE_TASK, DOCUMENT_LANGUAGE, CATALOGUE, TEXT_LANGUAGE, STANDING)
    assert tuple(variable.name for variable in (*COMMON, *rest)) == get_args(VariableName)
    assert {variable.name: variable.default for variable in COMMON}["workload"] == "text-10k"


def test_colours_are_fixed() -> None:
    """Every colour role has a hue, and the page's style sheet has each role in every theme."""
    assert set(COLOURS) == set(get_args(Colour))
    style = (HERE / "static" / "style.css").read_text()
    for role in get_args(Colour):
        assert len(re.findall(rf"--{role}: #", style)) == 3, role


@pytest.mark.parametrize("dashboard", DASHBOARDS.values(), ids=list(DASHBOARDS))
def test_definitions_survive_json(dashboard: Dashboard) -> None:
    """A dashboard written as JSON and read again is the same dashboard."""
    assert msgspec.json.decode(msgspec.json.encode(dashboard), type=Dashboard) == dashboard


def test_an_empty_panel_of_expert_tasks_names_the_picker_that_may_have_emptied_it() -> None:
    """Where what no second expert had read is left out by default, an empty panel says how to let it in."""
    bound = [
        panel
        for dashboard in DASHBOARDS.values()
        for panel in dashboard.panels
        if STANDING.name in panel.parameters.values()
    ]
    assert len(bound) > 1
    assert [panel.id for panel in bound if f"{STANDING.title} above" not in panel.when_empty] == []
