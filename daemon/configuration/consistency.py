"""Rules between the fields of one table, and between the rows of one file. Pure: no files, no environment.

A row's fields may be missing; every rule asks :meth:`Row.ok` for the fields that it looks at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from daemon.configuration.problems import Place, Problems
from daemon.configuration.reading import Row
from daemon.schedule.slots import MINUTE_NS, parse_period_ns
from schemas.configuration import (
    AccountTable,
    EndpointTable,
    GrafanaTable,
    IntegrityTable,
    LimitsTable,
    PlanTable,
    TablesTable,
)

_SOURCES = ("key_env", "key_file", "keyless")
_PROXY_SOURCES = ("proxy_auth_env", "proxy_auth_file")

_ORDERED_LIMITS = (
    ("connect_timeout_s", "total_timeout_s"),
    ("first_byte_timeout_s", "total_timeout_s"),
    ("silence_timeout_s", "total_timeout_s"),
)
"""Pairs whose first must not exceed the second: the later bound would cut the earlier one off unseen."""


def check_limits(row: Row[LimitsTable], problems: Problems) -> None:
    """Require that the timeout of a phase fits into the timeout of the whole."""
    for inner, outer in _ORDERED_LIMITS:
        if not row.ok(inner, outer):
            continue
        inner_s, outer_s = getattr(row.value, inner), getattr(row.value, outer)
        if inner_s > outer_s:
            problems.add(
                row.place,
                inner,
                f"must not exceed {outer}: {inner_s:g} s > {outer_s:g} s",
            )


def check_integrity(row: Row[IntegrityTable], problems: Problems) -> None:
    """Require that each part of a window can have a run: else every verdict would be unknown."""
    if row.ok("parts", "min_runs") and row.value.parts > row.value.min_runs:
        problems.add(
            row.place,
            "parts",
            f"must not exceed min_runs: so many parts of {row.value.min_runs} runs would leave some empty",
        )


def check_unique(rows: Sequence[Row[Any]], what: str, problems: Problems) -> None:
    """Require that no two rows of a file have the same name."""
    first: dict[str, Row[Any]] = {}
    for row in rows:
        if not row.ok("name"):
            continue
        earlier = first.setdefault(row.value.name, row)
        if earlier is not row:
            problems.add(
                row.place,
                "name",
                f'a second {what} called "{row.value.name}"; the first is [[{what}]] {earlier.place.index[0]}',
            )


def check_prices(row: Row[EndpointTable], problems: Problems) -> None:
    """Require that each price of an endpoint begins on a day of its own."""
    if not row.ok("price"):
        return
    begun: dict[object, int] = {}
    for position, price in enumerate(row.value.price, 1):
        earlier = begun.setdefault(price.valid_from, position)
        if earlier != position:
            problems.add(
                row.place.nested("price", position),
                "valid_from",
                f"{price.valid_from} is already the first day of [[endpoint.price]] {earlier}",
            )


def check_overrides(row: Row[EndpointTable], problems: Problems) -> None:
    """Require that each request parameter is overridden once."""
    if not row.ok("override"):
        return
    seen: dict[str, int] = {}
    for position, override in enumerate(row.value.override, 1):
        earlier = seen.setdefault(override.name, position)
        if earlier != position:
            problems.add(
                row.place.nested("override", position),
                "name",
                f'"{override.name}" is already overridden by [[endpoint.override]] {earlier}',
            )


def check_headers(row: Row[EndpointTable], problems: Problems) -> None:
    """Require that each header is given once; their names know no case."""
    if not row.ok("header"):
        return
    seen: dict[str, int] = {}
    for position, header in enumerate(row.value.header, 1):
        earlier = seen.setdefault(header.name.lower(), position)
        if earlier != position:
            problems.add(
                row.place.nested("header", position),
                "name",
                f'"{header.name}" is already given by [[endpoint.header]] {earlier}',
            )


def check_key_source(row: Row[AccountTable], problems: Problems) -> None:
    """Require exactly one place that a key comes from, or that there is none, said openly."""
    if not row.ok(*_SOURCES):
        return
    account = row.value
    given = [field for field in _SOURCES if getattr(account, field)]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        problems.add(row.place, None, f"expected exactly one of key_env, key_file, keyless = true; got {found}")


def check_proxy(row: Row[AccountTable], problems: Problems) -> None:
    """Require one place at most for a proxy's credentials, and a proxy where there are any."""
    if not row.ok("proxy", *_PROXY_SOURCES):
        return
    given = [field for field in _PROXY_SOURCES if getattr(row.value, field)]
    if len(given) > 1:
        problems.add(row.place, None, "expected at most one of proxy_auth_env, proxy_auth_file")
    if given and row.value.proxy is None:
        problems.add(row.place, "proxy", "missing, and its credentials are given; name the proxy or remove them")


