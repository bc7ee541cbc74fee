"""The built-in configuration: what is measured when the operator has not written any files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final

from daemon.reference.behaviour import Profile
from daemon.reference.profiles import ACCOUNT_PROFILES, KNOWN_KEY, PROFILES
from schemas.catalogue import Price
from schemas.configuration import AccountTable, EndpointTable, ProviderTable

PROVIDER: Final = "reference"
ACCOUNT: Final = "reference"
COMPARED_PROVIDER: Final = "reference-accounts"
KNOWN_ACCOUNT: Final = "reference-known"
ANONYMOUS_ACCOUNT: Final = "reference-anonymous"
SIMULATED_BASE_URL: Final = "http://reference.invalid"
"""Where the endpoints seem to be when they are only played; ``.invalid`` never resolves (RFC 2606)."""

DEMONSTRATION_KEYS: Final[Mapping[str, str]] = {
    "MESSWERK_REFERENCE_KNOWN_KEY": KNOWN_KEY,
    "MESSWERK_REFERENCE_ANONYMOUS_KEY": "reference-key-of-an-anonymous-account",
}
"""Keys of the built-in accounts by the environment variables that are looked for. They open nothing."""

_CONCURRENCY = 256
_PRICED_FROM = date(2026, 1, 1)
_COMPARED_CONTEXT_TOKENS = 4_000
"""So small that only ``text-1k`` fits: enough to compare accounts by, and a fortnight is still played quickly."""


def reference_providers() -> tuple[ProviderTable, ...]:
    """Two providers, each with room for so many requests at once that its limit never shapes the demonstration."""
    return (
        ProviderTable(name=PROVIDER, title="Reference (simulated)", concurrency=_CONCURRENCY),
        ProviderTable(name=COMPARED_PROVIDER, title="Reference, two accounts (simulated)", concurrency=_CONCURRENCY),
    )


def reference_accounts() -> tuple[AccountTable, ...]:
    """One account without a key at the first provider; one that is known and one that is not at the second."""
    known, anonymous = DEMONSTRATION_KEYS
    return (
        AccountTable(name=ACCOUNT, provider=PROVIDER, kind="primary", keyless=True),
        AccountTable(name=KNOWN_ACCOUNT, provider=COMPARED_PROVIDER, kind="primary", key_env=known),
        AccountTable(name=ANONYMOUS_ACCOUNT, provider=COMPARED_PROVIDER, kind="anonymous", key_env=anonymous),
    )


def demonstration_keys(accounts: Iterable[AccountTable]) -> Mapping[str, str]:
    """Keys by name of those accounts that the built-in configuration knows; for what is only played."""
    keys = {account.name: DEMONSTRATION_KEYS.get(account.key_env or "") for account in accounts}
    return {name: key for name, key in keys.items() if key is not None}


def reference_endpoints(base_url: str = SIMULATED_BASE_URL) -> tuple[EndpointTable, ...]:
    """One endpoint a profile at ``base_url`` (scheme, host and port), each marked as simulated."""
    return (
        *(_endpoint(profile, PROVIDER, base_url, None) for profile in PROFILES),
        *(_endpoint(profile, COMPARED_PROVIDER, base_url, _COMPARED_CONTEXT_TOKENS) for profile in ACCOUNT_PROFILES),
    )


def _endpoint(profile: Profile, provider: str, base_url: str, context_tokens: int | None) -> EndpointTable:
    return EndpointTable(
        name=f"{PROVIDER}-{profile.name}",
        provider=provider,
        dialect="openai-chat",
        base_url=f"{base_url}/{profile.name}/v1",
        model=profile.model,
        reasoning=profile.reasoning,
        vision=profile.vision,
        simulated=True,
        context_tokens=context_tokens,
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
