"""What an attempt cost by the catalogue's prices. Pure, in exact decimals."""

from __future__ import annotations

from decimal import Decimal

from schemas.catalogue import Price
from schemas.events import UsageReported

_MILLION = Decimal(1_000_000)


def cost_usd(usage: UsageReported | None, price: Price | None) -> Decimal | None:
    """Cost in USD by the price in force, from the counts that the provider reports.

    ((input - cached - written to the cache) x input price + cached x its own price + written x its own price
    + output x output price) / 10^6, where input holds everything sent and output everything billed, reasoning
    included. None when anything that it needs is unknown: no price, no count of input or output, tokens of a
    kind without a price, or a price without a count of its kind.
    """
    if usage is None or price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = _part(usage.cached_input_tokens, price.cached_input_usd)
    written = _part(usage.cache_write_tokens, price.cache_write_usd)
    if cached is None or written is None:
        return None
    plain_tokens = usage.input_tokens - (usage.cached_input_tokens or 0) - (usage.cache_write_tokens or 0)
    if plain_tokens < 0:  # a provider that counts cached tokens apart from input: its numbers contradict ours
        return None
    return (plain_tokens * price.input_usd + cached + written + usage.output_tokens * price.output_usd) / _MILLION


def _part(tokens: int | None, usd: Decimal | None) -> Decimal | None:
    """Tokens of one kind at their own price; both absent means that the kind does not exist there."""
    if not tokens and usd is None:
        return Decimal(0)
    if tokens is None or usd is None:
        return None
    return tokens * usd
