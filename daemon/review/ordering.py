"""The order in which the requests of several conditions are generated, drawn from a seed. Pure.

``randomized``: all requests, shuffled. ``counterbalanced``: reviews in a shuffled order that every second repetition
goes through backwards; at each review the conditions take turns, so that each is first, second, … equally often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from daemon.judging.review.planning import PlannedReview
from schemas.review.kinds import Ordering

Place = tuple[str, str]
"""Of a request: the planned review and the frozen request, by their ids."""


def in_order(planned: Mapping[str, PlannedReview], ordering: Ordering, seed: str) -> list[Place]:
    """Put every request of planned reviews into the order of their generation; equal inputs give equal orders."""
    if ordering == "randomized":
        places = [(review, request) for review, plan in planned.items() for request in plan.requests]
        return sorted(places, key=lambda place: (_drawn(seed, *place), place))
    return [
        (plan.review_run_id, request)
        for plan in _balanced(list(planned.values()), seed)
        for request in sorted(plan.requests, key=lambda name: (_drawn(seed, "request", name), name))
    ]


def _balanced(plans: Sequence[PlannedReview], seed: str) -> list[PlannedReview]:
    conditions = list(dict.fromkeys(plan.condition.condition_id for plan in plans))
    conditions.sort(key=lambda name: (_drawn(seed, "condition", name), name))
    units: dict[tuple[int, str], dict[str, PlannedReview]] = {}
    for plan in plans:
        units.setdefault((plan.repetition, plan.source.source_id), {})[plan.condition.condition_id] = plan
    ordered: list[PlannedReview] = []
    turn = 0
    for number, repetition in enumerate(sorted({repetition for repetition, _ in units})):
        sources = sorted(
            (source for each, source in units if each == repetition),
            key=lambda name: (_drawn(seed, "source", name), name),
            reverse=bool(number % 2),
        )
        for source in sources:
            unit = units[repetition, source]
            turned = conditions[turn % len(conditions) :] + conditions[: turn % len(conditions)]
            ordered += [unit[name] for name in turned if name in unit]
            turn += 1
    return ordered


def _drawn(seed: str, *words: str) -> bytes:
    return sha256("\x1f".join((seed, *words)).encode()).digest()
