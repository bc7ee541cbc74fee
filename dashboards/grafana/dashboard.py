"""A dashboard of ours as a dashboard of Grafana's: places, variables, marks, links, descriptions."""

from __future__ import annotations

import zlib
from typing import Any, Final

from msgspec import UNSET

from dashboards.annotations import MARKS, Mark
from dashboards.grafana.fields import by_name
from dashboards.grafana.model import (
    Annotation,
    Annotations,
    DashboardLink,
    DataSourceRef,
    FieldConfig,
    GrafanaDashboard,
    GrafanaPanel,
    GrafanaVariable,
    GridPos,
    Override,
    Property,
    Target,
    TimeRange,
    Variables,
)
from dashboards.grafana.picture import Picture
from dashboards.grafana.pictures import pictured, title_of
from dashboards.grafana.sql import dashboard_sql, quoted, selecting, span_sql
from dashboards.panels import COLOURS, Dashboard, Link, Panel, Step, Table, Variable, Width
from dashboards.registry import DASHBOARDS
from projections.queries.contract import NamedQuery
from projections.queries.registry import query_named
from schemas.metrics import metric

TAG: Final = "messwerk"
PAGE_VARIABLE: Final = "page"
PAGE_URL: Final = "http://127.0.0.1:8417"
"""Where the built-in page is, which alone shows a single attempt; a text box, because Grafana cannot know."""

_GRID: Final = 24
_WIDTHS: Final[dict[Width, int]] = {"full": 24, "half": 12, "third": 8, "two-thirds": 16}
_FINEST: Final[dict[Step, tuple[str, int]]] = {"fine": ("5m", 150), "slots": ("3h", 120)}


def dashboard_uid(dashboard_id: str) -> str:
    """Grafana's name of a dashboard, which its address and our links are made of."""
    return f"{TAG}-{dashboard_id}"


def panel_number(panel_id: str) -> int:
    """Grafana's number of a panel; it follows from the id alone, so that links outlive a new neighbour."""
    return 1 + zlib.crc32(panel_id.encode()) % 1_000_000


def grafana_dashboard(dashboard: Dashboard) -> GrafanaDashboard:
    """Write a dashboard in Grafana's model."""
    steady = frozenset(variable.name for variable in dashboard.variables if variable.required)
    return GrafanaDashboard(
        uid=dashboard_uid(dashboard.id),
        title=dashboard.title,
        description=dashboard.question,
        tags=(TAG,),
        time=TimeRange(from_="now-72h", to="now"),
        templating=Variables(list=(_datasource(), *map(_variable, dashboard.variables), *_page(dashboard))),
        annotations=Annotations(list=(_BUILT_IN, *map(_annotation, MARKS))),
        links=(DashboardLink(title="Messwerk", tags=(TAG,)),),
        panels=_placed(dashboard, steady),
    )


def _placed(dashboard: Dashboard, steady: frozenset[str]) -> tuple[GrafanaPanel, ...]:
    placed: list[GrafanaPanel] = []
    x = y = row = 0
    for panel in dashboard.panels:
        query = query_named(panel.query)
        picture = pictured(panel, query, steady)
        width = _WIDTHS[panel.width]
        if x + width > _GRID:
            x, y, row = 0, y + row, 0
        placed.append(_panel(dashboard, panel, query, picture, GridPos(h=picture.height, w=width, x=x, y=y)))
        x, row = x + width, max(row, picture.height)
    return tuple(placed)


def _panel(dashboard: Dashboard, panel: Panel, query: NamedQuery, picture: Picture, place: GridPos) -> GrafanaPanel:
    sql = selecting(dashboard_sql(query, panel), picture.columns, picture.order_by)
    divided = any(parameter.name == "step_s" for parameter in query.parameters) and panel.step != "span"
    interval, points = _FINEST[panel.step] if divided else (UNSET, UNSET)
    linked = tuple(_linked(dashboard, panel, link) for link in panel.links)
    defaults = {"noValue": panel.when_empty} if panel.when_empty and picture.type == "table" else {}
    return GrafanaPanel(
        id=panel_number(panel.id),
        type=picture.type,
        title=panel.title,
        description=described(panel, query),
        grid_pos=place,
        targets=(
            Target(
                raw_sql=sql,
                format=0 if picture.series else 1,
                query_type="timeseries" if picture.series else "table",
            ),
        ),
        field_config=FieldConfig(
            defaults={**defaults, **picture.field_config.defaults},
            overrides=(*picture.field_config.overrides, *linked),
        ),
        options=picture.options,
        transformations=picture.transformations or UNSET,
        interval=interval,
        max_data_points=points,
    )


