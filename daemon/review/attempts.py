"""Attempts at frozen requests: those of a run file as events and back, and ours as the run file has them. Pure.

An imported attempt keeps what its file says and nothing else. Of ours the file gets what was seen: the cost is what
the service billed or null, and the latency is of the monotonic clock.
"""

from __future__ import annotations

from typing import Any

from daemon.judging.review.javascript_json import javascript_json, read_json
from daemon.judging.review.planning import PlannedReview
from daemon.judging.review.reading import convert
from daemon.judging.review.validation import FailedAnswer, validate_model_response
from daemon.review.conditions import alike
from schemas.events import AttemptCompleted, ReviewAnswerValidated, ReviewAsked, ReviewAttemptImported
from schemas.events.review import ReviewCode, ReviewRequestFacts, ReviewUsage, RuleDecision
from schemas.review.manifest import CodeIdentity
from schemas.review.refusals import printable
from schemas.review.run import Attempt, Usage


def request_facts(
    record: str, manifest_sha256: str, plan: PlannedReview, request_id: str, sequence: int
) -> ReviewRequestFacts:
    """Say what an attempt is about."""
    request, condition = plan.requests[request_id], plan.condition
    return ReviewRequestFacts(
        record=record,
        manifest_sha256=manifest_sha256,
        condition=condition.condition_id,
        review_run_id=plan.review_run_id,
        request_id=request_id,
        source=plan.source.source_id,
        language=plan.source.language,
        cohort=condition.cohort_id,
        strategy=request.strategy_id,
        rule_ids=request.rule_ids,
        repetition=plan.repetition,
        sequence=sequence,
        requested_model=condition.requested_model_id,
        parameters_sha256=condition.parameters_sha256,
        payload_sha256=request.payload_sha256,
        canonical_prompt_sha256=request.canonical_prompt_sha256,
        source_sha256=request.source_sha256,
    )


def imported_attempt(
    attempt: Attempt, record: str, manifest_sha256: str, plan: PlannedReview
) -> ReviewAttemptImported:
    """Say an attempt of a file as an event; it must have been checked against the plan."""
    return ReviewAttemptImported(
        attempt_id=attempt.attempt_id,
        about=request_facts(record, manifest_sha256, plan, attempt.request_id, attempt.sequence),
        retry_of=attempt.retry_of,
        effective_model=attempt.effective_model_id,
        status=attempt.status,
        response_json=_json(attempt.response),
        error_json=_json(attempt.error),
        actual_cost_usd=attempt.actual_cost_usd,
        usage=None if attempt.usage is None else alike(attempt.usage, ReviewUsage),
        latency_ms=attempt.latency_ms,
    )


def attempt_of(imported: ReviewAttemptImported) -> Attempt:
    """Return an imported attempt as its file has it."""
    return _attempt(
        imported.about,
        attempt_id=imported.attempt_id,
        retry_of=imported.retry_of,
        effective_model_id=imported.effective_model,
        status=imported.status,
        response=_value(imported.response_json),
        error=_value(imported.error_json),
        actual_cost_usd=imported.actual_cost_usd,
        usage=None if imported.usage is None else alike(imported.usage, Usage),
        latency_ms=imported.latency_ms,
    )


def own_attempt(asked: ReviewAsked, completed: AttemptCompleted, text: str | None) -> Attempt:
    """Return an attempt of ours as the run file has it.

    text: of its answer, None where it has none. A response of a service that names no model counts as one of the
    model that was asked for; any other model stands there as it was named, also where it will be refused.
    """
    responded = completed.status == "response"
    timing, usage, failure = completed.timing, completed.usage, completed.failure
    latency_us = timing.complete_us if timing.complete_us is not None else timing.end_us
    return _attempt(
        asked.about,
        attempt_id=str(asked.attempt),
        retry_of=asked.retry_of,
        effective_model_id=completed.returned_model or (asked.about.requested_model if responded else None),
        status=completed.status,
        response=(text or "") if responded else None,
        error=None if failure is None else {"kind": failure.kind, "message": failure.message},
        actual_cost_usd=None if completed.cost_reported_usd is None else float(completed.cost_reported_usd),
        usage=usage
        and Usage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cached_input_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            reasoning_tokens=usage.reasoning_tokens,
        ),
        latency_ms=None if latency_us is None else latency_us / 1000,
    )


def validated(
    attempt: Attempt, record: str, plan: PlannedReview, validator: CodeIdentity
) -> ReviewAnswerValidated | None:
    """Say what the validator finds in an attempt's response; None where there is no response."""
    if attempt.response is None:
        return None
    found = validate_model_response(attempt.response, plan.requests[attempt.request_id], plan.source)
    failed = found if isinstance(found, FailedAnswer) else None
    return ReviewAnswerValidated(
        record=record,
        attempt_id=attempt.attempt_id,
        review_run_id=attempt.review_run_id,
        request_id=attempt.request_id,
        validator=alike(validator, ReviewCode),
        failure=None if failed is None else failed.failure,
        detail=None if failed is None else printable(failed.detail),
        decisions=()
        if isinstance(found, FailedAnswer)
        else tuple(RuleDecision(rule_id=rule.rule_id, decision=rule.decision) for rule in found.rules),
    )


def _attempt(about: ReviewRequestFacts, **said: Any) -> Attempt:  # noqa: ANN401  # the other fields, each of its type
    return Attempt(
        review_run_id=about.review_run_id,
        request_id=about.request_id,
        sequence=about.sequence,
        requested_model_id=about.requested_model,
        parameters_sha256=about.parameters_sha256,
        payload_sha256=about.payload_sha256,
        canonical_prompt_sha256=about.canonical_prompt_sha256,
        source_sha256=about.source_sha256,
        **said,
    )


def _json(value: object) -> str | None:
    return None if value is None else javascript_json(value)


def _value(text: str | None) -> Any:  # noqa: ANN401  # whatever the file has there
    return None if text is None else convert(read_json(text), object)
