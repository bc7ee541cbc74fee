"""Each kind of picture as a Grafana panel: what it selects from the query, which visualisation draws it, and how.

One function a kind; what is common to all panels (place, description, links) is put around it by ``dashboard``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from dashboards.grafana.fields import (
    NO_DATA,
    by_name,
    column_of,
    fixed,
    shown,
    traffic_light,
    unique,
    unit_of,
)
from dashboards.grafana.model import FieldConfig, Json, Override, Property
from dashboards.grafana.sql import Selected
from dashboards.panels import Bars, Columns, Histogram, Line, Panel, States, Table, Tiles, TimeSeries
from projections.queries.contract import NamedQuery

_LEGEND: Final = {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []}
_TOOLTIP: Final = {"mode": "multi", "sort": "desc"}
_BY_NAME: Final = {"mode": "palette-classic-by-name"}


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """What a kind of picture adds to a panel.

    series: the answer is read as time series, else as a table.
    order_by: order of the selected rows, where it is not the query's.
    """

    type: str
    columns: tuple[Selected, ...]
    field_config: FieldConfig
    options: Json
    height: int
    series: bool = False
    order_by: str = ""
    transformations: tuple[Json, ...] = ()


def pictured(  # noqa: PLR0911  # one case a kind of picture
    panel: Panel, query: NamedQuery, steady: frozenset[str]
) -> Picture:
    """Draw a panel; ``steady`` labels have one value on the whole dashboard and name nothing apart."""
    drawn = panel.visualisation
    match drawn:
        case Tiles():
            return _tiles(drawn, query)
        case Table():
            return _table(drawn, panel, query)
        case TimeSeries():
            return _time_series(drawn, query, steady)
        case Bars():
            return _bars(drawn, query, steady)
        case Columns():
            return _columns(drawn, query)
        case States():
            return _states(drawn)
        case Histogram():
            return _histogram(drawn)


def title_of(panel: Panel, column: str) -> str:
    """Name that a column bears in Grafana, for the links that point at it."""
    if isinstance(panel.visualisation, Table):
        return _table_titles(panel.visualisation, panel).get(column, column)
    return column


def _tiles(drawn: Tiles, query: NamedQuery) -> Picture:
    titles = {tile.value: tile.title for tile in drawn.tiles}
    overrides: list[Override] = []
    for tile in drawn.tiles:
        properties = [Property(id="unit", value=unit_of(column_of(query, tile.value)))]
        if tile.good_from is not None and tile.bad_below is not None:
            properties.append(Property(id="color", value={"mode": "thresholds"}))
            properties.append(Property(id="thresholds", value=traffic_light(tile.bad_below, tile.good_from)))
        overrides.append(by_name(tile.title, *properties))
        beside = ((tile.n, f"{tile.title}, n"), (tile.note, f"{tile.title}, {tile.note_text}".rstrip(", ")))
        for name, title in beside:
            if name is not None and name not in titles:
                titles[name] = title if title != tile.title else f"{tile.title}, {column_of(query, name).description}"
    return Picture(
        type="stat",
        columns=tuple(shown(column_of(query, name), title) for name, title in titles.items()),
        field_config=FieldConfig(
            defaults={"color": fixed("neutral"), "noValue": "no data"}, overrides=tuple(overrides)
        ),
        options={
            "colorMode": "value",
            "graphMode": "none",
            "justifyMode": "auto",
            "orientation": "auto",
            "reduceOptions": {"calcs": ["lastNotNull"], "fields": "/.*/", "values": False},
            "textMode": "value_and_name",
            "wideLayout": True,
        },
        height=5,
    )


def _table_titles(drawn: Table, panel: Panel) -> dict[str, str]:
    """Titles of visible columns, then of the flags that mark rows and values, then of what links need."""
    titles = {column.column: column.title for column in drawn.columns}
    for column in drawn.columns:
        for flag, title in (
            (column.badge, "Simulated"),
            (column.mark, "Assumed"),
            (column.outside, "Any out of bounds"),
        ):
            if flag is not None:
                titles.setdefault(flag, title)
    for link in panel.links:
        for name in (link.column, link.value):
            if name is not None:
                titles.setdefault(name, name)
    return unique(titles)


def _table(drawn: Table, panel: Panel, query: NamedQuery) -> Picture:
    titles = _table_titles(drawn, panel)
    visible = {column.column for column in drawn.columns}
    overrides: list[Override] = []
    for column in drawn.columns:
        described = column_of(query, column.column)
        properties = []
        if described.kind == "number" and column.unit_from is None:
            properties.append(Property(id="unit", value=unit_of(described)))
        if column.bar:
            properties.append(Property(id="custom.cellOptions", value={"type": "gauge", "mode": "basic"}))
            properties.append(Property(id="min", value=0))
        if column.names:
            named = {
                name: {"text": title, "index": place} for place, (name, title) in enumerate(column.names.items())
            }
            properties.append(Property(id="mappings", value=[{"type": "value", "options": named}]))
        if properties:
            overrides.append(by_name(titles[column.column], *properties))
    needed = {link.value for link in panel.links} - visible - {None}
    overrides.extend(
        by_name(titles[name], Property(id="custom.hidden", value=True)) for name in sorted(filter(None, needed))
    )
    newest = next(
        (titles[column.name] for column in query.columns if column.kind == "time" and column.name in visible), ""
    )
    return Picture(
        type="table",
        columns=tuple(shown(column_of(query, name), title) for name, title in titles.items()),
        field_config=FieldConfig(
            defaults={"color": fixed("primary"), "custom": {"align": "auto", "filterable": True}},
            overrides=tuple(overrides),
        ),
        options={
            "cellHeight": "sm",
            "showHeader": True,
            "sortBy": [{"displayName": newest, "desc": True}] if drawn.newest_first and newest else [],
        },
        height=10,
    )


def _time_series(drawn: TimeSeries, query: NamedQuery, steady: frozenset[str]) -> Picture:
    labels = [name for name in drawn.by if name not in steady] or list(drawn.by[:1])
    banded = any(line.low or line.high for line in drawn.lines)
    values = [(name, title) for line in drawn.lines for name, title in _values_of(line)]
    overrides = [
        by_regex(title, Property(id="color", value=fixed(line.colour)))
        for line in drawn.lines
        if line.colour is not None
        for _, title in _values_of(line)
    ]
    overrides += [
        by_regex(
            title,
            Property(id="custom.lineWidth", value=1),
            Property(id="custom.lineStyle", value={"fill": "dash", "dash": [4, 6]}),
            Property(id="custom.fillOpacity", value=0),
        )
        for line in drawn.lines
        for name, title in _values_of(line)
        if name != line.value
    ]
    own_name = [] if len(values) == 1 else ["${__field.name}"]
    return Picture(
        type="timeseries",
        series=True,
        columns=(
            Selected(expression=drawn.time, title="time"),
            *(Selected(expression=f"toString({name})", title=name) for name in drawn.by),
            *(Selected(expression=name, title=title) for name, title in values),
        ),
        order_by=", ".join((drawn.time, *drawn.by)),
        field_config=FieldConfig(
            defaults={
                "color": _BY_NAME,
                "unit": unit_of(column_of(query, drawn.lines[0].value)),
                "displayName": " · ".join([*own_name, *(f"${{__field.labels.{name}}}" for name in labels)]),
                "custom": {
                    "drawStyle": "line",
                    "lineInterpolation": "linear",
                    "lineWidth": 2,
                    "fillOpacity": 0,
                    "pointSize": 4,
                    "showPoints": "auto",
                    "spanNulls": False,
                },
            },
            overrides=tuple(overrides),
        ),
        options={"legend": _LEGEND, "tooltip": _TOOLTIP},
        height=10 if banded else 9,
    )


def _values_of(line: Line) -> list[tuple[str, str]]:
    """Columns of a line and what they are called; a bound of the band is called what it is."""
    named = [(line.value, line.title)]
    named.extend((name, name.upper() if name[0] == "p" else name) for name in (line.low, line.high) if name)
    return named


def by_regex(title: str, *properties: Property) -> Override:
    """Override every series whose name has this title in it: labels stand behind it."""
    return Override(matcher={"id": "byRegexp", "options": f"/(^|\\s){title}(\\s|$)/"}, properties=properties)


def _named_row(names: Sequence[str], steady: frozenset[str]) -> Selected:
    telling = [name for name in names if name not in steady] or list(names[:1])
    if len(telling) == 1:
        return Selected(expression=f"toString({telling[0]})", title="name")
    joined = ", ".join(f"toString({name})" for name in telling)
    return Selected(expression=f"arrayStringConcat([{joined}], ' · ')", title="name")


def _bars(drawn: Bars, query: NamedQuery, steady: frozenset[str]) -> Picture:
    return Picture(
        type="barchart",
        columns=(
            _named_row(drawn.by, steady),
            *(Selected(expression=bar.value, title=bar.title) for bar in drawn.bars),
        ),
        order_by='"name"' if drawn.by_name else "",
        field_config=FieldConfig(
            defaults={
                "color": _BY_NAME,
                "unit": unit_of(column_of(query, drawn.bars[0].value)),
                "custom": {"fillOpacity": 80, "lineWidth": 0},
            },
            overrides=tuple(
                by_name(bar.title, Property(id="color", value=fixed(bar.colour)))
                for bar in drawn.bars
                if bar.colour is not None
            ),
        ),
        options=_bar_options("horizontal", stacked=drawn.stacked),
        height=9,
    )


def _bar_options(orientation: str, *, stacked: bool = False) -> dict[str, Any]:
    return {
        "orientation": orientation,
        "stacking": "normal" if stacked else "none",
        "showValue": "auto",
        "barWidth": 0.9,
        "groupWidth": 0.7,
        "xTickLabelRotation": 0,
        "xTickLabelSpacing": 0,
        "fullHighlight": False,
        "legend": _LEGEND,
        "tooltip": _TOOLTIP,
    }


def _columns(drawn: Columns, query: NamedQuery) -> Picture:
    row, column = "category", "series"
    names = ", ".join(f"toString({name})" for name in drawn.by) or f"'{drawn.value}'"
    return Picture(
        type="barchart",
        columns=(
            Selected(expression=f"leftPad(toString({drawn.category}), 2, '0')", title=row),
            Selected(expression=f"arrayStringConcat([{names}], ' · ')", title=column),
            Selected(expression=drawn.value, title=drawn.value),
        ),
        order_by='"category", "series"',
        field_config=FieldConfig(
            defaults={
                "color": _BY_NAME,
                "unit": unit_of(column_of(query, drawn.value)),
                "custom": {"fillOpacity": 80, "lineWidth": 0},
            }
        ),
        options=_bar_options("vertical"),
        transformations=(
            {
                "id": "groupingToMatrix",
                "options": {"rowField": row, "columnField": column, "valueField": drawn.value},
            },
        ),
        height=9,
    )


def _states(drawn: States) -> Picture:
    return Picture(
        type="status-history",
        series=True,
        columns=(
            Selected(expression=drawn.time, title="time"),
            *(Selected(expression=f"toString({name})", title=name) for name in drawn.by),
            Selected(expression=drawn.share, title=drawn.share),
        ),
        order_by=", ".join((drawn.time, *drawn.by)),
        field_config=FieldConfig(
            defaults={
                "color": {"mode": "thresholds"},
                "thresholds": traffic_light(drawn.failed_below, drawn.ok_from),
                "mappings": [NO_DATA],
                "unit": "percentunit",
                "displayName": " · ".join(f"${{__field.labels.{name}}}" for name in drawn.by),
                "custom": {"fillOpacity": 85, "lineWidth": 0},
            }
        ),
        options={"colWidth": 0.9, "rowHeight": 0.9, "showValue": "never", "legend": _LEGEND, "tooltip": _TOOLTIP},
        height=10,
    )


def _histogram(drawn: Histogram) -> Picture:
    return Picture(
        type="barchart",
        columns=(
            Selected(expression=f"concat(toString({drawn.start}), ' to ', toString({drawn.end}))", title="name"),
            Selected(expression=drawn.count, title=drawn.count),
        ),
        field_config=FieldConfig(defaults={"color": fixed("primary"), "custom": {"fillOpacity": 80, "lineWidth": 0}}),
        options=_bar_options("vertical"),
        height=9,
    )
