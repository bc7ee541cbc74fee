"""Whether every attempt belongs to what was planned, asked what was frozen, and says what it must."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from daemon.judging.review.planning import PlannedReview
from schemas.review.manifest import FrozenRequest
from schemas.review.refusals import RefusalRule, ReviewRefusedError
from schemas.review.run import Attempt, Condition, Run


class _At:
    """Where an attempt stands, for refusals about it."""

    def __init__(self, file: str, index: int, attempt: Attempt) -> None:
        self.file, self.index, self.attempt = file, index, attempt

    def refused(self, rule: RefusalRule, field: str, problem: str, todo: str) -> ReviewRefusedError:
        return ReviewRefusedError(
            rule,
            file=self.file,
            place=f"attempts[{self.index}].{field}",
            problem=f"attempt {self.attempt.attempt_id}: {problem}",
            todo=todo,
        )


def check_attempts(run: Run, planned: Mapping[str, PlannedReview], *, file: str) -> None:
    """Refuse the first attempt that breaks a rule, retries before what they retry is compared with the manifest."""
    by_id: dict[str, Attempt] = {}
    places = [_At(file, index, attempt) for index, attempt in enumerate(run.attempts)]
    for at in places:
        if at.attempt.attempt_id in by_id:
            raise at.refused("unplanned-attempt", "attemptId", "the id is there twice", "number attempts globally")
        by_id[at.attempt.attempt_id] = at.attempt
    for at in places:
        review = planned.get(at.attempt.review_run_id)
        if review is None:
            raise at.refused(
                "unplanned-attempt",
                "reviewRunId",
                f"no condition plans {at.attempt.review_run_id!r}",
                "write it as condition/source/rN, of a declared condition; another model needs one of its own",
            )
        request = review.requests.get(at.attempt.request_id)
        if request is None:
            raise at.refused(
                "unplanned-attempt",
                "requestId",
                f"{at.attempt.request_id!r} is no request of {at.attempt.review_run_id}",
                "take the request's id from the manifest",
            )
        _check_retry(at, by_id)
        _check_frozen(at, request)
        _check_condition(at, review.condition)
        _check_response(at)
    _check_policy(run, planned, file)


def _check_retry(at: _At, by_id: Mapping[str, Attempt]) -> None:
    attempt = at.attempt
    if attempt.retry_of is None:
        return
    former = by_id.get(attempt.retry_of)
    if former is None:
        raise at.refused(
            "retry-chain", "retryOf", f"there is no attempt {attempt.retry_of!r}", "hand in what was retried as well"
        )
    if (former.review_run_id, former.request_id) != (attempt.review_run_id, attempt.request_id):
        raise at.refused(
            "retry-chain",
            "retryOf",
            f"{former.attempt_id} asked {former.request_id} for {former.review_run_id}",
            "name the attempt before at the same request of the same review",
        )
    if attempt.sequence <= former.sequence:
        raise at.refused(
            "retry-chain",
            "sequence",
            f"{attempt.sequence} does not come after {former.sequence} of {former.attempt_id}",
            "count attempts at a request upwards",
        )
    for field, now, before in _unchanging(attempt, former):
        if now != before:
            raise at.refused(
                "retry-chain",
                field,
                f"it is {now!r} and was {before!r} in {former.attempt_id}",
                "declare what was changed as a condition of its own; escalation is never merged",
            )


def _unchanging(attempt: Attempt, former: Attempt) -> Iterator[tuple[str, str | None, str | None]]:
    yield "sourceSha256", attempt.source_sha256, former.source_sha256
    yield "canonicalPromptSha256", attempt.canonical_prompt_sha256, former.canonical_prompt_sha256
    yield "payloadSha256", attempt.payload_sha256, former.payload_sha256
    yield "parametersSha256", attempt.parameters_sha256, former.parameters_sha256
    yield "requestedModelId", attempt.requested_model_id, former.requested_model_id
    if attempt.effective_model_id is not None and former.effective_model_id is not None:
        yield "effectiveModelId", attempt.effective_model_id, former.effective_model_id


def _check_frozen(at: _At, request: FrozenRequest) -> None:
    for field, value, expected in (
        ("canonicalPromptSha256", at.attempt.canonical_prompt_sha256, request.canonical_prompt_sha256),
        ("payloadSha256", at.attempt.payload_sha256, request.payload_sha256),
        ("sourceSha256", at.attempt.source_sha256, request.source_sha256),
    ):
        if value != expected:
            raise at.refused(
                "frozen-hash",
                field,
                f"it is {value!r}; {request.request_id} was frozen with {expected}",
                "copy the hash of what was sent; what was sent otherwise is another experiment",
            )


def _check_condition(at: _At, condition: Condition) -> None:
    attempt = at.attempt
    if attempt.parameters_sha256 != condition.parameters_sha256:
        raise at.refused(
            "parameters-hash",
            "parametersSha256",
            f"condition {condition.condition_id} has {condition.parameters_sha256}",
            "copy the condition's hash; other parameters are another condition",
        )
    if attempt.requested_model_id != condition.requested_model_id:
        raise at.refused(
            "model-identity",
            "requestedModelId",
            f"{attempt.requested_model_id!r} was asked, and the condition's is {condition.requested_model_id!r}",
            "declare a condition for each model",
        )
    unknown = attempt.effective_model_id is None and attempt.status != "response"
    if not unknown and attempt.effective_model_id != condition.effective_model_id:
        raise at.refused(
            "model-identity",
            "effectiveModelId",
            f"{attempt.effective_model_id!r} answered, and the condition's is {condition.effective_model_id!r}",
            "declare a condition for each model that answers; only an attempt without a response may have null",
        )


def _check_response(at: _At) -> None:
    has = at.attempt.response is not None
    if has != (at.attempt.status == "response"):
        raise at.refused(
            "status-and-response",
            "response",
            f"the status is {at.attempt.status} and there is {'a' if has else 'no'} response",
            "keep the raw text of a response under the status response, and null under every other",
        )


def _check_policy(run: Run, planned: Mapping[str, PlannedReview], file: str) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for index, attempt in enumerate(run.attempts):
        key = (attempt.review_run_id, attempt.request_id)
        counts[key] += 1
        most = planned[attempt.review_run_id].condition.execution_settings.retry_policy.maximum_attempts
        if counts[key] > most:
            raise _At(file, index, attempt).refused(
                "retry-policy",
                "requestId",
                f"{attempt.request_id} of {attempt.review_run_id} has more than {most} attempt(s)",
                "declare the retry policy that was in force, as executionSettings.retryPolicy",
            )
