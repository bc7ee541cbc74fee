"""Pictures that are read: big figures as a stat panel, rows as a table."""

from __future__ import annotations

from dashboards.grafana.fields import by_name, column_of, fixed, said_once, shown, traffic_light, unique, unit_of
from dashboards.grafana.model import FieldConfig, Override, Property
from dashboards.grafana.picture import Picture
from dashboards.panels import Panel, Table, Tiles
from projections.queries.contract import NamedQuery


def tiles(drawn: Tiles, query: NamedQuery) -> Picture:
    """Draw big figures, each with its own colours; counts and notes stand behind them."""
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


def table_titles(drawn: Table, panel: Panel) -> dict[str, str]:
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


def table(drawn: Table, panel: Panel, query: NamedQuery) -> Picture:
    """Draw rows under their titles, flags in words."""
    titles = table_titles(drawn, panel)
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
    once = {column.column: column.unless_in for column in drawn.columns if column.unless_in}
    return Picture(
        type="table",
        columns=tuple(
            said_once(column_of(query, name), title, once[name])
            if name in once
            else shown(column_of(query, name), title)
            for name, title in titles.items()
        ),
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
