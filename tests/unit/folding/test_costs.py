"""Cost of an attempt by the catalogue's prices."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from msgspec import structs

from projections.costs import cost_usd
from schemas.catalogue import Price
from schemas.events import UsageReported

PRICE = Price(
    valid_from=date(2026, 1, 1), input_usd=Decimal("0.5"), output_usd=Decimal(3), cached_input_usd=Decimal("0.05")
)
USAGE = UsageReported(input_tokens=20212, cached_input_tokens=16298, output_tokens=931)


def test_cached_tokens_cost_their_own_price() -> None:
    """Input 20212 of which 16298 cached, output 931 at 0.5 / 0.05 / 3 USD a million cost 0.0055649 USD."""
    assert cost_usd(USAGE, PRICE) == Decimal("0.0055649")


def test_tokens_written_to_a_cache_cost_their_own_price() -> None:
    """Input written to a cache is taken out of the plain input and paid at its price."""
    usage = UsageReported(input_tokens=100, cached_input_tokens=0, cache_write_tokens=40, output_tokens=0)
    price = structs.replace(PRICE, cache_write_usd=Decimal(1))
    assert cost_usd(usage, price) == Decimal("0.00007")


@pytest.mark.parametrize(
    ("usage", "price"),
    [
        (None, PRICE),
        (USAGE, None),
        (structs.replace(USAGE, input_tokens=None), PRICE),
        (structs.replace(USAGE, output_tokens=None), PRICE),
        (structs.replace(USAGE, cached_input_tokens=None), PRICE),
        (USAGE, structs.replace(PRICE, cached_input_usd=None)),
        (structs.replace(USAGE, cache_write_tokens=5), PRICE),
        (structs.replace(USAGE, input_tokens=10), PRICE),
    ],
    ids=[
        "no usage",
        "no price",
        "no input",
        "no output",
        "cached count unknown",
        "cached tokens without a price",
        "written tokens without a price",
        "more cached than input",
    ],
)
def test_an_unknown_part_leaves_the_cost_unknown(usage: UsageReported | None, price: Price | None) -> None:
    """A cost is None as soon as anything that it is made of is unknown or contradicts itself."""
    assert cost_usd(usage, price) is None


def test_a_kind_that_does_not_exist_costs_nothing() -> None:
    """Without a price and without a count of cached tokens, all input is plain input."""
    usage = UsageReported(input_tokens=1000, output_tokens=10)
    assert cost_usd(usage, structs.replace(PRICE, cached_input_usd=None)) == Decimal("0.00053")


def test_nothing_used_costs_zero() -> None:
    """Counts of 0 are known, so the cost is 0 and not unknown."""
    usage = UsageReported(input_tokens=0, output_tokens=0, cached_input_tokens=0)
    assert cost_usd(usage, PRICE) == 0
