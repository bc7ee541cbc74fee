"""What a day may cost: spending so far and what is under way against a limit, and what a run could add at most.

A budget must not be overrun because a bill came late, so unlike every published figure it reckons with the
worst case where a cost is unknown: all of the prompt at the full price and all of the output limit. None of
these numbers reaches a table.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Final
from uuid import UUID

from schemas.catalogue import EndpointFacts, price_on
from schemas.events import AttemptCompleted

MILLION: Final = Decimal(1_000_000)

IMAGE_TOKENS: Final = 1_600
"""Assumed input tokens of a one-megapixel picture; services bill some 700 to 1,600."""


def utc_day(wall_ns: int) -> date:
    """UTC day of a moment; budgets and prices change at its start."""
    return datetime.fromtimestamp(wall_ns // 1_000_000_000, UTC).date()


def worst_case_usd(endpoint: EndpointFacts, input_tokens: int, output_tokens: int, day: date) -> Decimal:
    """Cost of a request that uses its whole output limit; 0 where no price is known on that day."""
    price = price_on(endpoint.prices, day)
    if price is None:
        return Decimal(0)
    return (price.input_usd * input_tokens + price.output_usd * output_tokens) / MILLION


class DailyBudget:
    """Counts each UTC day's spending, and what runs under way may still cost. ``limit_usd`` None means no limit.

    Days are kept apart for good: a wall clock that went ahead and was set back finds its day as it left it.
    """

    def __init__(self, limit_usd: Decimal | None) -> None:
        self.limit_usd = limit_usd
        self._spent_usd: dict[date, Decimal] = {}
        self._reserved_usd: dict[UUID, Decimal] = {}

    def spend(self, usd: Decimal, day: date) -> None:
        """Count an amount to its day."""
        self._spent_usd[day] = self.spent_usd(day) + usd

    def spent_usd(self, day: date) -> Decimal:
        """Amount counted to this day."""
        return self._spent_usd.get(day, Decimal(0))

    def reserve(self, attempt: UUID, usd: Decimal) -> None:
        """Keep an amount for a request that is going to be sent, so that no other run counts on it."""
        self._reserved_usd[attempt] = usd

    def release(self, attempt: UUID) -> None:
        """Give back what was kept for a request: what became of it is spent, or will never be."""
        self._reserved_usd.pop(attempt, None)

    @property
    def reserved_usd(self) -> Decimal:
        """What requests under way or still to be sent may cost at most."""
        return sum(self._reserved_usd.values(), start=Decimal(0))

    def refusal(self, further_usd: Decimal, day: date) -> str | None:
        """Why a run that may cost ``further_usd`` cannot start today, as an inequality; None if it can."""
        reserved_usd = self.reserved_usd
        if self.limit_usd is None or self.spent_usd(day) + reserved_usd + further_usd <= self.limit_usd:
            return None
        reserved = f" + at most {reserved_usd:.4f} USD under way" if reserved_usd else ""
        return (
            f"spent {self.spent_usd(day):.4f} USD on {day}{reserved} + at most {further_usd:.4f} USD for this run"
            f" > budget of {self.limit_usd} USD a day"
        )


def cost_of(completed: AttemptCompleted, endpoint: EndpointFacts, worst_usd: Decimal, day: date) -> Decimal:
    """Amount to count for an attempt: as reported, else by usage and price, else the worst case.

    An attempt that was never sent costs nothing, nor does one that was refused.
    """
    if completed.cost_reported_usd is not None:
        return completed.cost_reported_usd
    if completed.timing.sent_wall_ns is None:
        return Decimal(0)
    usage = completed.usage
    if usage is not None and usage.input_tokens is not None and usage.output_tokens is not None:
        return worst_case_usd(endpoint, usage.input_tokens, usage.output_tokens, day)
    return Decimal(0) if refused(completed) else worst_usd


def refused(completed: AttemptCompleted) -> bool:
    """Tell whether a service turned a request down, and so made nothing that it could charge for."""
    if completed.failure is None:
        return False
    return completed.failure.kind == "rate-limited" or (completed.http_status or 0) >= 400
