"""Arithmetic of invoices, in Decimal: tax by rate, rounded half up to cents, and sums without a rounding line."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

from schemas.office import RateAmount

CENT = Decimal("0.01")


def to_cents(amount: Decimal) -> Decimal:
    """Round half up, away from zero, to two decimals; for negative amounts too."""
    return amount.quantize(CENT, ROUND_HALF_UP)


def tax_of(net: RateAmount) -> RateAmount:
    """Tax of a net amount: net * rate / 100, rounded half up."""
    return RateAmount(net.rate, to_cents(net.amount * net.rate / 100))


def nets_by_rate(lines: Iterable[tuple[Decimal, Decimal]]) -> tuple[RateAmount, ...]:
    """Sum (rate, net) pairs by rate, the highest rate first."""
    sums: dict[Decimal, Decimal] = {}
    for rate, net in lines:
        sums[rate] = sums.get(rate, Decimal("0.00")) + net
    return tuple(RateAmount(rate, sums[rate]) for rate in sorted(sums, reverse=True))
