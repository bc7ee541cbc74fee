"""A picture of empirical distributions: shares over a value, in steps."""

from __future__ import annotations

from dashboards.grafana.fields import by_name, column_of, fixed, unit_of
from dashboards.grafana.model import FieldConfig, Property
from dashboards.grafana.picture import LEGEND, TOOLTIP, Picture
from dashboards.grafana.sql import Selected
from dashboards.panels import Distribution
from projections.queries.contract import NamedQuery


def distribution(drawn: Distribution, query: NamedQuery) -> Picture:
    """Draw each line in steps over the value; Grafana's trend has no need of a time."""
    return Picture(
        type="trend",
        columns=(
            Selected(expression=drawn.value, title=drawn.value),
            *(Selected(expression=line.value, title=line.title) for line in drawn.lines),
        ),
        order_by=f'"{drawn.value}"',
        field_config=FieldConfig(
            defaults={
                "unit": unit_of(column_of(query, drawn.lines[0].value)),
                "min": 0,
                "max": 1,
                "custom": {
                    "drawStyle": "line",
                    "lineInterpolation": "stepAfter",
                    "lineWidth": 2,
                    "fillOpacity": 0,
                    "showPoints": "never",
                },
            },
            overrides=(
                by_name(drawn.value, Property(id="unit", value=unit_of(column_of(query, drawn.value)))),
                *(
                    by_name(line.title, Property(id="color", value=fixed(line.colour)))
                    for line in drawn.lines
                    if line.colour is not None
                ),
            ),
        ),
        options={"xField": drawn.value, "legend": LEGEND, "tooltip": TOOLTIP},
        height=9,
    )
