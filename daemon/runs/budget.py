"""What a day may cost: spending so far against a limit, and what a run could add at most.

A budget must not be overrun because a bill came late, so unlike every published figure it reckons with the
worst case where a cost is unknown: all of the prompt at the full price and all of the output limit. None of
these numbers reaches a table.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Final

from schemas.catalogue import EndpointFacts, price_on
from schemas.events import AttemptCompleted

MILLION: Final = Decimal(1_000_000)


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
    """Counts a UTC day's spending. ``limit_usd`` None means no limit."""

    def __init__(self, limit_usd: Decimal | None) -> None:
        self.limit_usd = limit_usd
        self._day: date | None = None
        self._spent_usd = Decimal(0)

    def spend(self, usd: Decimal, day: date) -> None:
        """Count an amount to its day; amounts of past days are ignored."""
        if self._day is None or day > self._day:
            self._day, self._spent_usd = day, Decimal(0)
        if day == self._day:
            self._spent_usd += usd

    def spent_usd(self, day: date) -> Decimal:
        """Amount counted to this day."""
        return self._spent_usd if day == self._day else Decimal(0)

    def refusal(self, further_usd: Decimal, day: date) -> str | None:
        """Why a run that may cost ``further_usd`` cannot start today, as an inequality; None if it can."""
        if self.limit_usd is None or self.spent_usd(day) + further_usd <= self.limit_usd:
            return None
        return (
            f"spent {self.spent_usd(day):.4f} USD on {day} + at most {further_usd:.4f} USD for this run"
            f" > budget of {self.limit_usd} USD a day"
        )


def cost_of(completed: AttemptCompleted, endpoint: EndpointFacts, output_limit_tokens: int, day: date) -> Decimal:
    """Amount to count for an attempt: as reported, else by usage and price, else the worst case.

    An attempt that was never sent costs nothing.
    """
    if completed.cost_reported_usd is not None:
        return completed.cost_reported_usd
    if completed.timing.sent_wall_ns is None:
        return Decimal(0)
    usage = completed.usage
    if usage is not None and usage.input_tokens is not None and usage.output_tokens is not None:
        return worst_case_usd(endpoint, usage.input_tokens, usage.output_tokens, day)
    if completed.failure is not None and completed.http_status is not None and completed.http_status >= 400:
        return Decimal(0)
    return worst_case_usd(endpoint, completed.prompt_tokens or 0, output_limit_tokens, day)
