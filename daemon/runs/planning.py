"""From a workload and a catalogue to a planned run, pure: who is asked what, and under which names."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final
from uuid import UUID

import msgspec

from daemon.wire.contract import Ask
from daemon.workloads.contract import Prompt, Workload
from schemas.catalogue import AccountFacts, AccountKind, EndpointFacts
from schemas.events import PlannedAttempt
from schemas.events.runs import AccountRole, Scenario

PARALLEL_REQUESTS: Final = 10

REASONING_ALLOWANCE_TOKENS: Final = 16_000
"""Added to the output limit of models that think, since thinking is counted as output by every provider."""

_MEASURING_ORDER: Final[tuple[AccountKind, ...]] = ("primary", "funded", "provider-given", "anonymous")


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One request to be sent: which prompt, to whom, as whom."""

    attempt: UUID
    endpoint: EndpointFacts
    account: AccountFacts
    ordinal: int
    prompt: Prompt
    role: AccountRole = "measuring"

    def planned(self) -> PlannedAttempt:
        """Return the order as ``run-planned`` lists it."""
        return PlannedAttempt(
            attempt=self.attempt,
            endpoint=self.endpoint.name,
            account=self.account.name,
            ordinal=self.ordinal,
            role=self.role,
        )


class Appointment(msgspec.Struct, frozen=True):
    """A request's part in a pair: which, of how many, and its place in the order of going out."""

    meeting: str
    parties: int
    place: int


def able_endpoints(
    endpoints: Sequence[EndpointFacts], workload: Workload, chosen: Sequence[str] = ()
) -> list[EndpointFacts]:
    """Endpoints that can do the workload.

    Chosen by name (all if none is), seeing where there is a picture, and with a context that holds prompt and
    answer, where the context is known.
    """
    needed = needed_context_tokens(workload)
    return [
        endpoint
        for endpoint in endpoints
        if (not chosen or endpoint.name in chosen)
        and (endpoint.vision or not workload.needs_vision)
        and (endpoint.context_tokens is None or endpoint.context_tokens >= needed)
    ]


def needed_context_tokens(workload: Workload) -> int:
    """Context that a workload takes at least, in o200k_base tokens; pictures and thinking come on top of it.

    The model's own tokenizer may need more; whether it does is seen when the endpoint refuses.
    """
    return workload.nominal_input_tokens + workload.max_output_tokens


def measuring_account(endpoint: EndpointFacts, accounts: Sequence[AccountFacts]) -> AccountFacts | None:
    """Account whose figures are shown: the provider's primary one, else the first of the next best kind."""
    candidates = [account for account in accounts if account.provider == endpoint.provider]
    return min(candidates, key=lambda account: _MEASURING_ORDER.index(account.kind), default=None)


def asking_accounts(
    endpoint: EndpointFacts, accounts: Sequence[AccountFacts], *, pair: bool = True
) -> list[tuple[AccountFacts, AccountRole]]:
    """Accounts that ask an endpoint: the measuring one, and with ``pair`` then the provider's others as controls."""
    measuring = measuring_account(endpoint, accounts)
    if measuring is None:
        return []
    controls = [account for account in accounts if account.provider == endpoint.provider and account != measuring]
    return [(measuring, "measuring"), *((account, "control") for account in controls if pair)]


def run_prompts(workload: Workload, scenario: Scenario, seed: str) -> Sequence[Prompt]:
    """Prompts of one run, the same for every endpoint.

    The ten requests of a parallel scenario have a prompt each, with seeds ``seed/0`` to ``seed/9``: ten equal
    ones at once would find one another in a provider's prefix cache.
    """
    if scenario == "parallel-10":
        return [workload.prompts(f"{seed}/{number}")[0] for number in range(PARALLEL_REQUESTS)]
    return workload.prompts(seed)


def orders(
    endpoints: Sequence[EndpointFacts],
    accounts: Sequence[AccountFacts],
    prompts: Sequence[Prompt],
    new_id: Callable[[], UUID],
    *,
    pair: bool = True,
) -> list[Order]:
    """Every request of a run: each prompt, numbered by ``ordinal``, once to each endpoint from each account.

    pair: also from the accounts that check the measuring one.
    """
    return [
        Order(attempt=new_id(), endpoint=endpoint, account=account, ordinal=ordinal, prompt=prompt, role=role)
        for endpoint in endpoints
        for ordinal, prompt in enumerate(prompts)
        for account, role in asking_accounts(endpoint, accounts, pair=pair)
    ]


def in_ordinal_order(shuffled: Sequence[Order]) -> list[Order]:
    """Keep which endpoint has which place, and put each endpoint's own orders into the order of their ordinals.

    What a workload sends twice must arrive in the workload's order: a second request that overtakes the first
    one finds no cache. Orders of equal ordinal stay as they came.
    """
    queues: dict[str, deque[Order]] = {}
    for order in sorted(shuffled, key=lambda order: order.ordinal):
        queues.setdefault(order.endpoint.name, deque()).append(order)
    return [queues[order.endpoint.name].popleft() for order in shuffled]


def in_pairs(batch: Sequence[Order]) -> list[list[Order]]:
    """Split orders to one endpoint, in the order of their ordinals, into those of equal ordinal.

    Each of them has the same payload from every account, and begins together.
    """
    return [list(group) for _, group in groupby(batch, key=lambda order: order.ordinal)]


def thinks(endpoint: EndpointFacts) -> bool:
    """Tell whether the catalogue knows the model as one that reasons."""
    return endpoint.reasoning in {"shown", "hidden"}


def output_limit_tokens(endpoint: EndpointFacts, workload_limit_tokens: int) -> int:
    """Limit to send: the workload's, plus room for thinking where the model thinks."""
    return workload_limit_tokens + (REASONING_ALLOWANCE_TOKENS if thinks(endpoint) else 0)


def ask_for(order: Order, *, ask_usage: bool = True) -> Ask:
    """Word an order for the dialects.

    Parameters follow the methodology: temperature 0.6 for reasoning models and 0 for others, ``top_p`` 1.
    What a model's developer wants otherwise is an override of the endpoint, applied by the dialect.
    """
    return Ask(
        text=order.prompt.text,
        images=order.prompt.images,
        max_output_tokens=output_limit_tokens(order.endpoint, order.prompt.facts.max_output_tokens),
        temperature=0.6 if thinks(order.endpoint) else 0.0,
        top_p=1.0,
        ask_usage=ask_usage,
    )