def described(panel: Panel, query: NamedQuery) -> str:
    """Say what a panel shows, under which definition and version, in the words of its query."""
    metrics = dict.fromkeys(column.metric for column in query.columns if column.metric)
    stamps = [f"query {query.name} {query.version}", *(f"{name} {metric(name).version}" for name in metrics)]
    empty = f"\n\nEmpty: {panel.when_empty}" if panel.when_empty else ""
    return (
        f"{panel.description}\n\n{query.description}\n\n"
        f"Definition: {panel.definition}; versions: {', '.join(stamps)}.{empty}"
    )


def _linked(dashboard: Dashboard, panel: Panel, link: Link) -> Override:
    value = Property(id="links", value=[{"title": _link_title(link), "url": _url(dashboard, panel, link)}])
    if isinstance(panel.visualisation, Table):
        return by_name(title_of(panel, link.column), value)
    return Override(matcher={"id": "byType", "options": "number"}, properties=(value,))


def _link_title(link: Link) -> str:
    return "Attempt" if link.target == "attempt" else DASHBOARDS[link.target].title


def _url(dashboard: Dashboard, panel: Panel, link: Link) -> str:
    """Address of a link: time and every variable that both sides know, besides the one that the row names."""
    if link.target == "attempt":
        return f"${{{PAGE_VARIABLE}}}/attempt/{_of_row(panel, link.value or link.column)}"
    target = DASHBOARDS[link.target]
    shared = {variable.name for variable in target.variables} & {variable.name for variable in dashboard.variables}
    pages = {PAGE_VARIABLE} if _page(dashboard) and _page(target) else set()
    kept = [f"${{{name}:queryparam}}" for name in ("datasource", *sorted(pages | (shared - {link.variable})))]
    return "&".join(
        [
            f"/d/{dashboard_uid(link.target)}?${{__url_time_range}}",
            *kept,
            f"var-{link.variable}={_of_row(panel, link.column)}",
        ]
    )


def _of_row(panel: Panel, column: str) -> str:
    if isinstance(panel.visualisation, Table):
        return f'${{__data.fields["{title_of(panel, column)}"]:percentencode}}'
    return f"${{__field.labels.{column}:percentencode}}"


def _datasource() -> GrafanaVariable:
    return GrafanaVariable(
        name="datasource", type="datasource", label="Data source", query=DataSourceRef().type, refresh=1
    )


def _page(dashboard: Dashboard) -> tuple[GrafanaVariable, ...]:
    if not any(link.target == "attempt" for panel in dashboard.panels for link in panel.links):
        return ()
    return (
        GrafanaVariable(
            name=PAGE_VARIABLE,
            type="textbox",
            label="Messwerk's page",
            description="Address of the built-in page, which shows single attempts.",
            query=PAGE_URL,
            current={"text": PAGE_URL, "value": PAGE_URL},
            options=({"text": PAGE_URL, "value": PAGE_URL, "selected": True},),
        ),
    )


def _variable(variable: Variable) -> GrafanaVariable:
    every = "" if variable.required or variable.all_title == "All" else f" (All: {variable.all_title.lower()})"
    if variable.choices:
        return GrafanaVariable(
            name=variable.name,
            type="custom",
            label=f"{variable.title}, {variable.unit}" if variable.unit else f"{variable.title}{every}",
            query=",".join(variable.choices),
            multi=not variable.required,
            include_all=not variable.required,
            current=_current(variable),
            options=(
                *(() if variable.required else ({"text": "All", "value": "$__all", "selected": True},)),
                *(
                    {"text": value, "value": value, "selected": value == variable.default}
                    for value in variable.choices
                ),
            ),
        )
    sql = variable_sql(variable.name)
    return GrafanaVariable(
        name=variable.name,
        type="query",
        label=f"{variable.title}{every}",
        datasource=DataSourceRef(),
        definition=sql,
        query=sql,
        refresh=1,
        multi=not variable.required,
        include_all=not variable.required,
        current=_current(variable),
    )


def _current(variable: Variable) -> dict[str, Any]:
    if not variable.required:
        return {"text": ["All"], "value": ["$__all"]}
    return {"text": variable.default, "value": variable.default} if variable.default else {}


def variable_sql(name: str) -> str:
    """Values that a variable can take: those that occur in the tables, from the same query as everywhere."""
    every = query_named("choices").sql.strip()
    return f"SELECT value\nFROM (\n{every}\n)\nWHERE parameter = {quoted(name)} AND value != ''\nORDER BY value"


_BUILT_IN: Final = Annotation(
    name="Annotations & Alerts",
    icon_color="rgba(0, 211, 255, 1)",
    datasource=DataSourceRef(type="grafana", uid="-- Grafana --"),
    hide=True,
    built_in=1,
    type="dashboard",
)


def _annotation(mark: Mark) -> Annotation:
    return Annotation(
        name=mark.title,
        icon_color=COLOURS[mark.colour],
        target=Target(raw_sql=span_sql(query_named(mark.query)), format=1, query_type="table", ref_id="Anno"),
    )
