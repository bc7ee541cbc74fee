"""What the enabled plans come to: requests, seconds and USD, and whether that can be kept. Pure.

Who is asked is decided by :mod:`daemon.runs.planning`, the same functions that plan a real run. Spans and
costs are expectations made of assumptions that are named here; no published figure is made of them.

As runs go, one endpoint answers one measurement at a time, a provider has ``concurrency`` places, of which a
measurement takes one for each account that asks, and a ``parallel-10`` measurement holds all of its provider's
places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final

import msgspec

from daemon.configuration.facts import catalogue
from daemon.office.plans import OfficePlanned
from daemon.runs.budget import IMAGE_TOKENS, worst_case_usd
from daemon.runs.planning import PARALLEL_REQUESTS, able_endpoints, asking_accounts, output_limit_tokens, thinks
from daemon.schedule.slots import SECOND_NS, parse_period_ns
from daemon.workloads.cache_hit import TASKS as CACHE_TASKS
from daemon.workloads.contract import Workload
from schemas.catalogue import EndpointFacts, price_on
from schemas.configuration import Configuration, PlanTable

DAY_S: Final = 86_400

BASE_WORKLOAD: Final = "text-1k"
"""``expected_seconds`` of an endpoint speaks of one request of this workload."""

READING_TOKENS_PER_S: Final = 5_000
"""Assumed speed at which a service reads a prompt."""


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """What one plan asks of one endpoint in one slot.

    position: of the plan in ``schedule.toml``, from 1.
    accounts: who asks, all of them at once; the first is the one that measures.
    requests: in one slot by each account. seconds: of one request. cost_usd: of one request, None where no price
        is in force.
    worst_usd: what the daily budget reserves for one request before it is sent.
    """

    position: int
    plan: PlanTable
    period_s: float
    endpoint: EndpointFacts
    accounts: tuple[str, ...]
    requests: int
    seconds: float
    cost_usd: Decimal | None
    worst_usd: Decimal

    @property
    def parallel(self) -> bool:
        """Whether its requests are sent all at once."""
        return self.plan.scenario == "parallel-10"

    @property
    def slots_per_day(self) -> float:
        """Slots a day; a fraction for weekly plans."""
        return slots_per_day(self.plan)

    @property
    def requests_of_all(self) -> int:
        """Requests in one slot, from all accounts."""
        return self.requests * len(self.accounts)

    @property
    def requests_per_day(self) -> float:
        """Requests a day, from all accounts."""
        return self.requests_of_all * self.slots_per_day

    @property
    def endpoint_s(self) -> float:
        """Seconds for which the endpoint is taken in one slot."""
        return self.seconds if self.parallel else self.requests * self.seconds

    @property
    def cost_usd_per_day(self) -> Decimal | None:
        """USD a day for all accounts, None where no price is in force."""
        if self.cost_usd is None:
            return None
        return self.cost_usd * self.requests_of_all * DAY_S / Decimal(self.period_s)

    def provider_s(self, concurrency: int) -> float:
        """Seconds for which all of the provider's places are taken in one slot, spread evenly over them."""
        return self.endpoint_s if self.parallel else self.endpoint_s / self.at_once(concurrency)

    def at_once(self, concurrency: int) -> int:
        """How many measurements a provider's places hold."""
        return max(1, concurrency // len(self.accounts))

    def term(self) -> str:
        """Word one slot's work for an inequality, such as ``3 requests x 45 s``."""
        noun = "request" if self.requests == 1 else "requests"
        if self.parallel:
            return f"{self.requests} requests at once x {self.seconds:.4g} s"
        return f"{self.requests} {noun} x {self.seconds:.4g} s"


def slots_per_day(plan: PlanTable) -> float:
    """Slots of a plan a day; a fraction when its period is longer."""
    return DAY_S * SECOND_NS / parse_period_ns(plan.every)


def expected_seconds(base_s: float, workload: Workload, base: Workload) -> float:
    """Duration of one request, from that of one of the base workload.

    Writing takes time in proportion to the output limit; each token read beyond the base workload's prompt
    adds ``1 / READING_TOKENS_PER_S``.
    """
    more_tokens = max(0, workload.nominal_input_tokens - base.nominal_input_tokens)
    return base_s * _output_tokens(workload) / base.max_output_tokens + more_tokens / READING_TOKENS_PER_S


def expectations(
    configuration: Configuration, workloads: Mapping[str, Workload], today: date
) -> tuple[Expected, ...]:
    """Return what every enabled plan asks of every endpoint, at the prices in force on a UTC day."""
    facts = catalogue(configuration)
    base_s = {table.name: table.expected_seconds for table in configuration.endpoints}
    found: list[Expected] = []
    for position, plan in enumerate(configuration.plans, 1):
        workload = workloads.get(plan.workload)
        if not plan.enabled or workload is None:
            continue
        for endpoint in able_endpoints(facts.endpoints, workload, plan.endpoints):
            pair = configuration.integrity.pair and not isinstance(workload, OfficePlanned)
            asking = asking_accounts(endpoint, facts.accounts, pair=pair)
            if not asking:
                continue
            found.append(
                Expected(
                    position=position,
                    plan=plan,
                    period_s=parse_period_ns(plan.every) / SECOND_NS,
                    endpoint=endpoint,
                    accounts=tuple(account.name for account, _ in asking),
                    requests=_requests(plan, workload, configuration),
                    seconds=expected_seconds(base_s[endpoint.name], workload, workloads[BASE_WORKLOAD]),
                    cost_usd=_cost_usd(endpoint, workload, configuration, today),
                    worst_usd=worst_case_usd(
                        endpoint,
                        _input_tokens(workload),
                        output_limit_tokens(endpoint, workload.max_output_tokens),
                        today,
                    ),
                )
            )
    return tuple(found)


def provider_load(expected: Sequence[Expected], provider: str, concurrency: int) -> float:
    """Share of the time for which a provider's places are taken, 1 being always."""
    own = [each for each in expected if each.endpoint.provider == provider]
    return sum(each.provider_s(concurrency) / each.period_s for each in own)


def endpoint_load(expected: Sequence[Expected], endpoint: str) -> float:
    """Share of the time for which an endpoint is taken, 1 being always."""
    return sum(each.endpoint_s / each.period_s for each in expected if each.endpoint.name == endpoint)


def cost_usd_per_day(expected: Sequence[Expected]) -> Decimal:
    """USD a day of everything that has a price."""
    return sum((each.cost_usd_per_day or Decimal(0) for each in expected), Decimal(0))


def _requests(plan: PlanTable, workload: Workload, configuration: Configuration) -> int:
    if plan.scenario == "parallel-10":
        return PARALLEL_REQUESTS
    if isinstance(workload, OfficePlanned):
        return workload.most_requests(configuration.office.pairs)
    match workload.suite:
        case "reasoning":
            return configuration.definitions.reasoning_sample_prompts
        case "cache":
            return len(CACHE_TASKS)
        case _:
            return 1


def _cost_usd(
    endpoint: EndpointFacts, workload: Workload, configuration: Configuration, today: date
) -> Decimal | None:
    if price_on(endpoint.prices, today) is None:
        return None
    thinking_tokens = configuration.definitions.assumed_reasoning_tokens if thinks(endpoint) else 0
    return worst_case_usd(endpoint, _input_tokens(workload), _output_tokens(workload) + thinking_tokens, today)


def _input_tokens(workload: Workload) -> int:
    return workload.nominal_input_tokens + (IMAGE_TOKENS if workload.needs_vision else 0)


def _output_tokens(workload: Workload) -> int:
    """Return what an answer comes to: the limit, but where answers stay far below it."""
    return workload.usual_output_tokens if isinstance(workload, OfficePlanned) else workload.max_output_tokens
