"""What a panel and a dashboard are, apart from whoever draws them.

A panel names a query of ``projections/queries``, binds the query's parameters to the dashboard's variables,
and says which column plays which part in the picture. Units belong to the query's columns and are not
repeated here. The built-in page draws these definitions; a Grafana model can be written from the same ones.
Nothing here runs a query or knows HTTP, HTML or Grafana.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

Colour = Literal[
    "primary",
    "anonymous",
    "ok",
    "degraded",
    "failed",
    "no-data",
    "dns",
    "connect",
    "tls",
    "waiting",
    "reasoning",
    "answer",
    "neutral",
]
"""Roles, not hues: blue, orange, green, amber, red, grey; each renderer keeps one palette for them."""

COLOURS: Mapping[Colour, str] = {
    "primary": "#2f6fb7",
    "anonymous": "#d9742b",
    "ok": "#3f8f5b",
    "degraded": "#c9962a",
    "failed": "#c2453d",
    "no-data": "#9a9a94",
    "dns": "#5b6b85",
    "connect": "#8a6a4f",
    "tls": "#4aa0c9",
    "waiting": "#c4c3bd",
    "reasoning": "#8561b0",
    "answer": "#2f6fb7",
    "neutral": "#6b7280",
}
"""The hues as RGB, for renderers without a theme of their own; the page's style sheet has both its themes."""

VariableName = Literal[
    "vantage",
    "provider",
    "endpoint",
    "account",
    "workload",
    "scenario",
    "bounds",
    "objective",
    "task",
    "language",
    "catalogue",
    "text_language",
    "standing",
]

Width = Literal["full", "half", "third", "two-thirds"]


class Variable(msgspec.Struct, frozen=True, kw_only=True):
    """Something a reader picks. An empty value means ``all_title``; ``required`` variables have no such choice.

    compared: until somebody picks, an endpoint whose provider has several accounts, where there is one.
    choices: the only values, with their ``unit``; without any, values are what occurs in the catalogue.
    """

    name: VariableName
    title: str
    default: str = ""
    required: bool = False
    all_title: str = "All"
    compared: bool = False
    choices: tuple[str, ...] = ()
    unit: str = ""


class Tile(msgspec.Struct, frozen=True, kw_only=True):
    """One big figure. ``n`` and ``note`` are columns of the same row, ``note_text`` stands after the note.

    At least ``good_from`` is green, under ``bad_below`` red, between them amber; without them no colour.
    """

    title: str
    value: str
    n: str | None = None
    note: str | None = None
    note_text: str = ""
    good_from: float | None = None
    bad_below: float | None = None


class Tiles(msgspec.Struct, frozen=True, kw_only=True, tag="tiles"):
    """A row of figures from a query of one row."""

    tiles: tuple[Tile, ...]


class TableColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column people see.

    badge: name of a flag column that marks the row as simulated.
    mark: name of a flag column that marks this value as resting on an assumption.
    outside: name of a flag column that marks this value as resting on attempts that were measured out of bounds.
    bar: draw the value's size in the cell, against the largest of the column.
    unit_from: name of a column that holds the value's unit, where it differs from row to row.
    if_telling: show the column only where it tells rows of the same first column apart.
    names: what to show for known values; rows come in this order.
    unless_in: name of a column that says it already where its value is the same; nothing is shown then.
    """

    title: str
    column: str
    badge: str | None = None
    mark: str | None = None
    outside: str | None = None
    bar: bool = False
    unit_from: str | None = None
    if_telling: bool = False
    names: Mapping[str, str] = {}
    unless_in: str | None = None


class Table(msgspec.Struct, frozen=True, kw_only=True, tag="table"):
    """Rows to read; ``page_rows`` are shown before "show all". ``newest_first`` turns the query's order round."""

    columns: tuple[TableColumn, ...]
    page_rows: int = 25
    newest_first: bool = False


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A value over time with an optional band. ``colour`` None: by the series' own place in the palette."""

    title: str
    value: str
    low: str | None = None
    high: str | None = None
    colour: Colour | None = None


