"""What a valid configuration would do, in figures and notes: what ``messwerk check`` prints. Pure.

Figures are expectations at the whole output limit, so spending should stay below; notes are things that work
as written and are probably not what was meant.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from urllib.parse import urlsplit

import msgspec

from daemon.configuration.expectations import Expected, cost_usd_per_day, expectations, provider_load, slots_per_day
from daemon.configuration.secrets import accounts_in_use
from daemon.office.plans import office_plans
from daemon.workloads.contract import Workload
from schemas.configuration import Configuration, EndpointTable


class PlanReport(msgspec.Struct, frozen=True, kw_only=True):
    """One enabled plan. ``usd_per_day`` counts what has a price; ``unpriced_endpoints`` are not in it."""

    workload: str
    scenario: str
    every: str
    moment: str
    slots_per_day: float
    endpoints: int
    requests_per_day: float
    usd_per_day: Decimal
    unpriced_endpoints: int


class ProviderReport(msgspec.Struct, frozen=True, kw_only=True):
    """One provider with enabled endpoints. ``load`` is the share of time for which its places are taken."""

    name: str
    endpoints: int
    concurrency: int
    requests_per_day: float
    load: float


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What would run. Totals are over all enabled plans; ``day`` is the UTC day whose prices were used."""

    directory: str | None
    sha256: str
    source: str
    vantage: str
    day: date
    plans: tuple[PlanReport, ...]
    providers: tuple[ProviderReport, ...]
    slots_per_day: float
    requests_per_day: float
    usd_per_day: Decimal
    budget_usd_per_day: Decimal | None
    notes: tuple[str, ...]


def report(configuration: Configuration, workloads: Mapping[str, Workload], today: date) -> Report:
    """Sum up a valid configuration."""
    expected = expectations(configuration, workloads, today)
    plans = tuple(
        _plan(configuration, position, [each for each in expected if each.position == position])
        for position, plan in enumerate(configuration.plans, 1)
        if plan.enabled
    )
    return Report(
        directory=configuration.directory,
        sha256=configuration.sha256,
        source=configuration.daemon.source,
        vantage=configuration.daemon.vantage,
        day=today,
        plans=plans,
        providers=_providers(configuration, expected),
        slots_per_day=sum(plan.slots_per_day for plan in plans),
        requests_per_day=sum(plan.requests_per_day for plan in plans),
        usd_per_day=cost_usd_per_day(expected),
        budget_usd_per_day=configuration.limits.budget_usd_per_day,
        notes=tuple(_notes(configuration, expected, today)),
    )


def _plan(configuration: Configuration, position: int, parts: Sequence[Expected]) -> PlanReport:
    plan = configuration.plans[position - 1]
    return PlanReport(
        workload=plan.workload,
        scenario=plan.scenario,
        every=plan.every,
        moment=plan.moment,
        slots_per_day=slots_per_day(plan),
        endpoints=len(parts),
        requests_per_day=sum(each.requests_per_day for each in parts),
        usd_per_day=cost_usd_per_day(parts),
        unpriced_endpoints=sum(each.cost_usd is None for each in parts),
    )


def _providers(configuration: Configuration, expected: Sequence[Expected]) -> tuple[ProviderReport, ...]:
    found: list[ProviderReport] = []
    for provider in configuration.providers:
        enabled = [each for each in configuration.endpoints if each.provider == provider.name and each.enabled]
        if not enabled:
            continue
        own = [each for each in expected if each.endpoint.provider == provider.name]
        found.append(
            ProviderReport(
                name=provider.name,
                endpoints=len(enabled),
                concurrency=provider.concurrency,
                requests_per_day=sum(each.requests_per_day for each in own),
                load=provider_load(expected, provider.name, provider.concurrency),
            )
        )
    return tuple(found)


def _notes(configuration: Configuration, expected: Sequence[Expected], today: date) -> list[str]:
    enabled = [endpoint for endpoint in configuration.endpoints if endpoint.enabled]
    if not enabled:
        return [
            (
                "no endpoint is enabled, so nothing would be sent: set enabled = true in endpoints.toml and give its "
                "provider's key as accounts.toml says"
            )
        ]
    notes: list[str] = []
    planned = {each.position for each in expected}
    for position, plan in enumerate(configuration.plans, 1):
        if plan.enabled and position not in planned:
            notes.append(
                f'[[plan]] {position} "{plan.workload}": no enabled endpoint can do it; its slots are skipped'
            )
    notes += [
        f'[[plan]] {position} "{plan.workload}": requests and cost above are those of the first run; later ones send '
        "only new documents, models and prompts"
        for position, plan in enumerate(configuration.plans, 1)
        if position in planned and plan.workload in office_plans()
    ]
    asked = {each.endpoint.name for each in expected}
    notes += [f'endpoint "{each.name}" is enabled, but no plan asks it' for each in enabled if each.name not in asked]
    for name in sorted({each.endpoint.name for each in expected if each.cost_usd is None}):
        notes.append(
            f'endpoint "{name}" has no price in force on {today}: its cost is unknown, and no budget counts it'
        )
    used = accounts_in_use(configuration)
    with_key = {account.provider for account in used if not account.keyless}
    notes += [
        f'endpoint "{each.name}" is reached by plain http: its key travels unencrypted'
        for each in enabled
        if each.provider in with_key and _in_the_clear(each)
    ]
    asking = {account for each in expected for account in each.accounts}
    providers_asked = {each.endpoint.provider for each in expected}
    notes += [
        f'account "{account.name}" is not the one that "{account.provider}" is measured with, and pairs are switched '
        "off ([integrity] in messwerk.toml); no plan uses it"
        for account in used
        if account.name not in asking and account.provider in providers_asked
    ]
    several = {each.endpoint.provider: each.accounts for each in expected if len(each.accounts) > 1}
    notes += [
        f'provider "{name}" is asked by {len(accounts)} accounts at once ("{accounts[0]}" measures): requests and '
        "cost above are those of all"
        for name, accounts in several.items()
    ]
    if configuration.limits.budget_usd_per_day is None and any(not endpoint.simulated for endpoint in enabled):
        notes.append("no budget_usd_per_day in messwerk.toml: nothing stops spending")
    return notes


def _in_the_clear(endpoint: EndpointTable) -> bool:
    parts = urlsplit(endpoint.base_url)
    if parts.scheme != "http" or parts.hostname == "localhost":
        return False
    try:
        return not ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:  # a host's name, not an address
        return True
