"""From the SQL of a named query to the SQL that a Grafana target carries: mechanical, and in this one place.

A named query has typed parameters ``{name:Type}``. In a dashboard each becomes an expression over Grafana's
macros and variables; in an alert rule, where nothing of the browser exists, over the server's own clock. The
text of the query stays as it is. A picture that wants other names or fewer columns reads from the query as a
subquery, so that a figure has one SQL wherever it is shown. Nothing here asks a store.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from dashboards.panels import Panel, Step
from projections.queries.contract import NamedQuery, Parameter
from schemas.errors import MesswerkError

_PARAMETER: Final = re.compile(r"\{([a-z_][a-z0-9_]*):([^{}]+)\}")
_TIME: Final = "DateTime64(6, 'UTC')"
_NO_LIST: Final = "emptyArrayString()"

# Grafana gives whole seconds: a step that begins at a multiple of itself does not shift with each refresh.
_STEP: Final = "toUInt32($__interval_s)"
_SPAN: Final = "toUInt32(toUnixTimestamp($__toTime) - toUnixTimestamp($__fromTime) + 1)"
_START: Final = "toDateTime64($__fromTime, 6, 'UTC')"
_ALIGNED_START: Final = "toDateTime64(intDiv(toUnixTimestamp($__fromTime), $__interval_s) * $__interval_s, 6, 'UTC')"
_END: Final = "toDateTime64($__toTime, 6, 'UTC')"


class UntranslatableError(MesswerkError):
    """A query has a parameter that cannot be expressed in Grafana; the definition must change."""


class Selected(msgspec.Struct, frozen=True, kw_only=True):
    """A column of a picture: an expression over the query's columns, and the name it bears in Grafana."""

    expression: str
    title: str


def dashboard_sql(query: NamedQuery, panel: Panel) -> str:
    """Translate a panel's query: time and steps by macros, filters by the variables that the panel binds."""

    def expression(parameter: Parameter) -> str:
        if parameter.name in panel.constants:
            return literal(parameter, panel.constants[parameter.name])
        if parameter.name in panel.parameters:
            return chosen(parameter, panel.parameters[parameter.name])
        return _of_time(parameter, panel.step, divided=_divided(query)) or literal(parameter, parameter.default)

    return translated(query, expression)


def span_sql(query: NamedQuery) -> str:
    """Translate a query that knows only the chosen time, such as an annotation's; lists mean "all"."""
    return translated(
        query, lambda parameter: _of_time(parameter, "span", divided=False) or literal(parameter, parameter.default)
    )


def alert_sql(query: NamedQuery, over_s: int, constants: Mapping[str, str | int | float]) -> str:
    """Translate an alert's query: it looks back ``over_s`` seconds from the server's present.

    The text holds no ``$`` at all: macros of the browser do not exist where alerts are evaluated, and Grafana
    reads a ``$`` in a provisioning file as the name of an environment variable.
    """

    def expression(parameter: Parameter) -> str:
        if parameter.name == "end":
            return "now64(6, 'UTC')"
        if parameter.name == "start":
            return f"(now64(6, 'UTC') - toIntervalSecond({over_s}))"
        return literal(parameter, constants.get(parameter.name, parameter.default))

    return translated(query, expression)


def translated(query: NamedQuery, expression: Callable[[Parameter], str]) -> str:
    """Replace every ``{name:Type}`` by an expression of that type. Raises :class:`UntranslatableError`."""
    known = {parameter.name: parameter for parameter in query.parameters}

    def replaced(found: re.Match[str]) -> str:
        parameter = known.get(found[1])
        if parameter is None or parameter.type != found[2]:
            raise UntranslatableError(
                f"query {query.name!r} uses {found[0]} and declares no such parameter; declare it with its type"
            )
        return expression(parameter)

    return _PARAMETER.sub(replaced, query.sql.strip())


def selecting(sql: str, columns: Sequence[Selected], order_by: str = "") -> str:
    """Read columns under their titles from a translated query, in its order unless ``order_by`` says another."""
    chosen_columns = ", ".join(f'{column.expression} AS "{column.title}"' for column in columns)
    ordered = f"\nORDER BY {order_by}" if order_by else ""
    return f"SELECT {chosen_columns}\nFROM (\n{sql}\n){ordered}"


def chosen(parameter: Parameter, variable: str) -> str:
    """Expression of a variable's value: a list, empty for "All", or one number."""
    if parameter.type == "Array(String)":
        # The macro is 1=1 when everything is chosen and its own text otherwise; it wants the plain variable.
        return f"if($__conditionalAll(1=0,${variable}), {_NO_LIST}, [${{{variable}:singlequote}}])"
    if parameter.type == "Float64":
        return f"toFloat64(${{{variable}:singlequote}})"
    raise UntranslatableError(f"parameter {parameter.name!r}: no variable can stand for a {parameter.type}")


def literal(parameter: Parameter, value: Any) -> str:  # noqa: ANN401  # of the parameter's own type
    """Write a fixed value as SQL of the parameter's type."""
    if value is None:
        raise UntranslatableError(f"parameter {parameter.name!r} has no value: bind it to a variable or fix it")
    match parameter.type:
        case "Array(String)":
            values = (value,) if isinstance(value, str) else tuple(value)
            return f"[{', '.join(map(quoted, values))}]" if values else _NO_LIST
        case "UInt32":
            return f"toUInt32({int(value)})"
        case "Float64":
            return f"toFloat64({float(value)!r})"
        case "String":
            return quoted(str(value))
    raise UntranslatableError(f"parameter {parameter.name!r}: a {parameter.type} cannot be fixed")


def quoted(value: str) -> str:
    """Quote a text as ClickHouse reads it."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _divided(query: NamedQuery) -> bool:
    return any(parameter.name == "step_s" for parameter in query.parameters)


def _of_time(parameter: Parameter, step: Step, *, divided: bool) -> str | None:
    if parameter.name == "step_s":
        return _SPAN if step == "span" else _STEP
    if parameter.type != _TIME:
        return None
    if parameter.name == "start":
        return _ALIGNED_START if divided and step != "span" else _START
    return _END