def check_grafana(row: Row[GrafanaTable], problems: Problems) -> None:
    """Require one place for the token where there is an address to use it at."""
    if not row.ok("url", "token_env", "token_file"):
        return
    given = [field for field in ("token_env", "token_file") if getattr(row.value, field)]
    if row.value.url is not None and len(given) != 1:
        problems.add(row.place, None, "expected exactly one of token_env, token_file")
    if row.value.url is None and given:
        problems.add(row.place, "url", "missing, and its token is given; name the address of Grafana")


def check_server(row: Row[TablesTable], problems: Problems) -> None:
    """Require one place for each password, a reader of another name, and a cluster whose tables replicate."""
    if not row.ok("server") or row.value.server is None:
        return
    place, server = Place(row.place.file, "tables.server"), row.value.server
    if (server.password_env is None) == (server.password_file is None):
        problems.add(place, None, "expected exactly one of password_env, password_file")
    readers = (server.reader_password_env, server.reader_password_file)
    if server.reader_user is None and any(readers):
        problems.add(place, "reader_user", "missing, and its password is given; name the user who may only read")
    if server.reader_user is not None:
        if all(readers) or not any(readers):
            problems.add(place, None, "expected exactly one of reader_password_env, reader_password_file")
        if server.reader_user == server.user:
            problems.add(place, "reader_user", "must be another user than user: one who may only read")
    if server.cluster is not None and not server.replicated:
        problems.add(
            place,
            "cluster",
            "needs replicated = true: otherwise tables are made on every server and filled on one",
        )
    if server.ca_file is not None and not server.secure:
        problems.add(place, "ca_file", "needs secure = true: without TLS no certificate is looked at")


def check_plan(row: Row[PlanTable], problems: Problems) -> None:
    """Require that jitter stays within the slot and that no endpoint is named twice."""
    plan = row.value
    if row.ok("every", "jitter_minutes", "moment") and plan.moment == "aligned":
        length_minutes = parse_period_ns(plan.every) / MINUTE_NS
        if plan.jitter_minutes >= length_minutes:
            problems.add(
                row.place,
                "jitter_minutes",
                f"must be shorter than the period: {plan.jitter_minutes:g} min >= {length_minutes:g} min "
                f'(every = "{plan.every}")',
            )
    if row.ok("endpoints"):
        repeated = sorted({name for name in plan.endpoints if plan.endpoints.count(name) > 1})
        for name in repeated:
            problems.add(row.place, "endpoints", f'"{name}" stands there more than once')


def check_plans_unique(rows: Sequence[Row[PlanTable]], problems: Problems) -> None:
    """Refuse a second plan of the same workload and scenario: it would claim the same slots, by name."""
    first: dict[tuple[str, str], Row[PlanTable]] = {}
    for row in rows:
        if not row.ok("workload", "scenario", "enabled") or not row.value.enabled:
            continue
        plan = row.value
        earlier = first.setdefault((plan.workload, plan.scenario), row)
        if earlier is not row:
            problems.add(
                row.place,
                "workload",
                f'a second enabled plan for "{plan.workload}", scenario "{plan.scenario}"; '
                f"the first is [[plan]] {earlier.place.index[0]}",
            )
