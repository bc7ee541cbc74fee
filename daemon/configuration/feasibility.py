"""Schedules that cannot be kept are refused here, each with the inequality and its numbers. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from daemon.configuration.expectations import (
    DAY_S,
    Expected,
    cost_usd_per_day,
    endpoint_load,
    provider_load,
)
from daemon.configuration.problems import Place, Problems
from schemas.configuration import Configuration, ProviderTable

SCHEDULE = "schedule.toml"


def check_feasible(configuration: Configuration, expected: Sequence[Expected], problems: Problems) -> None:
    """Every request fits its timeout, every slot its period, every day its hours and its budget."""
    _check_timeouts(configuration, problems)
    blamed: set[str] = set()
    for provider in configuration.providers:
        own = [each for each in expected if each.endpoint.provider == provider.name]
        if _check_places(own, configuration, provider, problems) or _check_slots(
            own, provider.name, provider.concurrency, problems
        ):
            blamed.add(provider.name)
    for provider in configuration.providers:
        if provider.name not in blamed:
            own = [each for each in expected if each.endpoint.provider == provider.name]
            _check_day(own, provider.name, provider.concurrency, problems)
    _check_budget(configuration, expected, problems)


def _check_timeouts(configuration: Configuration, problems: Problems) -> None:
    total_s = configuration.limits.total_timeout_s
    for position, endpoint in enumerate(configuration.endpoints, 1):
        if endpoint.enabled and endpoint.expected_seconds > total_s:
            problems.add(
                Place("endpoints.toml", "endpoint", (position,)),
                "expected_seconds",
                f"every request would be cut off: expected {endpoint.expected_seconds:g} s > total_timeout_s = "
                f"{total_s:g} s in messwerk.toml",
            )


def _check_places(
    own: Sequence[Expected], configuration: Configuration, provider: ProviderTable, problems: Problems
) -> bool:
    """Tell whether accounts that ask at once have fewer places than they are; such a pair could never begin."""
    accounts = own[0].accounts if own else ()
    if len(accounts) <= provider.concurrency:
        return False
    named = ", ".join(f'"{name}"' for name in accounts)
    problems.add(
        Place("providers.toml", "provider", (configuration.providers.index(provider) + 1,)),
        "concurrency",
        f"no pair could ever begin: {len(accounts)} accounts ({named}) at once > concurrency = "
        f"{provider.concurrency}; raise it, or set pair = false in [integrity] of messwerk.toml",
    )
    return True


def _check_slots(own: Sequence[Expected], provider: str, concurrency: int, problems: Problems) -> bool:
    """One slot of each plan alone; tells whether any does not fit."""
    found = False
    for position in sorted({each.position for each in own}):
        parts = [each for each in own if each.position == position]
        plan, period_s = parts[0].plan, parts[0].period_s
        place = Place(SCHEDULE, "plan", (position,))
        worst = max(parts, key=lambda each: each.endpoint_s)
        needed_s = sum(each.provider_s(concurrency) for each in parts)
        if worst.endpoint_s > period_s:
            found = True
            problems.add(
                place,
                "every",
                f'one slot does not fit: {worst.term()} one after the other at endpoint "{worst.endpoint.name}" '
                f'= {worst.endpoint_s:.6g} s > {period_s:.6g} s (every = "{plan.every}")',
            )
        elif needed_s > period_s:
            found = True
            problems.add(
                place,
                "every",
                f'one slot does not fit: {_sum(parts, concurrency)} at provider "{provider}" '
                f'= {needed_s:.6g} s > {period_s:.6g} s (every = "{plan.every}")',
            )
    return found


def _check_day(own: Sequence[Expected], provider: str, concurrency: int, problems: Problems) -> None:
    """All plans together, for each endpoint and for the provider's places."""
    for name in dict.fromkeys(each.endpoint.name for each in own):
        load = endpoint_load(own, name)
        if load > 1:
            parts = [each for each in own if each.endpoint.name == name]
            terms = " + ".join(f"{each.plan.workload} {_per_day(each)} x ({each.term()})" for each in parts)
            problems.add(
                Place(SCHEDULE),
                None,
                f'endpoint "{name}" cannot keep up, one measurement at a time: {terms} = {load * DAY_S:.6g} s '
                f"> {DAY_S} s a day; lengthen a period or name fewer plans for it",
            )
            return
    load = provider_load(own, provider, concurrency)
    if load > 1:
        positions = sorted({each.position for each in own})
        by_plan = [[each for each in own if each.position == position] for position in positions]
        terms = " + ".join(
            f"{parts[0].plan.workload} {_per_day(parts[0])} x {_sum(parts, concurrency)}" for parts in by_plan
        )
        problems.add(
            Place(SCHEDULE),
            None,
            f'provider "{provider}" cannot keep up: {terms} = {load * DAY_S:.6g} s > {DAY_S} s a day; '
            "lengthen a period, raise the provider's concurrency, or name fewer endpoints",
        )


def _check_budget(configuration: Configuration, expected: Sequence[Expected], problems: Problems) -> None:
    budget = configuration.limits.budget_usd_per_day
    if budget is None:
        return
    place = Place("messwerk.toml", "limits")
    by_plan: dict[int, list[Expected]] = {}
    for each in expected:
        by_plan.setdefault(each.position, []).append(each)
    cost = cost_usd_per_day(expected)
    if cost > budget:
        terms = " + ".join(
            f"{parts[0].plan.workload} {sum(each.requests_per_day for each in parts):.4g} requests "
            f"{cost_usd_per_day(parts):.4f} USD"
            for parts in by_plan.values()
        )
        problems.add(
            place, "budget_usd_per_day", f"the schedule costs more: {terms} = {cost:.4f} USD > {budget} USD a day"
        )
    for position, parts in by_plan.items():
        worst = sum((each.requests_of_all * each.worst_usd for each in parts), Decimal(0))
        if worst > budget:
            problems.add(
                Place(SCHEDULE, "plan", (position,)),
                None,
                f"no slot could ever run: {sum(each.requests_of_all for each in parts)} requests may cost up to "
                f"{worst:.4f} USD > budget_usd_per_day = {budget} USD in messwerk.toml",
            )


def _per_day(each: Expected) -> str:
    slots = each.slots_per_day
    return f"{slots:.4g} slot a day" if slots == 1 else f"{slots:.4g} slots a day"


def _sum(parts: Sequence[Expected], concurrency: int) -> str:
    """Word one slot of one plan at one provider: ``(2 requests x 30 s + 2 requests x 45 s) / 4 at once``."""
    counts: dict[str, int] = {}
    for each in parts:
        counts[each.term()] = counts.get(each.term(), 0) + 1
    terms = " + ".join(term if count == 1 else f"{count} endpoints x {term}" for term, count in counts.items())
    if parts[0].parallel:
        return f"({terms})"
    at_once, accounts = parts[0].at_once(concurrency), len(parts[0].accounts)
    places = f" ({concurrency} places, {accounts} accounts each)" if accounts > 1 else ""
    return f"({terms}) / {at_once} at once{places}"
