"""Rules between files: every name that one file uses exists in another and can do what is asked of it. Pure.

Follow-up mistakes are kept back: when a file could not be read at all, its names are unknown rather than
absent, and nothing that refers to them is blamed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from daemon.configuration.problems import Problems
from daemon.configuration.reading import Row, likely
from daemon.runs.planning import needed_context_tokens
from daemon.workloads.contract import Workload
from schemas.configuration import AccountTable, EndpointTable, PlanTable
from schemas.events.runs import Scenario


def names(rows: Sequence[Row[Any]] | None) -> frozenset[str] | None:
    """Return the names that a file declares, None when the file could not be read or a name in it is wrong itself."""
    if rows is None or not all(row.ok("name") for row in rows):
        return None
    return frozenset(row.value.name for row in rows)


def check_providers(
    rows: Sequence[Row[EndpointTable]] | Sequence[Row[AccountTable]],
    providers: frozenset[str] | None,
    problems: Problems,
) -> None:
    """Require that every endpoint and every account belongs to a provider of ``providers.toml``."""
    if providers is None:
        return
    for row in rows:
        if row.ok("provider") and row.value.provider not in providers:
            problems.add(row.place, "provider", _no_such("provider", row.value.provider, providers, "providers.toml"))


def check_accounts_exist(
    endpoints: Sequence[Row[EndpointTable]],
    providers: frozenset[str] | None,
    accounts: Sequence[Row[AccountTable]] | None,
    problems: Problems,
) -> None:
    """Require an account to measure with for every provider of an enabled endpoint."""
    if accounts is None or not all(row.ok("provider") for row in accounts):
        return
    served = {row.value.provider for row in accounts}
    for row in endpoints:
        if not row.ok("provider", "enabled") or not row.value.enabled or row.value.provider in served:
            continue
        if providers is not None and row.value.provider not in providers:
            continue
        problems.add(
            row.place,
            "provider",
            f'no account in accounts.toml belongs to provider "{row.value.provider}"; add an [[account]] '
            "(keyless = true for a service that asks for no key), or set enabled = false here",
        )


def check_dialect(row: Row[EndpointTable], dialects: Collection[str], problems: Problems) -> None:
    """Require that an enabled endpoint's dialect is one that this build speaks."""
    if row.ok("dialect", "enabled") and row.value.enabled and row.value.dialect not in dialects:
        problems.add(
            row.place,
            "dialect",
            f'this version does not speak "{row.value.dialect}" yet, only {", ".join(sorted(dialects))}; use the '
            "service's OpenAI-compatible address if it has one, or set enabled = false",
        )


def check_plan(
    row: Row[PlanTable],
    endpoints: Mapping[str, Row[EndpointTable]] | None,
    workloads: Mapping[str, Workload],
    problems: Problems,
) -> None:
    """Require that a plan's workload exists, and that the endpoints it names exist and can do it."""
    plan = row.value
    if row.ok("workload") and plan.workload not in workloads:
        problems.add(row.place, "workload", _no_such("workload", plan.workload, workloads, "this build"))
    elif row.ok("workload", "scenario") and (reason := scenario_refusal(workloads[plan.workload], plan.scenario)):
        problems.add(row.place, "scenario", reason)
    if endpoints is None or not row.ok("endpoints"):
        return
    for name in dict.fromkeys(plan.endpoints):
        if name not in endpoints:
            problems.add(row.place, "endpoints", _no_such("endpoint", name, endpoints, "endpoints.toml"))
        elif row.ok("workload", "enabled") and plan.enabled and plan.workload in workloads:
            reason = _inability(endpoints[name], workloads[plan.workload])
            if reason is not None:
                problems.add(row.place, "endpoints", f'"{name}" cannot do "{plan.workload}": {reason}')


def scenario_refusal(workload: Workload, scenario: Scenario) -> str | None:
    """Tell why a workload cannot be run in a scenario; None when it can."""
    if scenario == "parallel-10" and workload.suite == "cache":
        return (
            f'"{workload.name}" sends a prefix twice, one request after the other, and parallel-10 sends ten '
            'different ones at once, which no cache could hold; use scenario = "single", or another workload'
        )
    if scenario == "parallel-10" and workload.suite == "office":
        return f'"{workload.name}" asks about one document at a time; use scenario = "single"'
    return None


def _inability(row: Row[EndpointTable], workload: Workload) -> str | None:
    endpoint = row.value
    if row.ok("enabled") and not endpoint.enabled:
        return "it has enabled = false"
    if row.ok("vision") and workload.needs_vision and not endpoint.vision:
        return "it takes no pictures (vision = false)"
    needed = needed_context_tokens(workload)
    if row.ok("context_tokens") and endpoint.context_tokens is not None and endpoint.context_tokens < needed:
        return (
            f"{workload.nominal_input_tokens} input + {workload.max_output_tokens} output tokens "
            f"> context_tokens = {endpoint.context_tokens}"
        )
    return None


def _no_such(what: str, name: str, known: Mapping[str, Any] | frozenset[str], where: str) -> str:
    there = ", ".join(sorted(known)) or "none"
    return f'no {what} called "{name}" in {where}{likely(name, known)}; there are: {there}'
