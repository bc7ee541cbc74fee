"""What a kind of picture adds to a Grafana panel, and what all kinds look like alike."""

from __future__ import annotations

from typing import Final

import msgspec

from dashboards.grafana.model import FieldConfig, Json
from dashboards.grafana.sql import Selected

LEGEND: Final = {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []}
TOOLTIP: Final = {"mode": "multi", "sort": "desc"}
BY_NAME: Final = {"mode": "palette-classic-by-name"}


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
