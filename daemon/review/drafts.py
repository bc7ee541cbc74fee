"""Which reviews of a run a person can judge, and the judgment on its way: a draft in the run, with nulls. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Literal

import msgspec

from daemon.judging.review.hashes import response_set_sha256
from daemon.judging.review.outcomes import Outcome, outcome_of
from daemon.judging.review.planning import PlannedReview
from daemon.judging.review.review_checks import ALTERNATIVE_SCOPE, METHOD, finished
from schemas.events.review import ReviewRole
from schemas.review.run import Attempt, HumanJudgment, Review, RuleJudgment, Run

LeftOut = Literal["not chosen", "not judgeable", "judged", "not disputed", "adjudicated", "own"]
"""Why a planned review is not judged in a sitting.

not chosen: no answers are chosen yet. not judgeable: a response is missing or failed. judged: by this person, to the
end. not disputed, adjudicated: nothing is left to adjudicate. own: the person is its adjudicator, or one of its
judges.
"""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A review to be judged, and the person's judgment as far as it is."""

    outcome: Outcome
    judgment: HumanJudgment

    @property
    def name(self) -> str:
        """Of the planned review."""
        return self.outcome.plan.review_run_id


def cases(
    run: Run, planned: Mapping[str, PlannedReview], reviewer: str, role: ReviewRole
) -> tuple[list[Case], Counter[LeftOut]]:
    """List the reviews that a person has to judge, and count the others by why they are not among them.

    Their order is the person's own and tells nothing of conditions.
    """
    attempts: dict[str, list[Attempt]] = {}
    for attempt in run.attempts:
        attempts.setdefault(attempt.review_run_id, []).append(attempt)
    reviews = {review.review_run_id: review for review in run.reviews}
    left_out: Counter[LeftOut] = Counter()
    found: list[Case] = []
    for name, plan in planned.items():
        review = reviews.get(name)
        outcome = outcome_of(plan, attempts.get(name, ()), review)
        why = "not chosen" if review is None else _left_out(outcome, review, reviewer, role)
        if why is not None or review is None:
            left_out[why or "not chosen"] += 1
            continue
        found.append(Case(outcome=outcome, judgment=own_judgment(review, reviewer, role) or blank(outcome, reviewer)))
    found.sort(key=lambda case: sha256(f"{reviewer}\x1f{case.name}".encode()).digest())
    return found, left_out


def own_judgment(review: Review, reviewer: str, role: ReviewRole) -> HumanJudgment | None:
    """Return what a person has given of a review in a role."""
    given: Sequence[HumanJudgment | None] = review.human_judgments if role == "judge" else (review.adjudication,)
    return next((each for each in given if each is not None and each.reviewer_id == reviewer), None)


def blank(outcome: Outcome, reviewer: str) -> HumanJudgment:
    """Begin a judgment, bound to the responses that are chosen now."""
    chosen = [each.attempt for each in outcome.attempts if each.selected]
    return HumanJudgment(
        reviewer_id=reviewer,
        method=METHOD,
        response_set_sha256=response_set_sha256((each.attempt_id for each in chosen), chosen),
        alternative_scope=ALTERNATIVE_SCOPE,
        facts_preserved=None,
        intent_preserved=None,
        harmful_change=None,
        rule_judgments=tuple(
            RuleJudgment(rule_id=name, decision_justified=None, missed_issue_count=None, rationale=None)
            for name in outcome.plan.cohort.rule_ids
        ),
        rationale=None,
    )


def with_judgment(run: Run, name: str, judgment: HumanJudgment, role: ReviewRole) -> Run:
    """Put a judgment into a run, in place of what the person had given of the review in this role."""
    return msgspec.structs.replace(
        run,
        reviews=tuple(_given(each, judgment, role) if each.review_run_id == name else each for each in run.reviews),
    )


def _given(review: Review, judgment: HumanJudgment, role: ReviewRole) -> Review:
    if role == "adjudicator":
        return msgspec.structs.replace(review, adjudication=judgment)
    before = own_judgment(review, judgment.reviewer_id, role)
    given = (
        (*review.human_judgments, judgment)
        if before is None
        else tuple(judgment if each is before else each for each in review.human_judgments)
    )
    return msgspec.structs.replace(review, human_judgments=given)


def _left_out(outcome: Outcome, review: Review, reviewer: str, role: ReviewRole) -> LeftOut | None:
    adjudicator = None if review.adjudication is None else review.adjudication.reviewer_id
    if outcome.judgment == "not-judgeable":
        return "not judgeable"
    own = own_judgment(review, reviewer, role)
    if own is not None and finished(own):
        return "judged"
    if role == "judge":
        return "own" if adjudicator == reviewer else None
    if not outcome.disputed:
        return "not disputed"
    if any(each.reviewer_id == reviewer for each in review.human_judgments):
        return "own"
    return None if adjudicator in (None, reviewer) else "adjudicated"
