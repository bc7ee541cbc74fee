"""The daily budget: what counts, when it refuses, and how it says so."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from uuid import UUID

from daemon.runs.budget import DailyBudget, worst_case_usd
from schemas.catalogue import EndpointFacts, Price

MONDAY, TUESDAY = date(2026, 11, 30), date(2026, 12, 1)


def endpoint(*prices: Price) -> EndpointFacts:
    return EndpointFacts(name="e", provider="p", dialect="openai-chat", base_url="http://e", model="m", prices=prices)


def test_a_run_that_would_overrun_is_refused_with_the_inequality() -> None:
    """A refusal names what was spent, what the run may add, and the limit."""
    budget = DailyBudget(Decimal(1))
    budget.spend(Decimal("0.9"), MONDAY)
    assert budget.refusal(Decimal("0.1"), MONDAY) is None
    assert budget.refusal(Decimal("0.2"), MONDAY) == (
        "spent 0.9000 USD on 2026-11-30 + at most 0.2000 USD for this run > budget of 1 USD a day"
    )


def test_a_new_day_starts_at_nothing() -> None:
    """Spending counts to its own UTC day; a late bill of yesterday does not burden today."""
    budget = DailyBudget(Decimal(1))
    budget.spend(Decimal(1), MONDAY)
    budget.spend(Decimal("0.3"), TUESDAY)
    budget.spend(Decimal(5), MONDAY)
    assert budget.spent_usd(TUESDAY) == Decimal("0.3")


def test_a_clock_that_was_a_day_ahead_leaves_the_day_as_it_was() -> None:
    """After a wall clock went a day ahead and was set back, the day's spending still counts and goes on counting."""
    budget = DailyBudget(Decimal(1))
    budget.spend(Decimal("0.6"), MONDAY)
    budget.spend(Decimal("0.1"), TUESDAY)
    budget.spend(Decimal("0.3"), MONDAY)
    assert budget.spent_usd(MONDAY) == Decimal("0.9")
    assert budget.refusal(Decimal("0.2"), MONDAY) is not None


def test_what_is_under_way_counts_until_it_is_over() -> None:
    """What requests under way may still cost is refused to others, and the refusal names it."""
    budget = DailyBudget(Decimal(1))
    budget.reserve(UUID(int=1), Decimal("0.5"))
    budget.reserve(UUID(int=2), Decimal("0.4"))
    assert budget.refusal(Decimal("0.2"), MONDAY) == (
        "spent 0.0000 USD on 2026-11-30 + at most 0.9000 USD under way + at most 0.2000 USD for this run"
        " > budget of 1 USD a day"
    )
    budget.release(UUID(int=2))
    budget.release(UUID(int=2))
    assert budget.refusal(Decimal("0.2"), MONDAY) is None


def test_without_a_limit_nothing_is_refused() -> None:
    """No limit means no refusal, whatever was spent."""
    budget = DailyBudget(None)
    budget.spend(Decimal(10**6), MONDAY)
    assert budget.refusal(Decimal(10**6), MONDAY) is None


def test_the_worst_case_is_full_price_and_full_output() -> None:
    """The worst case takes the price in force that day, all input uncached and all of the output limit."""
    priced = endpoint(
        Price(valid_from=date(2026, 1, 1), input_usd=Decimal(1), output_usd=Decimal(4)),
        Price(valid_from=TUESDAY, input_usd=Decimal(2), output_usd=Decimal(8)),
    )
    assert worst_case_usd(priced, 1_000_000, 500_000, MONDAY) == Decimal(3)
    assert worst_case_usd(priced, 1_000_000, 500_000, TUESDAY) == Decimal(6)
    assert worst_case_usd(endpoint(), 1_000_000, 500_000, TUESDAY) == 0
