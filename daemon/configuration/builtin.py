"""The configuration used when the operator gives none: the reference endpoints, on the usual rhythm."""

from __future__ import annotations

from typing import Final

from daemon.configuration.facts import with_sha256
from daemon.reference.endpoints import reference_accounts, reference_endpoints, reference_providers
from schemas.configuration import Configuration, DaemonTable, PlanTable

DEFAULT_PLANS: Final = (
    PlanTable(workload="text-1k", every="3h"),
    PlanTable(workload="text-10k", every="3h"),
    PlanTable(workload="vision", every="3h"),
    PlanTable(workload="text-1k", scenario="parallel-10", every="1d", moment="random"),
    PlanTable(workload="text-100k", every="7d"),
    PlanTable(workload="reasoning", every="7d"),
    PlanTable(workload="cache-hit", every="1d", moment="random"),
)
"""The methodology's schedule; the reasoning set follows the weekly rhythm of ``text-100k``, and how often a cache
helps is asked once a day, at a random time like the parallel requests."""


def reference_configuration(base_url: str) -> Configuration:
    """Put the simulated endpoints served below ``base_url`` on the default schedule."""
    return with_sha256(
        Configuration(
            daemon=DaemonTable(source="reference", vantage="this machine (simulated endpoints)"),
            providers=reference_providers(),
            endpoints=reference_endpoints(base_url),
            accounts=reference_accounts(),
            plans=DEFAULT_PLANS,
        )
    )
