"""The built-in configuration: what is measured when the operator has not written any files."""

from __future__ import annotations

from datetime import date
from typing import Final

from daemon.reference.profiles import PROFILES
from schemas.catalogue import Price
from schemas.configuration import AccountTable, EndpointTable, ProviderTable

PROVIDER: Final = "reference"
ACCOUNT: Final = "reference"
SIMULATED_BASE_URL: Final = "http://reference.invalid"
"""Where the endpoints seem to be when they are only played; ``.invalid`` never resolves (RFC 2606)."""

_CONCURRENCY = 256
_PRICED_FROM = date(2026, 1, 1)


def reference_providers() -> tuple[ProviderTable, ...]:
    """One provider; so many requests at once that its limit never shapes the demonstration."""
    return (ProviderTable(name=PROVIDER, title="Reference (simulated)", concurrency=_CONCURRENCY),)


def reference_accounts() -> tuple[AccountTable, ...]:
    """One account, without a key."""
    return (AccountTable(name=ACCOUNT, provider=PROVIDER, kind="primary", keyless=True),)


def reference_endpoints(base_url: str = SIMULATED_BASE_URL) -> tuple[EndpointTable, ...]:
    """One endpoint a profile at ``base_url`` (scheme, host and port), each marked as simulated."""
    return tuple(
        EndpointTable(
            name=f"{PROVIDER}-{profile.name}",
            provider=PROVIDER,
            dialect="openai-chat",
            base_url=f"{base_url}/{profile.name}/v1",
            model=profile.model,
            reasoning=profile.reasoning,
            vision=profile.vision,
            simulated=True,
            region="simulated",
            expected_seconds=profile.ttft_ms / 1_000 + (profile.reasoning_tokens + 1_200) / profile.tokens_per_s,
            price=(
                Price(
                    valid_from=_PRICED_FROM,
                    input_usd=profile.input_usd,
                    output_usd=profile.output_usd,
                    cached_input_usd=profile.cached_input_usd,
                    source=f"{profile.title}: an invented price",
                ),
            ),
        )
        for profile in PROFILES
    )
