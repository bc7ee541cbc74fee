"""Where a run of text reviews stands: what has a response, which answers are chosen, which model answers. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from daemon.judging.review.planning import PlannedReview
from daemon.review.ordering import Place
from schemas.review.run import Attempt, Review


class Standing(msgspec.Struct, frozen=True):
    """Of one request of one planned review: its attempts in order of their sequence."""

    attempts: tuple[Attempt, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether there is a response, valid or not."""
        return any(attempt.status == "response" for attempt in self.attempts)

    @property
    def final(self) -> Attempt | None:
        """The attempt that gives the answer: the newest with a response, else the newest."""
        responses = [attempt for attempt in self.attempts if attempt.status == "response"]
        return next(reversed(responses or self.attempts), None)


def standings(planned: Mapping[str, PlannedReview], attempts: Iterable[Attempt]) -> Mapping[Place, Standing]:
    """Tell where every request of planned reviews stands."""
    found: dict[Place, list[Attempt]] = {(name, each): [] for name, plan in planned.items() for each in plan.requests}
    for attempt in attempts:
        found[attempt.review_run_id, attempt.request_id].append(attempt)
    return {
        place: Standing(tuple(sorted(made, key=lambda attempt: attempt.sequence))) for place, made in found.items()
    }


def chosen(
    planned: Mapping[str, PlannedReview], at: Mapping[Place, Standing], before: Sequence[Review]
) -> tuple[Review, ...]:
    """Choose the answers of every review each of whose requests has an attempt.

    What people have begun to judge stays chosen as it is, and reviews keep their places.
    """
    judged = {each.review_run_id: each for each in before if each.human_judgments or each.adjudication}
    reviews = []
    for name in dict.fromkeys([*(each.review_run_id for each in before), *planned]):
        finals = [at[name, request].final for request in planned[name].requests]
        ids = tuple(final.attempt_id for final in finals if final is not None)
        if name in judged:
            reviews.append(judged[name])
        elif len(ids) == len(finals):
            reviews.append(Review(review_run_id=name, final_attempt_ids=ids, human_judgments=(), adjudication=None))
    return tuple(reviews)


def first_models(planned: Mapping[str, PlannedReview], attempts: Iterable[Attempt]) -> Mapping[str, str]:
    """Name the model that answered first under each condition that has a response; attempts in their order."""
    first: dict[str, str] = {}
    for attempt in attempts:
        if attempt.status == "response" and attempt.effective_model_id is not None:
            first.setdefault(planned[attempt.review_run_id].condition.condition_id, attempt.effective_model_id)
    return first
