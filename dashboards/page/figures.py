"""From an answered query to what the browser gets: typed columns, rows, and where the figures come from. Pure.

Times become milliseconds since 1970; whatever is not a finite number becomes null. The CSV holds the same
rows, with times as ISO 8601.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

import msgspec

from dashboards.page.parameters import Choice
from dashboards.panels import Panel
from projections.queries.contract import QueryTable, ResultColumn
from schemas.metrics import metric, stated

UNITLESS: Final = "number"


class FigureColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column: ``unit`` is the unit of a number, or ``time``, ``text``, ``boolean``, ``array``."""

    name: str
    unit: str
    title: str


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """Span that the figures were made from, milliseconds since 1970; ``note`` where it is not the reader's own.

    timeless: the figures hang on no time of ours, and the note alone says what they are of.
    """

    from_ms: int
    to_ms: int
    note: str = ""
    timeless: bool = False


class PanelFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a renderer needs for one panel."""

    dashboard: str
    panel: str
    query: str
    meaning: str
    definition: str | None
    columns: list[FigureColumn]
    rows: list[list[Any]]
    n: str | None
    total_n: int | None
    window: Window
    newest_ms: int | None
    step_ms: int | None


def panel_figures(
    dashboard: str, panel: Panel, answer: QueryTable, choice: Choice, *, step_s: int | None
) -> PanelFigures:
    """Put an answer into the form that is sent."""
    return PanelFigures(
        dashboard=dashboard,
        panel=panel.id,
        query=panel.query,
        meaning=answer.query.description,
        definition=_definition(answer),
        columns=[FigureColumn(name=c.name, unit=unit_of(c), title=title_of(c)) for c in answer.query.columns],
        rows=[[plain(value) for value in row] for row in answer.rows],
        n=panel.n,
        total_n=_total(panel, answer),
        window=_window(panel, answer, choice),
        newest_ms=_newest(answer),
        step_ms=None if step_s is None else step_s * 1000,
    )


def to_csv(answer: QueryTable, *, line_end: str = "\r\n") -> str:
    """RFC 4180 text with a header; units stand behind the names, unknown values are empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=line_end)
    writer.writerow([heading(column) for column in answer.query.columns])
    for row in answer.rows:
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


def unit_of(column: ResultColumn) -> str:
    """Return the unit by which values are written; the kind stands in where a value is no number."""
    match column.kind:
        case "time":
            return "time"
        case "flag":
            return "boolean"
        case "number":
            return column.unit or UNITLESS
        case "array":
            return "array"
        case "label" | "text":
            return "text"


def title_of(column: ResultColumn) -> str:
    """Say what a column holds, and for a metric how it is defined."""
    if not column.metric:
        return column.description
    found = metric(column.metric)
    return f"{column.description}. {found.title}, definition {found.id}/{found.version}: {stated(found.id)}"


def plain(value: Any) -> Any:  # noqa: ANN401  # whatever a store returns
    """Value as JSON has it."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case datetime():
            return _ms(value)
        case Decimal():
            return float(value)
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return str(value)


def _ms(moment: datetime) -> int:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round(aware.timestamp() * 1000)


def heading(column: ResultColumn) -> str:
    """Name a column for people and for CSV: ``ttft_p50 [s]``, ``newest [UTC]``, ``endpoint``."""
    unit = column.unit if column.kind == "number" else "UTC" if column.kind == "time" else ""
    return f"{column.name} [{unit}]" if unit else column.name


_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


def _cell(value: Any) -> str:  # noqa: ANN401  # whatever a store returns
    if isinstance(value, datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=UTC)
        return aware.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    simple = plain(value)
    if simple is None:
        return ""
    if isinstance(simple, bool):
        return "true" if simple else "false"
    if isinstance(simple, str) and simple.startswith(_FORMULA_STARTS):
        return "'" + simple  # a spreadsheet would run it: names come from outside
    return str(simple)


def _values(answer: QueryTable, name: str) -> list[Any]:
    known = any(column.name == name for column in answer.query.columns)
    return [value for value in answer.column(name) if value is not None] if known else []


def _definition(answer: QueryTable) -> str | None:
    found = sorted({str(value) for value in _values(answer, "definition") if value})
    return ", ".join(found) or None


def _total(panel: Panel, answer: QueryTable) -> int | None:
    if panel.n is None:
        return None
    if not panel.rolling:
        return int(sum(_values(answer, panel.n)))
    labels = [place for place, column in enumerate(answer.query.columns) if column.kind == "label"]
    n_at = [column.name for column in answer.query.columns].index(panel.n)
    newest: dict[tuple[Any, ...], int] = {}
    for row in answer.rows:  # sorted by time, so the last row of a line is its newest point
        newest[tuple(row[place] for place in labels)] = row[n_at]
    return sum(newest.values())


def _window(panel: Panel, answer: QueryTable, choice: Choice) -> Window:
    starts: Sequence[datetime] = _values(answer, "window_start") or _values(answer, "oldest")
    ends: Sequence[datetime] = _values(answer, "window_end") or (_values(answer, "newest") if starts else ())
    if starts and ends:
        begin, end = _ms(min(starts)), _ms(max(ends))
        same = begin == choice.from_ms and end == choice.to_ms
        return Window(from_ms=begin, to_ms=end, note="" if same else panel.window)
    if not any(parameter.name in {"start", "end"} for parameter in answer.query.parameters):
        return Window(from_ms=choice.from_ms, to_ms=choice.to_ms, note=panel.window, timeless=True)
    note = f"each point looks back over {panel.window}" if panel.rolling else ""
    return Window(from_ms=choice.from_ms, to_ms=choice.to_ms, note=note)


def _newest(answer: QueryTable) -> int | None:
    moments = _values(answer, "newest") or _values(answer, "time")
    return _ms(max(moments)) if moments and answer.query.shape != "series" else None
