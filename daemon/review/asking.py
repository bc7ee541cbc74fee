"""One frozen request asked to its end: until there is a response, or no attempt left that its policy allows."""

from __future__ import annotations

from typing import Final

import msgspec

from daemon.attempts.identity import AttemptIdentity
from daemon.attempts.keeping import Keeper
from daemon.judging.review.planning import PlannedReview
from daemon.review.attempts import request_facts
from daemon.review.plans import ConditionPlan, planned_ask
from daemon.runs.course import Answered, Send, Trouble, Unanswered, after_failure
from daemon.runs.planning import Order
from daemon.wire.contract import Ask
from schemas.events import AttemptCompleted, ReviewAsked
from schemas.review.run import Attempt


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """One request of one planned review.

    order: its endpoint is as the plan asks it. position: in the order of all requests, from 1. before: attempts at it
    so far; last: the newest of them, None where there is none.
    """

    plan: ConditionPlan
    review: PlannedReview
    request_id: str
    order: Order
    position: int
    before: int
    last: Attempt | None


class ReviewMatter:
    """A :class:`daemon.runs.persisting.Matter`: any response is the answer, valid or not; attempts are counted."""

    explaining: Final = ()

    def __init__(self, errand: Errand, record: str, manifest_sha256: str, kept: Keeper) -> None:
        self._errand = errand
        self._record = record
        self._manifest_sha256 = manifest_sha256
        self._kept = kept
        self._made = errand.before

    def told(self, identity: AttemptIdentity, _: Trouble) -> ReviewAsked:
        """Say what the attempt is about; its sequence goes on from earlier runs."""
        errand, last = self._errand, self._errand.last
        sequence = (0 if last is None else last.sequence) + identity.sequence
        former = last.attempt_id if identity.retry_of is None and last is not None else identity.retry_of
        return ReviewAsked(
            attempt=identity.attempt,
            run=identity.run.run,
            endpoint=identity.endpoint,
            about=request_facts(self._record, self._manifest_sha256, errand.review, errand.request_id, sequence),
            retry_of=None if former is None else str(former),
            position=errand.position,
        )

    def ask(self, _: Trouble) -> Ask:
        """Word it."""
        return planned_ask(self._errand.plan, self._errand.order)

    def keeper(self, _: Trouble) -> Keeper:
        """Keep texts like those of other attempts."""
        return self._kept

    def after(
        self, _: ReviewAsked, course: Trouble, completed: AttemptCompleted, *, usage_suspected: bool
    ) -> Send[Trouble] | Answered | Unanswered:
        """Count the attempt, and decide."""
        self._made += 1
        if completed.status == "response":
            return Answered("")  # the text is read from where it is kept
        step = after_failure(course, completed, usage_suspected=usage_suspected)
        if isinstance(step, Send) and self._made >= self._errand.plan.maximum_attempts:
            return Unanswered("no attempt left" if completed.failure is None else completed.failure.kind)
        return step
