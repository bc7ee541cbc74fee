"""What a run of text reviews is asked for, and what it tells of itself."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from daemon.review.plans import ConditionPlan
from schemas.review.manifest import Manifest


class ReviewRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure into which record. endpoint: of plans that name none. notice: of the run file."""

    record: str
    manifest: Manifest
    manifest_sha256: str
    plans: tuple[ConditionPlan, ...]
    endpoint: str
    notice: str | None = None
    budget_usd: Decimal | None = None


class ConditionSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one condition's requests.

    answered: in this run; recalled: before it. exhausted: without a response, and no further attempt is allowed;
    open: without one so far, by what the last attempt failed of. other_models: that answered, and are not its model.
    """

    condition: str
    endpoint: str
    planned: int
    recalled: int
    answered: int
    exhausted: int
    open: int
    other_models: tuple[str, ...] = ()


class ReviewRunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a run. ``cost_usd`` is what is known; ``unknown_costs`` attempts come on top of it."""

    record: str
    conditions: tuple[ConditionSummary, ...]
    attempts: int
    cost_usd: Decimal
    unknown_costs: int
    stopped: str | None = None

    @property
    def over(self) -> bool:
        """Whether nothing is left to be asked."""
        return not any(each.open for each in self.conditions)

    @property
    def complete(self) -> bool:
        """Whether every request has a response, of the condition's own model."""
        return self.over and not any(each.exhausted or each.other_models for each in self.conditions)


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a run is: requests dealt with, of those that were open, and its cost so far."""

    done: int
    planned: int
    cost_usd: Decimal
    unknown_costs: int
