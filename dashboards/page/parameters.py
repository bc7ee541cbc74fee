"""From a request's query string to a span of time and chosen variables, or to a refusal that says where.

Pure: the present moment is a parameter. Instants are milliseconds since 1970, UTC.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, get_args

import msgspec

from dashboards.page.errors import BadRequestError
from dashboards.panels import Dashboard, VariableName

DEFAULT_FROM: Final = "now-72h"
LONGEST_SPAN_MS: Final = 400 * 86_400_000
LONGEST_VALUE: Final = 200

_RELATIVE: Final = re.compile(r"now(?:-([0-9]{1,6})([mhd]))?")
_STEP_MS: Final = {"m": 60_000, "h": 3_600_000, "d": 86_400_000}
_EARLIEST_MS: Final = 0
_LATEST_MS: Final = 32_503_680_000_000  # the year 3000: further away it is a typing error
_RESERVED: Final = frozenset({"from", "to"})


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader asked to see."""

    from_ms: int
    to_ms: int
    variables: Mapping[str, str]


def read_choice(query: Mapping[str, str], dashboard: Dashboard, *, now_ms: int) -> Choice:
    """Span and variables of a request to one dashboard.

    Variables that other dashboards know are passed over, so that links can carry them along. Raises
    :class:`BadRequestError`.
    """
    to_ms = read_instant(query.get("to", "now"), "to", now_ms=now_ms)
    from_ms = read_instant(query.get("from", DEFAULT_FROM), "from", now_ms=now_ms)
    if from_ms >= to_ms:
        raise BadRequestError("the span must begin before it ends; swap the two or widen it", where="from")
    if to_ms - from_ms > LONGEST_SPAN_MS:
        raise BadRequestError(
            f"at most {LONGEST_SPAN_MS // 86_400_000} days at once; choose a later one", where="from"
        )
    known = set(get_args(VariableName))
    for name in query:
        if name not in known and name not in _RESERVED:
            raise BadRequestError(f"no such parameter; there are from, to, {', '.join(sorted(known))}", where=name)
    variables: dict[str, str] = {}
    for variable in dashboard.variables:
        value = read_value(query.get(variable.name, variable.default), variable.name)
        if variable.required and not value:
            raise BadRequestError(f"this dashboard needs one: add {variable.name}=NAME", where=variable.name)
        if variable.choices and value not in variable.choices and (value or variable.required):
            raise BadRequestError(f"not offered; there are {', '.join(variable.choices)}", where=variable.name)
        variables[variable.name] = value
    return Choice(from_ms=from_ms, to_ms=to_ms, variables=variables)


def read_instant(text: str, where: str, *, now_ms: int) -> int:
    """``now``, ``now-72h`` (m, h, d), ISO 8601, or milliseconds since 1970. Raises :class:`BadRequestError`."""
    relative = _RELATIVE.fullmatch(text)
    if relative:
        count, unit = relative.groups()
        instant = now_ms - (int(count) * _STEP_MS[unit] if count else 0)
    elif text.isascii() and text.isdigit() and len(text) < 16:
        instant = int(text)
    else:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError as problem:
            raise BadRequestError(
                "not a time; write now, now-72h, 2026-11-30T03:00Z or milliseconds since 1970", where=where
            ) from problem
        aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
        instant = int(aware.timestamp() * 1000)
    if not _EARLIEST_MS <= instant <= _LATEST_MS:
        raise BadRequestError("this time lies outside the years 1970 to 3000", where=where)
    return instant


def read_value(text: str, where: str) -> str:
    """Check the value of a variable: bounded, and without control characters. Raises :class:`BadRequestError`."""
    if len(text) > LONGEST_VALUE:
        raise BadRequestError(f"at most {LONGEST_VALUE} characters", where=where)
    if any(ord(character) < 32 for character in text):
        raise BadRequestError("control characters are in no name", where=where)
    return text
