"""Every named query, and asking one. A new family is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from projections.errors import QueryError
from projections.queries import (
    accounts,
    alerts,
    attempt,
    benchmarks,
    changes,
    declared,
    endpoint,
    figures,
    instrument,
    integrity,
    language_tax,
    office_comparisons,
    office_costs,
    office_private,
    office_quality,
    overview,
    pairs,
    progress,
    public,
    public_office,
    review,
    rubric_numbers,
    rubric_tasks,
    sensitivity,
    service_levels,
    standing,
    trends,
    usage,
)
from projections.queries.contract import NamedQuery, Parameter, QueryTable
from projections.store.contract import Argument, Store

QUERIES: Final[Mapping[str, NamedQuery]] = {
    query.name: query
    for family in (
        overview,
        figures,
        trends,
        endpoint,
        sensitivity,
        usage,
        attempt,
        instrument,
        progress,
        declared,
        accounts,
        integrity,
        pairs,
        service_levels,
        standing,
        office_quality,
        office_costs,
        office_comparisons,
        language_tax,
        office_private,
        rubric_numbers,
        rubric_tasks,
        review,
        benchmarks,
        changes,
        alerts,
        public,
        public_office,
    )
    for query in family.QUERIES
}


def query_named(name: str) -> NamedQuery:
    """Return the query of that name. Raises :class:`QueryError` for an unknown one."""
    try:
        return QUERIES[name]
    except KeyError:
        raise QueryError(f"there is no query {name!r}; there are: {', '.join(sorted(QUERIES))}") from None


async def run_query(store: Store, name: str, **parameters: Any) -> QueryTable:  # noqa: ANN401  # typed by the query
    """Ask a named query. Values may be of the parameter's own type, or text as people write it.

    Lists may be given as a sequence or as one string; times as aware datetimes or ISO 8601 text. Raises
    :class:`QueryError` for unknown names, missing and unfit values.
    """
    query = query_named(name)
    known = {parameter.name: parameter for parameter in query.parameters}
    for given in parameters:
        if given not in known:
            takes = ", ".join(known) or "no parameters"
            raise QueryError(f"query {name!r} has no parameter {given!r}; it takes {takes}")
    arguments = {
        parameter.name: _argument(query, parameter, parameters.get(parameter.name)) for parameter in query.parameters
    }
    found = await store.select(query.sql, arguments)
    flags = [place for place, column in enumerate(query.columns) if column.kind == "flag"]
    return QueryTable(query=query, rows=tuple(_with_flags(row, flags) for row in found.rows))


def _with_flags(row: tuple[Any, ...], flags: Sequence[int]) -> tuple[Any, ...]:
    """Turn comparisons, which the store answers with 0 and 1, into truth values."""
    values = list(row)
    for place in flags:
        values[place] = None if values[place] is None else bool(values[place])
    return tuple(values)


def _argument(query: NamedQuery, parameter: Parameter, given: object) -> Argument:
    if given is None:
        if parameter.required:
            raise QueryError(f"query {query.name!r} needs {parameter.name!r}: {parameter.description}")
        given = parameter.default
    try:
        return _converted(parameter, given)
    except (ValueError, TypeError) as problem:
        raise QueryError(
            f"query {query.name!r}, parameter {parameter.name!r}: {given!r} is no {parameter.type}: {problem}"
        ) from problem


def _converted(parameter: Parameter, given: Any) -> Argument:  # noqa: ANN401  # what came from outside
    match parameter.type:
        case "Array(String)":
            values: Sequence[Any] = (given,) if isinstance(given, str) else tuple(given)
            return [str(value) for value in values]
        case "DateTime64(6, 'UTC')":
            return _moment(given)
        case "UUID":
            return given if isinstance(given, UUID) else UUID(given)
        case "UInt32":
            number = int(given)
            if not 0 < number < 1 << 32:
                raise ValueError("must be a positive 32-bit number")
            return number
        case "Float64":
            return float(given)
        case "String":
            return str(given)


def _moment(given: Any) -> datetime:  # noqa: ANN401  # what came from outside
    moment = given if isinstance(given, datetime) else datetime.fromisoformat(given)
    if moment.tzinfo is None:
        raise ValueError("a time needs its offset, for example 2026-11-30T12:00:00Z")
    return moment.astimezone(UTC)
