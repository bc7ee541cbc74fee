"""Which reviews and requests a run's conditions plan: the denominator of everything in a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from schemas.review.kinds import StrategyId
from schemas.review.manifest import FrozenRequest, FrozenSource, Manifest
from schemas.review.run import Condition, Run
from schemas.review.sources import Cohort


class PlannedReview(msgspec.Struct, frozen=True, kw_only=True):
    """One source under one condition and repetition, with the requests that it takes, by id."""

    review_run_id: str
    condition: Condition
    repetition: int
    source: FrozenSource
    cohort: Cohort
    requests: Mapping[str, FrozenRequest]


def request_id(source_id: str, cohort_id: str, strategy: StrategyId, rule_ids: tuple[str, ...]) -> str:
    """Name a request: the last part is ``all`` of a bundle, and the rule where there is one request for each."""
    return f"{source_id}/{cohort_id}/{strategy}/{'all' if strategy == 'bundled' else rule_ids[0]}"


def planned_reviews(manifest: Manifest, run: Run) -> Mapping[str, PlannedReview]:
    """List every review that the conditions plan, by id; names must be those of the manifest."""
    return {review.review_run_id: review for review in _planned(manifest, run)}


def _planned(manifest: Manifest, run: Run) -> Iterator[PlannedReview]:
    sources = {source.source_id: source for source in manifest.sources}
    cohorts = {cohort.cohort_id: cohort for cohort in manifest.cohorts}
    requests: dict[tuple[str, str, str], dict[str, FrozenRequest]] = {}
    for request in manifest.requests:
        key = (request.source_id, request.cohort_id, request.strategy_id)
        requests.setdefault(key, {})[request.request_id] = request
    for condition in run.conditions:
        for source_id in condition.source_ids:
            for repetition in condition.repetitions:
                yield PlannedReview(
                    review_run_id=f"{condition.condition_id}/{source_id}/r{repetition}",
                    condition=condition,
                    repetition=repetition,
                    source=sources[source_id],
                    cohort=cohorts[condition.cohort_id],
                    requests=requests[source_id, condition.cohort_id, condition.strategy_id],
                )
