"""What an evaluation says, per condition and language. Every dimension stands alone: no number is made of several.

Null means unknown, or a ratio without a denominator. The denominator of all counts of reviews is every planned one.
"""

from __future__ import annotations

from typing import Literal

from schemas.review.kinds import AnswerState, Decision, JudgmentState, Language, ResponseFailure, WireStruct
from schemas.review.manifest import CodeIdentity, Provenance
from schemas.review.run import ExecutionSettings, HumanJudgment

Question = Literal["factsPreserved", "intentPreserved", "harmfulChange", "decisionJustified", "missedIssueCount"]
"""What people are asked, by the names of their answers in a judgment."""


class ReviewCounts(WireStruct, frozen=True, kw_only=True):
    """How many planned reviews are what.

    ``missing``, ``invalid``, ``incomplete`` and ``complete`` add up to ``planned``. Of incomplete and complete ones
    each is unjudged, disputed, rejected or editorially accepted. ``acceptedComplete`` are complete and accepted.
    withDisagreement: people judged differently, also where it was settled. adjudicated: by a finished adjudication.
    """

    planned: int
    missing: int
    invalid: int
    incomplete: int
    complete: int
    unjudged: int
    disputed: int
    rejected: int
    editorially_accepted: int
    accepted_complete: int
    with_disagreement: int
    adjudicated: int


class AttemptCounts(WireStruct, frozen=True, kw_only=True):
    """Every attempt that was handed in, by status; ``response`` splits into valid ones and failures."""

    submitted: int
    selected: int
    retries: int
    response: int
    error: int
    cancelled: int
    not_completed: int
    valid_response: int
    failed_response: dict[ResponseFailure, int]


class Tally(WireStruct, frozen=True, kw_only=True):
    """How a question was judged over planned reviews; the four add up to all of them."""

    yes: int
    no: int
    not_judged: int
    disputed: int


class RuleReport(WireStruct, frozen=True, kw_only=True):
    """A rule over planned reviews.

    decisions: of valid selected answers. missedIssues: whether any was missed. missedIssueCount: the sum of the
    counts that are settled; null where none is.
    """

    rule_id: str
    decisions: dict[Decision, int]
    decision_justified: Tally
    missed_issues: Tally
    missed_issue_count: int | None


class Diagnostics(WireStruct, frozen=True, kw_only=True):
    """Selected valid answers against the few labels of the cases: rule, quotation and range must be equal.

    expected: labels of the scope's rules, once for each planned review. A passage that a review names twice for a
    rule counts once.
    """

    matched: int
    predicted: int
    expected: int
    precision: float | None
    recall: float | None


class Costs(WireStruct, frozen=True, kw_only=True):
    """US dollars of all attempts, each once. Unknown where the cost of one is unknown; the known part stays."""

    attempts: int
    attempts_of_unknown_cost: int
    known_cost_usd: float
    total_cost_usd: float | None
    cost_per_accepted_complete_review_usd: float | None


class KnownSum(WireStruct, frozen=True, kw_only=True):
    """A quantity over attempts: ``total`` is null unless every attempt reported it."""

    known_attempts: int
    unknown_attempts: int
    known_sum: float
    total: float | None


class UsageSums(WireStruct, frozen=True, kw_only=True):
    """Tokens as reported, of all attempts."""

    input_tokens: KnownSum
    output_tokens: KnownSum
    cache_read_tokens: KnownSum
    cache_write_tokens: KnownSum
    reasoning_tokens: KnownSum


class Latency(WireStruct, frozen=True, kw_only=True):
    """Milliseconds of attempts with a response; the median is of the known ones and null without any."""

    known_responses: int
    unknown_responses: int
    median_ms: float | None


class FailedResponse(WireStruct, frozen=True, kw_only=True):
    """A response that counts as failed; ``detail`` names the place in it."""

    attempt_id: str
    request_id: str
    selected: bool
    failure: ResponseFailure
    detail: str


class Disagreement(WireStruct, frozen=True, kw_only=True):
    """A question that people answered differently; ``ruleId`` is null for questions about the whole review."""

    rule_id: str | None
    question: Question
    answers: dict[str, bool | int]


class ReviewOutcome(WireStruct, frozen=True, kw_only=True):
    """One planned review, with everything that was said about it."""

    review_run_id: str
    answers: AnswerState
    judgment: JudgmentState
    complete_judgments: int
    failed_responses: tuple[FailedResponse, ...]
    disagreements: tuple[Disagreement, ...]
    human_judgments: tuple[HumanJudgment, ...]
    adjudication: HumanJudgment | None


class LanguageReport(WireStruct, frozen=True, kw_only=True):
    """A condition's reviews in one language."""

    language: Language
    reviews: ReviewCounts
    attempts: AttemptCounts
    facts_preserved: Tally
    intent_preserved: Tally
    harmful_change: Tally
    rules: tuple[RuleReport, ...]
    diagnostics: Diagnostics
    costs: Costs
    usage: UsageSums
    latency: Latency
    outcomes: tuple[ReviewOutcome, ...]


class ConditionReport(WireStruct, frozen=True, kw_only=True):
    """A condition, as declared, and its results in each language."""

    condition_id: str
    candidate_id: str
    cohort_id: str
    strategy_id: str
    provider: str
    requested_model_id: str
    effective_model_id: str
    parameters_sha256: str
    execution_settings: ExecutionSettings
    source_ids: tuple[str, ...]
    repetitions: tuple[int, ...]
    languages: tuple[LanguageReport, ...]


class ReusedAnswer(WireStruct, frozen=True, kw_only=True):
    """The same response under several repetitions of one request.

    Copied, it is no independent evidence; a model may also repeat itself to the letter. A person has to look.
    """

    condition_id: str
    request_id: str
    attempt_ids: tuple[str, ...]


class Report(WireStruct, frozen=True, kw_only=True):
    """The report; the same inputs give the same bytes.

    runContentSha256: of the run with its arrays sorted that have no order. comparableConditions: conditions of equal
    sources, repetitions, scope and execution settings; only within one group is a comparison fair.
    """

    format: Literal["messwerk-review-report/1"]
    notice: str | None
    manifest_sha256: str
    run_content_sha256: str
    evaluator: CodeIdentity
    validator: CodeIdentity
    catalogue_version: str
    provenance: Provenance
    comparable_conditions: tuple[tuple[str, ...], ...]
    reused_answers: tuple[ReusedAnswer, ...]
    conditions: tuple[ConditionReport, ...]
