"""Pictures made of bars: rows of a table, an ordered category, equal bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dashboards.grafana.fields import by_name, column_of, fixed, unit_of
from dashboards.grafana.model import FieldConfig, Property
from dashboards.grafana.picture import BY_NAME, LEGEND, TOOLTIP, Picture
from dashboards.grafana.sql import Selected
from dashboards.panels import COLOURS, Bars, Columns, Histogram
from projections.queries.contract import NamedQuery


def _named_row(names: Sequence[str], steady: frozenset[str]) -> Selected:
    telling = [name for name in names if name not in steady] or list(names[:1])
    if len(telling) == 1:
        return Selected(expression=f"toString({telling[0]})", title="name")
    joined = ", ".join(f"toString({name})" for name in telling)
    return Selected(expression=f"arrayStringConcat([{joined}], ' · ')", title="name")


def bars(drawn: Bars, query: NamedQuery, steady: frozenset[str]) -> Picture:
    """Draw a bar for each row, lying."""
    return Picture(
        type="barchart",
        columns=(
            _named_row(drawn.by, steady),
            *(Selected(expression=bar.value, title=bar.title) for bar in drawn.bars),
        ),
        order_by='"name"' if drawn.by_name else "",
        field_config=FieldConfig(
            defaults={
                "color": BY_NAME,
                "unit": unit_of(column_of(query, drawn.bars[0].value)),
                "custom": {"fillOpacity": 80, "lineWidth": 0} | _line_style(drawn.limit),
                **_thresholds(drawn.limit),
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


def _line_style(limit: float | None) -> dict[str, Any]:
    return {} if limit is None else {"thresholdsStyle": {"mode": "line"}}


def _thresholds(limit: float | None) -> dict[str, Any]:
    if limit is None:
        return {}
    steps = [{"color": "transparent", "value": None}, {"color": COLOURS["failed"], "value": limit}]
    return {"thresholds": {"mode": "absolute", "steps": steps}}


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
        "legend": LEGEND,
        "tooltip": TOOLTIP,
    }


def columns(drawn: Columns, query: NamedQuery) -> Picture:
    """Draw standing bars over an ordered category, one colour for each value of the labels."""
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
                "color": BY_NAME,
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


def histogram(drawn: Histogram) -> Picture:
    """Draw counts over equal bins."""
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
