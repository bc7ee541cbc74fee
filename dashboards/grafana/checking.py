"""Does every query hold that Grafana would ask: its macros expanded, asked of a store.

A store is whatever answers SQL; the tables of a running Messwerk are one. Each query is asked as a reader could
make Grafana ask it: with everything chosen, with one value, with two, and with a value that has a quote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

from dashboards.alerts import ALERTS
from dashboards.grafana.dashboard import grafana_dashboard
from dashboards.grafana.expanding import Chosen, expanded
from dashboards.grafana.model import GrafanaDashboard, Target
from dashboards.grafana.models_checked import Finding
from dashboards.grafana.rules import rule_sql
from dashboards.registry import DASHBOARDS
from schemas.errors import MesswerkError

QUOTED: Final = "it's"
_FORBIDDEN: Final = ("Array", "Tuple", "Map", "AggregateFunction", "Nested", "Variant", "Dynamic", "Object")
_TEXT: Final = re.compile(r"String|FixedString|Enum")
_NUMBER: Final = re.compile(r"\b(U?Int\d+|Float\d+|BFloat16)\b")


class Reply(Protocol):
    """What a store answers."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""

    @property
    def types(self) -> tuple[str, ...]:
        """Types of the columns, in ClickHouse's words. Without any row, names and types may be missing."""

    @property
    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """Rows."""


class AskSql(Protocol):
    """Asks a store; ``projections.store.contract.Store.select`` is one."""

    async def __call__(self, sql: str) -> Reply:
        """Answer SQL. Raises :class:`schemas.errors.MesswerkError`."""


class _Store:
    """Asks nothing twice: most panels read the same whatever is chosen of some variable."""

    def __init__(self, ask: AskSql) -> None:
        self._ask = ask
        self._columns: dict[str, Mapping[str, str]] = {}
        self._rows: dict[str, Sequence[Sequence[Any]]] = {}

    async def answer(self, query: str, sql: str) -> tuple[Mapping[str, str], Sequence[Sequence[Any]]]:
        """Return types by column, which a query has whatever is chosen, and rows of ``sql``, with the choice made.

        Raises :class:`schemas.errors.MesswerkError`.
        """
        if sql not in self._rows or query not in self._columns:
            reply = await self._ask(sql)
            if reply.names:
                self._columns[query] = dict(zip(reply.names, reply.types, strict=True))
            elif query not in self._columns:
                described = await self._ask(f"DESCRIBE ({sql})")
                self._columns[query] = {str(row[0]): str(row[1]) for row in described.rows}
            self._rows[sql] = reply.rows
        return self._columns[query], self._rows[sql]


async def check_queries(ask: AskSql, now: datetime) -> list[Finding]:
    """Ask every query of panels, variables, annotations and alerts, as Grafana would."""
    findings: list[Finding] = []
    store = _Store(ask)
    for dashboard in DASHBOARDS.values():
        model = grafana_dashboard(dashboard)
        for choice_name, chosen in _choices(model, now):
            for panel in model.panels:
                for target in panel.targets:
                    where = f"{model.title}, {panel.title}, {choice_name}"
                    found = await _asked(store, target.raw_sql, chosen, series=target.format == 0)
                    findings.extend(Finding(where=where, what=what) for what in found)
        nothing = _chosen(model, now, {})
        for where, sql, first in _beside_panels(model):
            found = await _asked(store, sql, nothing, columns=first)
            findings.extend(Finding(where=f"{model.title}, {where}", what=what) for what in found)
    for alert in ALERTS:
        found = await _asked_by_alert(store, rule_sql(alert))
        findings.extend(Finding(where=f"alert {alert.title}", what=what) for what in found)
    return findings


def _choices(model: GrafanaDashboard, now: datetime) -> Iterator[tuple[str, Chosen]]:
    lists = {variable.name for variable in model.templating.list if variable.multi}
    for name, values in (
        ("everything chosen", ()),
        ("one value", ("one",)),
        ("two values", ("one", "two")),
        ("a value with a quote", (QUOTED, "two")),
    ):
        yield name, _chosen(model, now, dict.fromkeys(lists, values))
    single = {variable.name for variable in model.templating.list if variable.type == "query" and not variable.multi}
    yield "single values with a quote", _chosen(model, now, dict.fromkeys(single, (QUOTED,)))


def _chosen(model: GrafanaDashboard, now: datetime, values: Mapping[str, Sequence[str]]) -> Chosen:
    """Pick what a reader has: the given values, and everywhere else what the dashboard opens with."""
    opened: dict[str, Sequence[str]] = {}
    for variable in model.templating.list:
        value = variable.current.get("value", "")
        opened[variable.name] = () if isinstance(value, list) or not value else (str(value),)
    return Chosen(
        from_s=int((now - timedelta(hours=72)).timestamp()),
        to_s=int(now.timestamp()),
        interval_s=10_800,
        values={**opened, **values},
        known=dict.fromkeys(opened, ("one", "two")),
    )


def _beside_panels(model: GrafanaDashboard) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Give the SQL of variables and annotations, with the columns that Grafana looks for in their answers."""
    for variable in model.templating.list:
        if variable.type == "query":
            yield f"variable {variable.name}", variable.query, ("value",)
    for annotation in model.annotations.list:
        if isinstance(annotation.target, Target):
            yield f"annotation {annotation.name}", annotation.target.raw_sql, ("time", "title", "text")


async def _asked(
    store: _Store, sql: str, chosen: Chosen, *, series: bool = False, columns: tuple[str, ...] = ()
) -> list[str]:
    made = expanded(sql, chosen)
    if made.problems or "$" in made.sql:
        return [*made.problems, *(["a $ is left after every macro was expanded"] if "$" in made.sql else [])]
    try:
        types, rows = await store.answer(sql, made.sql)
    except MesswerkError as problem:
        return [f"the store refuses it: {problem}"]
    found = [
        f"column {name!r} is {kind}, which Grafana cannot show"
        for name, kind in types.items()
        if any(word in kind for word in _FORBIDDEN)
    ]
    found.extend(f"there is no column {name!r}" for name in columns if name not in types)
    return [*found, *(_series_findings(types, rows) if series else ())]


def _series_findings(columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Hold a series to its form: time first, then texts, then numbers, rows in the order of their times."""
    names = list(columns)
    if names[0] != "time" or "DateTime" not in columns["time"]:
        yield f"a series begins with a time called time, not with {names[0]!r} of type {columns[names[0]]}"
    kinds = ["text" if _TEXT.search(columns[name]) else "number" for name in names[1:]]
    for name, kind in zip(names[1:], kinds, strict=True):
        if kind == "number" and not _NUMBER.search(columns[name]):
            yield f"column {name!r} is {columns[name]}: neither a label nor a number"
    if kinds != sorted(kinds, reverse=True):
        yield "labels stand before numbers in a series"
    times = [row[0] for row in rows]
    if times != sorted(times):
        yield "the rows of a series are not in the order of their times"


async def _asked_by_alert(store: _Store, sql: str) -> list[str]:
    if "$" in sql:
        return ["an alert has neither variables nor macros; take out the $"]
    try:
        types, _ = await store.answer(sql, sql)
    except MesswerkError as problem:
        return [f"the store refuses it: {problem}"]
    numbers = [name for name, kind in types.items() if not _TEXT.search(kind)]
    if numbers == ["value"]:
        return []
    return [f"an alert has texts and one number called value; these are no texts: {', '.join(numbers)}"]
