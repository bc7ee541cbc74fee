"""The configuration used when the operator gives none: the reference endpoints, on the usual rhythm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from daemon.configuration.facts import with_sha256
from schemas.configuration import (
    AccountTable,
    Configuration,
    DaemonTable,
    EndpointTable,
    PlanTable,
    ProviderTable,
)

DEFAULT_PLANS: Final = (
    PlanTable(workload="text-1k", every="3h"),
    PlanTable(workload="text-10k", every="3h"),
    PlanTable(workload="vision", every="3h"),
    PlanTable(workload="text-1k", scenario="parallel-10", every="1d", moment="random"),
    PlanTable(workload="text-100k", every="7d"),
    PlanTable(workload="reasoning", every="7d"),
)
"""The methodology's schedule; the reasoning set follows the weekly rhythm of ``text-100k``."""


def builtin_of(
    providers: Sequence[ProviderTable],
    endpoints: Sequence[EndpointTable],
    accounts: Sequence[AccountTable],
) -> Configuration:
    """Put simulated endpoints on the default schedule."""
    return with_sha256(
        Configuration(
            daemon=DaemonTable(source="reference", vantage="this machine (simulated endpoints)"),
            providers=tuple(providers),
            endpoints=tuple(endpoints),
            accounts=tuple(accounts),
            plans=DEFAULT_PLANS,
        )
    )
