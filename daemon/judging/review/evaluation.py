"""The evaluation: every check, then a report. The same inputs give the same report, whatever the order of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from daemon.judging.review import measures
from daemon.judging.review.attempt_checks import check_attempts
from daemon.judging.review.condition_checks import check_conditions
from daemon.judging.review.evidence import Evidence
from daemon.judging.review.frozen_checks import check_binding, check_hashes
from daemon.judging.review.hashes import in_order, run_content_sha256
from daemon.judging.review.javascript_json import NotJson, javascript_sha256, read_json
from daemon.judging.review.outcomes import Outcome, outcome_of
from daemon.judging.review.planning import planned_reviews
from daemon.judging.review.review_checks import check_reviews
from daemon.judging.review.validation import FailedAnswer
from schemas.review.kinds import Language
from schemas.review.report import (
    ConditionReport,
    FailedResponse,
    LanguageReport,
    Report,
    ReusedAnswer,
    ReviewOutcome,
)
from schemas.review.run import Attempt, Condition, Run
from schemas.review.sources import Label

EVALUATOR_VERSION = "1"
"""Of the evaluation's rules; any change that could change one number of a report is another version."""


def evaluate(evidence: Evidence) -> Report:
    """Check everything and report; raises :class:`ReviewRefusedError` for the first rule that is broken."""
    manifest, files = evidence.manifest, evidence.files
    check_binding(evidence)
    check_hashes(manifest, file=files.manifest)
    check_conditions(evidence.run, manifest, file=files.run)
    given = planned_reviews(manifest, evidence.run)
    check_attempts(evidence.run, given, file=files.run)
    check_reviews(evidence.run, given, file=files.run)

    run = in_order(evidence.run)
    attempts: dict[str, list[Attempt]] = {}
    for attempt in run.attempts:
        attempts.setdefault(attempt.review_run_id, []).append(attempt)
    reviews = {review.review_run_id: review for review in run.reviews}
    outcomes = [
        outcome_of(plan, attempts.get(name, ()), reviews.get(name))
        for name, plan in planned_reviews(manifest, run).items()
    ]
    labels = {case.source_id: case.labels for case in evidence.fixtures.cases}
    return Report(
        format="messwerk-review-report/1",
        notice=run.notice,
        manifest_sha256=evidence.manifest_sha256,
        run_content_sha256=run_content_sha256(run),
        evaluator=manifest.evaluator,
        validator=manifest.validator,
        catalogue_version=manifest.catalogue_version,
        provenance=manifest.provenance,
        comparable_conditions=_comparable(run),
        reused_answers=tuple(_reused(outcomes)),
        conditions=tuple(_condition(each, outcomes, labels) for each in run.conditions),
    )


def _condition(
    condition: Condition, outcomes: Sequence[Outcome], labels: Mapping[str, Sequence[Label]]
) -> ConditionReport:
    own = [each for each in outcomes if each.plan.condition.condition_id == condition.condition_id]
    languages: list[Language] = ["de", "en"]
    return ConditionReport(
        condition_id=condition.condition_id,
        candidate_id=condition.candidate_id,
        cohort_id=condition.cohort_id,
        strategy_id=condition.strategy_id,
        provider=condition.provider,
        requested_model_id=condition.requested_model_id,
        effective_model_id=condition.effective_model_id,
        parameters_sha256=condition.parameters_sha256,
        execution_settings=condition.execution_settings,
        source_ids=condition.source_ids,
        repetitions=condition.repetitions,
        languages=tuple(
            _language(language, part, labels)
            for language in languages
            if (part := [each for each in own if each.plan.source.language == language])
        ),
    )


def _language(
    language: Language, outcomes: Sequence[Outcome], labels: Mapping[str, Sequence[Label]]
) -> LanguageReport:
    counts = measures.review_counts(outcomes)
    return LanguageReport(
        language=language,
        reviews=counts,
        attempts=measures.attempt_counts(outcomes),
        facts_preserved=measures.tally(each.facts_preserved for each in outcomes),
        intent_preserved=measures.tally(each.intent_preserved for each in outcomes),
        harmful_change=measures.tally((each.harmless for each in outcomes), yes="fail"),
        rules=tuple(measures.rule_report(outcomes, name) for name in outcomes[0].plan.cohort.rule_ids),
        diagnostics=measures.diagnostics(outcomes, labels),
        costs=measures.costs(outcomes, counts.accepted_complete),
        usage=measures.usage_sums(outcomes),
        latency=measures.latency(outcomes),
        outcomes=tuple(map(_told, outcomes)),
    )


def _told(outcome: Outcome) -> ReviewOutcome:
    return ReviewOutcome(
        review_run_id=outcome.plan.review_run_id,
        answers=outcome.answers,
        judgment=outcome.judgment,
        complete_judgments=outcome.complete_judgments,
        failed_responses=tuple(
            FailedResponse(
                attempt_id=each.attempt.attempt_id,
                request_id=each.attempt.request_id,
                selected=each.selected,
                failure=each.result.failure,
                detail=each.result.detail,
            )
            for each in outcome.attempts
            if isinstance(each.result, FailedAnswer)
        ),
        disagreements=outcome.disagreements,
        human_judgments=outcome.review.human_judgments if outcome.review else (),
        adjudication=outcome.review.adjudication if outcome.review else None,
    )


def _comparable(run: Run) -> tuple[tuple[str, ...], ...]:
    """Group conditions that may be compared; those that stand alone are left out."""
    groups: dict[str, list[str]] = {}
    for each in run.conditions:
        settings = msgspec.to_builtins(each.execution_settings)
        key = javascript_sha256([each.cohort_id, each.source_ids, each.repetitions, settings])
        groups.setdefault(key, []).append(each.condition_id)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _reused(outcomes: Sequence[Outcome]) -> Iterator[ReusedAnswer]:
    """Find responses that stand under more than one repetition of a request."""
    found: dict[tuple[str, str, str], dict[str, int]] = {}
    for outcome in outcomes:
        for each in outcome.attempts:
            if each.attempt.response is not None:
                key = (
                    outcome.plan.condition.condition_id,
                    each.attempt.request_id,
                    javascript_sha256(_said(each.attempt.response)),
                )
                found.setdefault(key, {})[each.attempt.attempt_id] = outcome.plan.repetition
    for (condition_id, request_id, _), repetitions in sorted(found.items()):
        if len(set(repetitions.values())) > 1:
            yield ReusedAnswer(condition_id=condition_id, request_id=request_id, attempt_ids=tuple(repetitions))


def _said(response: str | dict[str, Any]) -> object:
    """Return what a response says: JSON text and its value are the same answer, however either is written."""
    if isinstance(response, dict):
        return response
    try:
        return read_json(response)
    except NotJson:
        return response
