"""Grafana's classic dashboard model, schema version 42, as far as these dashboards use it.

Plain structs of our own rather than the builders of ``grafana-foundation-sdk``: a model of forty fields is read
here in one place, the SDK brings some 60,000 generated lines without a ClickHouse query among them, its version
0.0.21 has to be pinned against an older one that sorts higher, and it would be needed wherever Messwerk is
installed. What it is good for is proof: it is generated from Grafana's own schemas, so the tests read the written
dashboards with its classes and want every field of the model back.

Options of a visualisation belong to that visualisation and are plain JSON. What is ``UNSET`` is not written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

SCHEMA_VERSION: Final = 42
PLUGIN: Final = "grafana-clickhouse-datasource"
PLUGIN_VERSION: Final = "4.20.0"
DATASOURCE_UID: Final = "messwerk-clickhouse"
"""Of the provisioned data source, which alert rules name; dashboards let the reader choose."""

Json = Mapping[str, Any]


class Written(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of the model."""


class DataSourceRef(Written, frozen=True, kw_only=True):
    """Which data source answers."""

    type: str = PLUGIN
    uid: str = "${datasource}"


class Target(Written, frozen=True, kw_only=True):
    """One query; ``format`` decides what becomes of the answer: 0 series, 1 table."""

    raw_sql: str
    format: Literal[0, 1]
    query_type: Literal["timeseries", "table"]
    ref_id: str = "A"
    datasource: DataSourceRef = DataSourceRef()
    editor_type: Literal["sql"] = "sql"
    plugin_version: str = PLUGIN_VERSION


class GridPos(Written, frozen=True, kw_only=True):
    """Place on a grid of 24 columns."""

    h: int
    w: int
    x: int
    y: int


class Property(Written, frozen=True, kw_only=True):
    """One setting of an override."""

    id: str
    value: Any


class Override(Written, frozen=True, kw_only=True):
    """Settings of the fields that a matcher finds."""

    matcher: Json
    properties: tuple[Property, ...]


class FieldConfig(Written, frozen=True, kw_only=True):
    """How values look: for all fields, and for some."""

    defaults: Json
    overrides: tuple[Override, ...] = ()


class GrafanaPanel(Written, frozen=True, kw_only=True):
    """One panel."""

    id: int
    type: str
    title: str
    description: str
    grid_pos: GridPos
    targets: tuple[Target, ...]
    field_config: FieldConfig
    options: Json
    datasource: DataSourceRef = DataSourceRef()
    transformations: tuple[Json, ...] | UnsetType = UNSET
    interval: str | UnsetType = UNSET
    max_data_points: int | UnsetType = UNSET


class GrafanaVariable(Written, frozen=True, kw_only=True):
    """A variable; which fields matter depends on its type."""

    name: str
    type: Literal["datasource", "query", "custom", "textbox"]
    label: str
    query: str
    description: str | UnsetType = UNSET
    datasource: DataSourceRef | UnsetType = UNSET
    definition: str | UnsetType = UNSET
    multi: bool = False
    include_all: bool = False
    current: Json = {}
    options: tuple[Json, ...] = ()
    refresh: Literal[0, 1, 2] = 0
    sort: int = 0
    hide: Literal[0, 1, 2] = 0


class Variables(Written, frozen=True, kw_only=True):
    """All variables of a dashboard."""

    list: tuple[GrafanaVariable, ...]


class Annotation(Written, frozen=True, kw_only=True):
    """Marks over every panel with a time axis."""

    name: str
    icon_color: str
    target: Target | UnsetType = UNSET
    datasource: DataSourceRef = DataSourceRef()
    enable: bool = True
    hide: bool = False
    built_in: Literal[0, 1] = 0
    type: str | UnsetType = UNSET


class Annotations(Written, frozen=True, kw_only=True):
    """All annotations of a dashboard."""

    list: tuple[Annotation, ...]


class DashboardLink(Written, frozen=True, kw_only=True):
    """A link in a dashboard's head to those of the same tag."""

    title: str
    tags: tuple[str, ...]
    type: Literal["dashboards"] = "dashboards"
    as_dropdown: bool = False
    icon: str = "external link"
    include_vars: bool = True
    keep_time: bool = True
    target_blank: bool = False
    tooltip: str = ""
    url: str = ""


class TimeRange(Written, frozen=True, kw_only=True):
    """The span that is shown at first."""

    from_: str = msgspec.field(name="from")
    to: str


class TimePicker(Written, frozen=True, kw_only=True):
    """Nothing of the time picker is changed."""


class GrafanaDashboard(Written, frozen=True, kw_only=True):
    """One dashboard. ``graph_tooltip`` 1 is the shared crosshair."""

    uid: str
    title: str
    description: str
    tags: tuple[str, ...]
    time: TimeRange
    templating: Variables
    annotations: Annotations
    links: tuple[DashboardLink, ...]
    panels: tuple[GrafanaPanel, ...]
    timezone: Literal["utc"] = "utc"
    graph_tooltip: Literal[0, 1, 2] = 1
    editable: bool = True
    fiscal_year_start_month: int = 0
    live_now: bool = False
    preload: bool = False
    refresh: str = "1m"
    schema_version: int = SCHEMA_VERSION
    timepicker: TimePicker = TimePicker()
    week_start: str = ""


def as_json(part: msgspec.Struct) -> str:
    """Write a part of the model as people and version control like to read it."""
    return msgspec.json.format(msgspec.json.encode(part), indent=2).decode() + "\n"
