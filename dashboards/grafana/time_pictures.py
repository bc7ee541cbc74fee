"""Pictures with a time axis: lines as a time series, shares as a history of states."""

from __future__ import annotations

from dashboards.grafana.fields import NO_DATA, column_of, fixed, traffic_light, unit_of
from dashboards.grafana.model import FieldConfig, Override, Property
from dashboards.grafana.picture import BY_NAME, LEGEND, TOOLTIP, Picture
from dashboards.grafana.sql import Selected
from dashboards.panels import Line, States, TimeSeries
from projections.queries.contract import NamedQuery


def time_series(drawn: TimeSeries, query: NamedQuery, steady: frozenset[str]) -> Picture:
    """Draw lines split by labels; the bounds of a band are thin and dashed."""
    labels = [name for name in drawn.by if name not in steady] or list(drawn.by[:1])
    banded = any(line.low or line.high for line in drawn.lines)
    values = [(name, title) for line in drawn.lines for name, title in _values_of(line)]
    overrides = [
        _by_word(title, Property(id="color", value=fixed(line.colour)))
        for line in drawn.lines
        if line.colour is not None
        for _, title in _values_of(line)
    ]
    overrides += [
        _by_word(
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
                "color": BY_NAME,
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
        options={"legend": LEGEND, "tooltip": TOOLTIP},
        height=10 if banded else 9,
    )


def _values_of(line: Line) -> list[tuple[str, str]]:
    """Columns of a line and what they are called; a bound of the band is called what it is."""
    named = [(line.value, line.title)]
    named.extend((name, name.upper() if name[0] == "p" else name) for name in (line.low, line.high) if name)
    return named


def _by_word(title: str, *properties: Property) -> Override:
    """Override every series whose name has this title in it: labels stand behind it."""
    return Override(matcher={"id": "byRegexp", "options": f"/(^|\\s){title}(\\s|$)/"}, properties=properties)


def states(drawn: States) -> Picture:
    """Draw one strip for each combination of labels: green, amber, red, and grey where there is nothing."""
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
        options={"colWidth": 0.9, "rowHeight": 0.9, "showValue": "never", "legend": LEGEND, "tooltip": TOOLTIP},
        height=10,
    )