class TimeSeries(msgspec.Struct, frozen=True, kw_only=True, tag="time-series"):
    """Lines over time; every line is split by the values of the label columns ``by``.

    A line is named by the first of them, and by those of the others that tell lines of one name apart.
    """

    time: str
    lines: tuple[Line, ...]
    by: tuple[str, ...] = ()


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of a bar chart."""

    title: str
    value: str
    low: str | None = None
    high: str | None = None
    colour: Colour | None = None


class Bars(msgspec.Struct, frozen=True, kw_only=True, tag="bars"):
    """A bar for each row, named as lines are; its measures lie one below the other, or one after the other.

    by_name: rows in the order of their names, numbers within them by size, instead of the query's order.
    limit: a value that a line marks.
    """

    by: tuple[str, ...]
    bars: tuple[Bar, ...]
    stacked: bool = False
    by_name: bool = False
    limit: float | None = None


class Columns(msgspec.Struct, frozen=True, kw_only=True, tag="columns"):
    """Standing bars over an ordered category, such as the hour of the day, with an interval on each."""

    category: str
    value: str
    low: str | None = None
    high: str | None = None
    by: tuple[str, ...] = ()


class States(msgspec.Struct, frozen=True, kw_only=True, tag="states"):
    """One strip a row and one cell a time bucket, coloured by a share: at least ``ok_from`` green, then amber.

    A bucket without attempts has no row and is grey.
    """

    time: str
    by: tuple[str, ...]
    share: str
    n: str
    ok_from: float = 0.95
    failed_below: float = 0.5


class Histogram(msgspec.Struct, frozen=True, kw_only=True, tag="histogram"):
    """Counts over equal bins; ``start`` and ``end`` are the bin's edges."""

    start: str
    end: str
    count: str


class Distribution(msgspec.Struct, frozen=True, kw_only=True, tag="distribution"):
    """Steps over a value: of each line, the share of what was measured that is at most so large. Rows by value.

    n: column, the same in every row, of how many values each line was made from.
    """

    value: str
    lines: tuple[Line, ...]
    n: str | None = None


Visualisation = Tiles | Table | TimeSeries | Bars | Columns | States | Histogram | Distribution


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """Where a row leads, shown on ``column``. Time and all other variables are kept.

    target: id of a dashboard, whose ``variable`` becomes the column's value; or ``attempt``, whose page is
        named by the value of the column ``value``.
    """

    column: str
    target: str
    variable: VariableName | None = None
    value: str | None = None


Step = Literal["fine", "slots", "span"]
"""How a query with a step divides the span: for a line; not finer than the schedule's slots; not at all."""


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    """One picture over one query.

    description: what is seen; the query's own description, with the definition of the figures, follows it.
    definition: name of that definition; its version arrives with the figures.
    parameters: query parameter to variable. ``start``, ``end`` and ``step_s`` are bound by every renderer.
    constants: query parameters with a fixed value, whatever the reader picked.
    n: column that counts the attempts behind a row; ``rolling`` when rows share attempts, so that counts of
        different times must not be added up.
    window: what the span is called that figures look back over, where it is not the chosen one; of a query that
        knows no time, what its figures are of.
    when_empty: what an empty answer means, where that is no lack of data.
    quoted: others measured the figures, so nothing that is true of what we measure is said of them.
    """

    id: str
    title: str
    description: str
    definition: str
    query: str
    visualisation: Visualisation
    parameters: Mapping[str, VariableName]
    constants: Mapping[str, str | int | float] = {}
    links: tuple[Link, ...] = ()
    n: str | None = None
    rolling: bool = False
    step: Step = "fine"
    window: str = "the workload's own window"
    when_empty: str = ""
    quoted: bool = False
    width: Width = "full"


class Dashboard(msgspec.Struct, frozen=True, kw_only=True):
    """A page of panels that answers one question, with the variables a reader may pick."""

    id: str
    title: str
    question: str
    variables: tuple[Variable, ...]
    panels: tuple[Panel, ...]

    def panel(self, panel_id: str) -> Panel | None:
        """Panel of that id, or None."""
        return next((panel for panel in self.panels if panel.id == panel_id), None)
