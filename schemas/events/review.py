"""Events of text reviews: what a record of a run file holds, what was asked, found and judged.

A *record* is a run file in the log, under a name. Its facts are spread over events, and nothing of the file is lost:
``review-file-recorded`` has what it is bound to, its conditions and the order of everything; attempts of others are
``review-attempt-imported``, ours are ordinary attempts behind a ``review-asked``; a person's judgment is
``review-judged``, and each of its verdicts a ``judgment-recorded`` as well. Labels of cases are in no event.
Fields called ``*_json`` hold a value that may be anything, as ``JSON.stringify`` writes it.
"""

from __future__ import annotations

from typing import ClassVar, Literal
from uuid import UUID

import msgspec

from schemas.events.base import Event
from schemas.review.kinds import (
    AttemptStatus,
    CacheMode,
    Decision,
    Language,
    Ordering,
    ResponseFailure,
    StrategyId,
)

ReviewOrigin = Literal["measured", "imported"]
"""Whether the record's attempts were made by this daemon, or came with a file."""

ReviewRole = Literal["judge", "adjudicator"]


class ReviewCode(msgspec.Struct, frozen=True, kw_only=True):
    """A version of an evaluator or validator, and the hash of its code."""

    version: str
    code_sha256: str


class ReviewProvenance(msgspec.Struct, frozen=True, kw_only=True):
    """Hashes of the exact bytes that the record's manifest was prepared from."""

    fixtures_sha256: str
    library_sha256: str
    research_sha256: str
    preparation_sha256: str


class ReviewSource(msgspec.Struct, frozen=True, kw_only=True):
    """A text that a condition has reviewed; the hash is that of the text in UTF-8."""

    id: str
    language: Language
    sha256: str


class ReviewSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a condition's answers were generated; see ``ExecutionSettings`` of the run file."""

    adapter_version: str
    runtime_version: str
    reasoning_json: str
    max_output_tokens: int | None
    concurrency: int
    maximum_attempts: int
    cache_mode: CacheMode
    ordering: Ordering
    order_seed: str
    provider_batch: bool


class ReviewCondition(msgspec.Struct, frozen=True, kw_only=True):
    """One way of asking. It plans a review for every source and repetition, ``condition/source/rN``.

    rule_ids: of the scope. A review takes one request where the strategy is ``bundled``, else one for each rule.
    """

    condition: str
    candidate: str
    cohort: str
    rule_ids: tuple[str, ...]
    strategy: StrategyId
    sources: tuple[ReviewSource, ...]
    repetitions: tuple[int, ...]
    provider: str
    requested_model: str
    effective_model: str
    parameters_json: str
    parameters_sha256: str
    settings: ReviewSettings


class ReviewSelection(msgspec.Struct, frozen=True, kw_only=True):
    """Which attempts are a review's answers, and whose judgments of them are in force, in the file's order.

    response_set_sha256: of the selected responses; judgments in force are bound to it.
    """

    review_run_id: str
    final_attempts: tuple[str, ...]
    response_set_sha256: str
    judges: tuple[str, ...]
    adjudicator: str | None


class ReviewFileRecorded(Event, frozen=True, kw_only=True):
    """A record as it stands now; the newest event of a record counts.

    content_sha256: of the run file as ``JSON.stringify(value, null, 2)`` and a line feed; None of a run of ours that
        is under way. attempts: ids, in the file's order.
    """

    TYPE: ClassVar[str] = "review-file-recorded"

    record: str
    origin: ReviewOrigin
    content_sha256: str | None
    notice: str | None
    manifest_sha256: str
    evaluator: ReviewCode
    validator: ReviewCode
    catalogue_version: str
    provenance: ReviewProvenance
    conditions: tuple[ReviewCondition, ...]
    attempts: tuple[str, ...]
    reviews: tuple[ReviewSelection, ...]


class ReviewRequestFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What an attempt is about, with the hashes of what was frozen.

    rule_ids: that this request asks for. sequence: counts the attempts at the request within its review, from 1.
    """

    record: str
    manifest_sha256: str
    condition: str
    review_run_id: str
    request_id: str
    source: str
    language: Language
    cohort: str
    strategy: StrategyId
    rule_ids: tuple[str, ...]
    repetition: int
    sequence: int
    requested_model: str
    parameters_sha256: str
    payload_sha256: str
    canonical_prompt_sha256: str
    source_sha256: str


class ReviewAsked(Event, frozen=True, kw_only=True):
    """An attempt of ours is about to ask for a review; it comes before the attempt's ``request-sent``.

    Its id in the run file is the attempt's UUID. retry_of: id in the file of the attempt before it. position: of the
    request in the drawn order of the whole run, from 1.
    """

    TYPE: ClassVar[str] = "review-asked"

    attempt: UUID
    run: UUID
    endpoint: str
    about: ReviewRequestFacts
    retry_of: str | None
    position: int


class ReviewUsage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as a run file reports them; None is unknown."""

    input_tokens: float | None
    output_tokens: float | None
    cache_read_tokens: float | None
    cache_write_tokens: float | None
    reasoning_tokens: float | None


class ReviewAttemptImported(Event, frozen=True, kw_only=True):
    """An attempt that somebody else made, as a run file tells it: no attempt of ours, and nothing is added to it.

    attempt_id, retry_of: ids of the file. response_json, error_json: the values of the file, None where it has null.
    actual_cost_usd, usage, latency_ms: as in the file; None is unknown.
    """

    TYPE: ClassVar[str] = "review-attempt-imported"

    attempt_id: str
    about: ReviewRequestFacts
    retry_of: str | None
    effective_model: str | None
    status: AttemptStatus
    response_json: str | None
    error_json: str | None
    actual_cost_usd: float | None
    usage: ReviewUsage | None
    latency_ms: float | None


class RuleDecision(msgspec.Struct, frozen=True, kw_only=True):
    """What a valid answer decided for one rule."""

    rule_id: str
    decision: Decision


class ReviewAnswerValidated(Event, frozen=True, kw_only=True):
    """What the validator found in a response of a record, by its form alone.

    failure: None of a valid one. detail: where in a failed one. decisions: of a valid one, in its order.
    """

    TYPE: ClassVar[str] = "review-answer-validated"

    record: str
    attempt_id: str
    review_run_id: str
    request_id: str
    validator: ReviewCode
    failure: ResponseFailure | None
    detail: str | None
    decisions: tuple[RuleDecision, ...]


class ReviewRuleJudged(msgspec.Struct, frozen=True, kw_only=True):
    """A person's judgment of one rule's answer; None is not judged yet."""

    rule_id: str
    decision_justified: bool | None
    missed_issue_count: int | None
    rationale: str | None


class ReviewJudged(Event, frozen=True, kw_only=True):
    """A person's judgment of a review, whole; a later one of the same person, role and review takes its place.

    finished: nothing in it is left to be judged. It holds only of the responses with ``response_set_sha256``, and is
    in force while the record's newest ``review-file-recorded`` names the person. ``judgment-recorded`` (suite
    ``review``) has each verdict of it by itself.
    """

    TYPE: ClassVar[str] = "review-judged"

    record: str
    review_run_id: str
    role: ReviewRole
    reviewer: str
    method: str
    response_set_sha256: str
    alternative_scope: str
    finished: bool
    facts_preserved: bool | None
    intent_preserved: bool | None
    harmful_change: bool | None
    rules: tuple[ReviewRuleJudged, ...]
    rationale: str | None
