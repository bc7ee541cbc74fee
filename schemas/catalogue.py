"""What is measured, as the log knows it: endpoints, accounts by name, prices with their dates.

These are facts about the operator's configuration at one moment, without any secret. How the files are
written is in :mod:`schemas.configuration`.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, Literal

import msgspec

DialectName = Literal["openai-chat", "openai-responses", "anthropic-messages", "gemini"]
"""The wire formats; each has a module of its own in ``daemon/wire``."""

ReasoningKind = Literal["none", "shown", "hidden", "unknown"]
"""Whether a model thinks before answering, and whether all of its thinking reaches the client."""

AccountKind = Literal["primary", "funded", "anonymous", "provider-given"]


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """USD per million tokens, in force from 00:00 UTC of ``valid_from`` until the next price begins."""

    valid_from: date
    input_usd: Decimal
    output_usd: Decimal
    cached_input_usd: Decimal | None = None
    cache_write_usd: Decimal | None = None
    source: str | None = None


class ParameterOverride(msgspec.Struct, frozen=True, kw_only=True):
    """A request parameter that differs from the methodology, because the model's developer says so."""

    name: str
    value: Any
    source: str


class RequestHeader(msgspec.Struct, frozen=True, kw_only=True):
    """A header that an endpoint's requests carry besides the dialect's own. Never a credential."""

    name: str
    value: str


class ProviderFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Who runs endpoints, and how many requests may be under way there at once."""

    name: str
    title: str
    concurrency: int


class EndpointFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One model at one provider, spoken to in one dialect.

    headers: unset where there are none, so that catalogues from before there were any keep their bytes.
    key_header: name of the header that carries the key, where it is not the dialect's; unset for the same reason.
    """

    name: str
    provider: str
    dialect: DialectName
    base_url: str
    model: str
    reasoning: ReasoningKind = "unknown"
    vision: bool = False
    simulated: bool = False
    pinned_provider: str | None = None
    quantization: str | None = None
    context_tokens: int | None = None
    region: str | None = None
    prices: tuple[Price, ...] = ()
    overrides: tuple[ParameterOverride, ...] = ()
    headers: tuple[RequestHeader, ...] | msgspec.UnsetType = msgspec.UNSET
    key_header: str | msgspec.UnsetType = msgspec.UNSET


class AccountFacts(msgspec.Struct, frozen=True, kw_only=True):
    """An account by name and kind; where its key lies is configuration, what the key is is nobody's business."""

    name: str
    provider: str
    kind: AccountKind


def price_on(prices: tuple[Price, ...], day: date) -> Price | None:
    """Price in force on a UTC day: the latest ``valid_from`` not after it; None before the first."""
    begun = [price for price in prices if price.valid_from <= day]
    return max(begun, key=lambda price: price.valid_from) if begun else None
