"""A real language model on this machine: its server as a child process, and how a configuration names it.

Gemma 3 with 270 million parameters, served by llama.cpp. It is a base model: its answers ramble, and what
they say is worth nothing; how fast they come is real. Unlike the reference endpoints it is no simulation.
What happens inside the child is :mod:`daemon.reference.local_server`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from daemon.configuration.facts import with_sha256
from daemon.reference.child import ServerChild
from daemon.reference.local_server import CONTEXT_TOKENS, MODEL, LocalModelError
from schemas.configuration import AccountTable, Configuration, EndpointTable, PlanTable, ProviderTable
from schemas.errors import ConfigurationError

PROVIDER: Final = "local"
ACCOUNT: Final = "local"
ENDPOINT: Final = f"local-{MODEL}"
WORKLOAD: Final = "text-1k"
"""What it is measured with in any case; what else fits its context follows from the plans."""

_READY_S: Final = 180.0  # the first start writes and reads 230 MB, on whatever disk
_EXPECTED_S: Final = 60.0  # 1,500 tokens took 25 s on two idle cores and 80 s on two busy ones


class LocalModelProcess(ServerChild):
    """Owns one child. Arguments are those of ``messwerk reference local-model``.

    heard: called with each line of progress that the child writes.
    :meth:`start` raises :class:`daemon.reference.local_server.LocalModelError`.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        threads: int | None = None,
        context_tokens: int = CONTEXT_TOKENS,
        heard: Callable[[str], None] = lambda _: None,
    ) -> None:
        arguments = ["local-model", "--exit-with-parent", "--host", host, "--port", str(port)]
        arguments += ["--context", str(context_tokens)]
        if threads is not None:
            arguments += ["--threads", str(threads)]
        super().__init__(arguments, name="the local model", ready_s=_READY_S, error=LocalModelError, heard=heard)


def local_model_endpoint(
    base_url: str, *, context_tokens: int = CONTEXT_TOKENS, vision: bool = False
) -> tuple[ProviderTable, EndpointTable, AccountTable]:
    """Tables of the model served at ``base_url`` (scheme, host and port); without key and without price.

    vision: claims that it takes pictures, which it refuses; for those who want to see the refusal.
    """
    return (
        ProviderTable(name=PROVIDER, title="This machine (llama.cpp)", concurrency=1),
        EndpointTable(
            name=ENDPOINT,
            provider=PROVIDER,
            dialect="openai-chat",
            base_url=f"{base_url}/v1",
            model=MODEL,
            reasoning="none",
            vision=vision,
            quantization="Q4_K_M",
            context_tokens=context_tokens,
            region="this machine",
            expected_seconds=_EXPECTED_S,
        ),
        AccountTable(name=ACCOUNT, provider=PROVIDER, kind="primary", keyless=True),
    )


def with_local_model(configuration: Configuration, base_url: str) -> Configuration:
    """Add the model served at ``base_url`` to a configuration, and see to it that ``text-1k`` measures it.

    Plans for all endpoints take it where its context is large enough; a ``text-1k`` plan that names its
    endpoints gets it added, and a configuration without such a plan gets one. Ten requests at once are left to
    the other endpoints: they would keep the cores of the measuring machine busy for minutes.
    Raises :class:`ConfigurationError` where a name is taken.
    """
    provider, endpoint, account = local_model_endpoint(base_url)
    _refuse_taken("providers.toml", provider.name, [table.name for table in configuration.providers])
    _refuse_taken("endpoints.toml", endpoint.name, [table.name for table in configuration.endpoints])
    _refuse_taken("accounts.toml", account.name, [table.name for table in configuration.accounts])
    return with_sha256(
        msgspec.structs.replace(
            configuration,
            providers=(*configuration.providers, provider),
            endpoints=(*configuration.endpoints, endpoint),
            accounts=(*configuration.accounts, account),
            plans=_with_it(configuration.plans, tuple(table.name for table in configuration.endpoints)),
        )
    )


def _with_it(plans: tuple[PlanTable, ...], others: tuple[str, ...]) -> tuple[PlanTable, ...]:
    fitted = tuple(_fitted(plan, others) for plan in plans)
    if any(_measures_it(plan) for plan in plans):
        return fitted
    return (*fitted, PlanTable(workload=WORKLOAD, endpoints=(ENDPOINT,)))


def _fitted(plan: PlanTable, others: tuple[str, ...]) -> PlanTable:
    if plan.scenario == "parallel-10" and not plan.endpoints:
        return msgspec.structs.replace(plan, endpoints=others, enabled=plan.enabled and bool(others))
    if _measures_it(plan) and plan.endpoints:
        return msgspec.structs.replace(plan, endpoints=(*plan.endpoints, ENDPOINT))
    return plan


def _measures_it(plan: PlanTable) -> bool:
    return plan.enabled and plan.workload == WORKLOAD and plan.scenario == "single"


def _refuse_taken(file: str, name: str, taken: list[str]) -> None:
    if name in taken:
        raise ConfigurationError(f'{file} already names "{name}", which the local model is called; rename it there')
