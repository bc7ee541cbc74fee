"""What Grafana and its ClickHouse plugin make of a target's SQL before ClickHouse sees it.

A model of plugin 4.20.0 as far as our queries use it: ``$__conditionalAll`` and variables in the browser, then
``$__fromTime``, ``$__toTime`` and ``$__interval_s`` on Grafana's server. It exists so that every query can be
asked of a real store without a Grafana. What is left of a ``$`` afterwards would be a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

_CONDITIONAL: Final = "$__conditionalAll("
_VARIABLE: Final = re.compile(r"\$\{(\w+)(?::(\w+))?\}|\$(\w+)")
_PLAIN: Final = re.compile(r"[A-Za-z0-9._-]+")


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader picked. A variable without values is set to "All", for which Grafana puts in every ``known``."""

    from_s: int
    to_s: int
    interval_s: int
    values: Mapping[str, Sequence[str]]
    known: Mapping[str, Sequence[str]] = {}


class Expanded(msgspec.Struct, frozen=True, kw_only=True):
    """The SQL that ClickHouse gets, and what was wrong on the way."""

    sql: str
    problems: tuple[str, ...]


def expanded(sql: str, chosen: Chosen) -> Expanded:
    """Expand macros and variables in the order in which browser and server do."""
    problems: list[str] = []
    text = _conditions(sql, chosen, problems)
    text = _VARIABLE.sub(lambda found: _variable(found, chosen, problems), text)
    text = (
        text.replace("$__fromTime", f"toDateTime({chosen.from_s})")
        .replace("$__toTime", f"toDateTime({chosen.to_s})")
        .replace("$__interval_s", str(chosen.interval_s))
    )
    return Expanded(sql=text, problems=tuple(problems))


def _conditions(sql: str, chosen: Chosen, problems: list[str]) -> str:
    while (begin := sql.rfind(_CONDITIONAL)) >= 0:
        end = sql.find(")", begin)
        inside = sql[begin + len(_CONDITIONAL) : end].split(",")
        if len(inside) != 2 or "(" in inside[0]:
            problems.append(f"{sql[begin : end + 1]}: the macro takes one condition and one variable")
            return sql.replace(_CONDITIONAL, "(", 1)
        condition, variable = inside[0], inside[1].strip().removeprefix("$")
        if variable not in chosen.values:
            problems.append(f"${variable} in $__conditionalAll is no variable of the dashboard")
        taken = "1=1" if not chosen.values.get(variable) else condition
        sql = sql[:begin] + taken + sql[end + 1 :]
    return sql


def _variable(found: re.Match[str], chosen: Chosen, problems: list[str]) -> str:
    name, form = found[1] or found[3], found[2]
    if name in {"__fromTime", "__toTime", "__interval_s"}:
        return found[0]
    if name not in chosen.values:
        problems.append(f"{found[0]} is neither a variable of the dashboard nor a macro that is known here")
        return found[0]
    values = list(chosen.values[name]) or list(chosen.known.get(name, ()))
    if form == "singlequote":
        return ",".join("'" + value.replace("'", "\\'") + "'" for value in values)
    if any(not _PLAIN.fullmatch(value) for value in values):
        problems.append(f"{found[0]} puts a value into the SQL without quoting it; write ${{{name}:singlequote}}")
    return ",".join(values)
