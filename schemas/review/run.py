"""A run: the conditions that were measured, every attempt, and people's judgments. Null means not known, not zero."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from schemas.review.kinds import (
    AttemptStatus,
    CacheMode,
    Count,
    Name,
    Number,
    Ordering,
    WireStruct,
)
from schemas.review.manifest import CodeIdentity, Provenance
from schemas.review.sources import Text

Amount = Annotated[float, msgspec.Meta(ge=0, le=2**53)]
"""Tokens, milliseconds or US dollars: not negative, and finite; beyond 2^53 a double no longer counts."""


class RetryPolicy(WireStruct, frozen=True, kw_only=True):
    """How many attempts a request may have, the first one among them."""

    maximum_attempts: Number


class ExecutionSettings(WireStruct, frozen=True, kw_only=True):
    """How answers were generated.

    reasoning: the setting as it was sent; null where none was sent. orderSeed: what the order was drawn from.
    """

    adapter_version: Text
    runtime_version: Text
    reasoning: Any
    max_output_tokens: Number | None
    concurrency: Number
    retry_policy: RetryPolicy
    cache_mode: CacheMode
    ordering: Ordering
    order_seed: Text
    provider_batch: bool


class Condition(WireStruct, frozen=True, kw_only=True):
    """One way of asking, over the same sources and repetitions as those it is compared with."""

    condition_id: Name
    candidate_id: Text
    cohort_id: Text
    strategy_id: Text
    source_ids: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
    repetitions: Annotated[tuple[int, ...], msgspec.Meta(min_length=1)]
    provider: Text
    requested_model_id: Text
    effective_model_id: Text
    parameters: dict[str, Any]
    parameters_sha256: str
    execution_settings: ExecutionSettings


class Usage(WireStruct, frozen=True, kw_only=True):
    """Tokens as the provider reported them; each may be null and none may be left out."""

    input_tokens: Amount | None
    output_tokens: Amount | None
    cache_read_tokens: Amount | None
    cache_write_tokens: Amount | None
    reasoning_tokens: Amount | None


class Attempt(WireStruct, frozen=True, kw_only=True):
    """One attempt at one frozen request of one planned review ``condition/source/rN``.

    response: the exact text, also where it is no JSON, or an object that was read from it. latencyMs: milliseconds.
    """

    attempt_id: Text
    review_run_id: Text
    request_id: Text
    sequence: Number
    retry_of: str | None
    requested_model_id: str
    effective_model_id: str | None
    parameters_sha256: str
    payload_sha256: str
    canonical_prompt_sha256: str
    source_sha256: str
    status: AttemptStatus
    response: str | dict[str, Any] | None
    error: Any
    actual_cost_usd: Amount | None
    usage: Usage | None
    latency_ms: Amount | None


class RuleJudgment(WireStruct, frozen=True, kw_only=True):
    """A person's judgment of one rule's answer; null where it is not judged yet."""

    rule_id: Text
    decision_justified: bool | None
    missed_issue_count: Count | None
    rationale: str | None


class HumanJudgment(WireStruct, frozen=True, kw_only=True):
    """A person's judgment of the selected answers of a review, all alternatives among them."""

    reviewer_id: Text
    method: str
    response_set_sha256: str
    alternative_scope: str
    facts_preserved: bool | None
    intent_preserved: bool | None
    harmful_change: bool | None
    rule_judgments: tuple[RuleJudgment, ...]
    rationale: str | None


class Review(WireStruct, frozen=True, kw_only=True):
    """Which attempts are a review's answers, and what people said of them."""

    review_run_id: Text
    final_attempt_ids: tuple[Text, ...]
    human_judgments: tuple[HumanJudgment, ...]
    adjudication: HumanJudgment | None


class Run(WireStruct, frozen=True, kw_only=True):
    """The run file; ``notice`` marks what is not a measurement, such as synthetic answers."""

    format: Literal["messwerk-review-run/1"]
    notice: str | None
    manifest_sha256: str
    evaluator: CodeIdentity
    validator: CodeIdentity
    catalogue_version: str
    provenance: Provenance
    conditions: tuple[Condition, ...]
    attempts: tuple[Attempt, ...]
    reviews: tuple[Review, ...]
