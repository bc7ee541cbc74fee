"""What one run may cost: a limit of its own beside the day's; both reckon with the worst case."""

from __future__ import annotations

from decimal import Decimal
from uuid import UUID

from daemon.runs.budget import IMAGE_TOKENS, DailyBudget, cost_of, refused, utc_day, worst_case_usd
from daemon.runs.planning import Order, output_limit_tokens
from daemon.world import World
from schemas.events import AttemptCompleted


class Purse:
    """Counts one run's spending. ``limit_usd`` None: only the day's budget holds.

    known_usd: what services reported, and what usage and prices say; unknown: attempts of which neither is known,
        counted at the worst case against the limits.
    """

    def __init__(self, limit_usd: Decimal | None, budget: DailyBudget, world: World) -> None:
        self._limit_usd = limit_usd
        self._budget = budget
        self._world = world
        self._counted_usd = Decimal(0)
        self._reserved: dict[UUID, Decimal] = {}
        self.known_usd = Decimal(0)
        self.unknown = 0

    def refusal(self, order: Order) -> str | None:
        """Why a request may not be sent; None if it may."""
        worst_usd = self._worst_usd(order)
        reserved_usd = sum(self._reserved.values(), start=Decimal(0))
        if self._limit_usd is not None and worst_usd > self._limit_usd:
            return (
                f"one request can cost {worst_usd:.4f} USD, which the whole budget of {self._limit_usd} USD for the "
                "run does not hold: give it more"
            )
        if self._limit_usd is not None and self._counted_usd + reserved_usd + worst_usd > self._limit_usd:
            return (
                f"spent {self._counted_usd:.4f} USD + at most {reserved_usd:.4f} USD under way + at most "
                f"{worst_usd:.4f} USD for one more > budget of {self._limit_usd} USD for the run"
            )
        return self._budget.refusal(worst_usd, utc_day(self._world.clock.wall_ns()))

    def reserve(self, order: Order) -> None:
        """Keep an amount for a request that is going to be sent."""
        worst_usd = self._worst_usd(order)
        self._reserved[order.attempt] = worst_usd
        self._budget.reserve(order.attempt, worst_usd)

    def release(self, order: Order) -> None:
        """Give it back."""
        self._reserved.pop(order.attempt, None)
        self._budget.release(order.attempt)

    def spend(self, order: Order, completed: AttemptCompleted) -> None:
        """Count what an attempt cost."""
        day = utc_day(completed.timing.sent_wall_ns or self._world.clock.wall_ns())
        cost_usd = cost_of(completed, order.endpoint, self._worst_usd(order), day)
        self._counted_usd += cost_usd
        self._budget.spend(cost_usd, day)
        if _is_known(order, completed):
            self.known_usd += cost_usd
        else:
            self.unknown += 1

    def _worst_usd(self, order: Order) -> Decimal:
        facts = order.prompt.facts
        input_tokens = facts.input_tokens + IMAGE_TOKENS * len(order.prompt.images)
        limit = output_limit_tokens(order.endpoint, facts.max_output_tokens)
        return worst_case_usd(order.endpoint, input_tokens, limit, utc_day(self._world.clock.wall_ns()))


def _is_known(order: Order, completed: AttemptCompleted) -> bool:
    if completed.cost_reported_usd is not None or completed.timing.sent_wall_ns is None:
        return True
    if refused(completed):
        return True
    usage = completed.usage
    counted = usage is not None and usage.input_tokens is not None and usage.output_tokens is not None
    return counted and bool(order.endpoint.prices)
