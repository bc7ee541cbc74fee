"""How a value looks in Grafana: units, colours and thresholds from what the query says of its column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dashboards.grafana.model import Override, Property
from dashboards.grafana.sql import Selected
from dashboards.panels import COLOURS, Colour
from projections.queries.contract import NamedQuery, ResultColumn

_UNITS: Final[Mapping[str, str]] = {
    "s": "s",
    "ms": "ms",
    "us": "µs",
    "h": "none",
    "probability": "none",
    "rate": "none",
    "bytes": "bytes",
    "share": "percentunit",
    "percent": "percent",
    "ratio": "none",
    "USD": "currencyUSD",
    "EUR": "currencyEUR",
    "CZK": "currencyCZK",
    "": "none",
    "as the column unit says": "none",
}
"""Grafana's ids; what it has none for is written after the figure."""

YES_NO: Final = "multiIf({0} IS NULL, NULL, {0}, 'yes', 'no')"


def column_of(query: NamedQuery, name: str) -> ResultColumn:
    """Column of a query by name."""
    return next(column for column in query.columns if column.name == name)


def unit_of(column: ResultColumn) -> str:
    """Grafana's unit of a column."""
    if column.unit in _UNITS:
        return _UNITS[column.unit]
    if column.unit.startswith("USD "):
        return "currencyUSD"
    counted = column.unit in {
        "attempts",
        "slots",
        "pairs",
        "documents",
        "tasks",
        "criteria",
        "reviews",
        "judges",
        "judgments",
        "questions",
        "fields",
        "paragraphs",
        "runs",
        "findings",
        "events",
        "endpoints",
        "measurements",
        "prompts",
    }
    return "none" if counted else f"suffix: {column.unit}"


def shown(column: ResultColumn, title: str) -> Selected:
    """Select a column as a table shows it: truth values in words, everything else as it is."""
    expression = YES_NO.format(column.name) if column.kind == "flag" else column.name
    return Selected(expression=expression, title=title)


def said_once(column: ResultColumn, title: str, unless_in: str) -> Selected:
    """Select a column where it does not repeat another."""
    return Selected(expression=f"nullIf({column.name}, {unless_in})", title=title)


def fixed(colour: Colour) -> dict[str, Any]:
    """Fix a colour by its role."""
    return {"mode": "fixed", "fixedColor": COLOURS[colour]}


def by_name(title: str, *properties: Property) -> Override:
    """Override the field of exactly that name."""
    return Override(matcher={"id": "byName", "options": title}, properties=properties)


def traffic_light(bad_below: float, good_from: float) -> dict[str, Any]:
    """Red, amber from ``bad_below``, green from ``good_from``."""
    return {
        "mode": "absolute",
        "steps": [
            {"color": COLOURS["failed"], "value": None},
            {"color": COLOURS["degraded"], "value": bad_below},
            {"color": COLOURS["ok"], "value": good_from},
        ],
    }


NO_DATA: Final = {
    "type": "special",
    "options": {"match": "null", "result": {"text": "no data", "color": COLOURS["no-data"]}},
}
"""Absence of data is grey: neither good nor bad."""


def unique(titles: Mapping[str, str]) -> dict[str, str]:
    """Column name to title; a title that would occur twice is told apart by its column's own words."""
    seen: dict[str, int] = {}
    for title in titles.values():
        seen[title] = seen.get(title, 0) + 1
    return {
        name: title if seen[title] == 1 else f"{title} ({name.replace('_', ' ')})" for name, title in titles.items()
    }
