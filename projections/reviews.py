"""Text reviews as facts: planned reviews, attempts at their requests, what their answers are, what people judged.

A record says more than once how it stands; its newest word counts, which is found when it is asked for, as is what
became of each review: :mod:`projections.queries.review`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar
from uuid import UUID

from projections.contract import EachByItself, Entry, Insertion
from projections.tables import MAYBE_NAME, NAME, Column, Table, TimedRow
from projections.times import utc
from schemas.events import (
    Event,
    ReviewAnswerValidated,
    ReviewAsked,
    ReviewAttemptImported,
    ReviewFileRecorded,
    ReviewJudged,
)
from schemas.events.review import ReviewRequestFacts, ReviewSelection

_NAMES = "Array(String)"


class ReviewPlanRow(TimedRow, frozen=True, kw_only=True):
    """One review that a record plans, as the record stood at ``time``, with the answers chosen until then."""

    record: Annotated[str, Column("String", "record of a run")]
    origin: Annotated[str, Column(NAME, "measured here, or imported from a file")]
    notice: Annotated[str | None, Column("Nullable(String)", "what the run says of itself")]
    condition: Annotated[str, Column(NAME, "condition")]
    candidate: Annotated[str, Column(NAME, "candidate that it is about")]
    provider: Annotated[str, Column(NAME, "provider, as the run names it")]
    model: Annotated[str, Column(NAME, "model that was asked for")]
    cohort: Annotated[str, Column(NAME, "scope of rules")]
    strategy: Annotated[str, Column(NAME, "bundled, or single: a request for each rule")]
    source_text: Annotated[str, Column("String", "id of the text under review")]
    language: Annotated[str, Column(NAME, "de or en")]
    repetition: Annotated[int, Column("UInt32", "repetition")]
    review: Annotated[str, Column("String", "condition/source/rN")]
    rules: Annotated[Sequence[str], Column(_NAMES, "rules of the scope")]
    requests: Annotated[int, Column("UInt32", "requests that it takes")]
    final_attempts: Annotated[Sequence[str], Column(_NAMES, "attempts chosen as its answers; none while not chosen")]
    judges: Annotated[Sequence[str], Column(_NAMES, "persons whose judgments are in force")]
    adjudicator: Annotated[str | None, Column(MAYBE_NAME, "person who adjudicates")]


class ReviewAttemptRow(TimedRow, frozen=True, kw_only=True):
    """One attempt at a request. What is null of one of ours stands in ``attempts``."""

    record: Annotated[str, Column("String", "record of a run")]
    attempt_id: Annotated[str, Column("String", "its id in the run")]
    attempt: Annotated[UUID | None, Column("Nullable(UUID)", "attempt of ours; null of an imported one")]
    review: Annotated[str, Column("String", "condition/source/rN")]
    request_id: Annotated[str, Column("String", "frozen request")]
    sequence: Annotated[int, Column("UInt32", "number at that request within the review")]
    retry_of: Annotated[str | None, Column("Nullable(String)", "attempt that it repeats")]
    status: Annotated[str | None, Column(MAYBE_NAME, "of an imported one: response, error, cancelled, not-completed")]
    cost_usd: Annotated[float | None, Column("Nullable(Float64)", "of an imported one: cost, USD; null is unknown")]


class ReviewAnswerRow(TimedRow, frozen=True, kw_only=True):
    """What the validator found in a response."""

    record: Annotated[str, Column("String", "record of a run")]
    attempt_id: Annotated[str, Column("String", "attempt's id in the run")]
    failure: Annotated[str | None, Column(MAYBE_NAME, "how it failed; null of a valid one")]
    detail: Annotated[str | None, Column("Nullable(String)", "where it failed")]
    decided_rules: Annotated[Sequence[str], Column(_NAMES, "rules that a valid one decides")]
    decisions: Annotated[Sequence[str], Column(_NAMES, "keep, change or needs-evidence, for each of them")]


class ReviewJudgmentRow(TimedRow, frozen=True, kw_only=True):
    """A person's judgment of a review, whole. Arrays have an element a rule; null is not judged yet."""

    record: Annotated[str, Column("String", "record of a run")]
    review: Annotated[str, Column("String", "condition/source/rN")]
    role: Annotated[str, Column(NAME, "judge or adjudicator")]
    reviewer: Annotated[str, Column(NAME, "person")]
    response_set_sha256: Annotated[str, Column("String", "hash of the answers that were judged")]
    finished: Annotated[bool, Column("Bool", "nothing is left to be judged")]
    facts_preserved: Annotated[bool | None, Column("Nullable(Bool)", "facts are preserved")]
    intent_preserved: Annotated[bool | None, Column("Nullable(Bool)", "intent is preserved")]
    harmful_change: Annotated[bool | None, Column("Nullable(Bool)", "an alternative is harmful")]
    judged_rules: Annotated[Sequence[str], Column(_NAMES, "rules")]
    justified: Annotated[Sequence[bool | None], Column("Array(Nullable(Bool))", "its decision is justified")]
    missed: Annotated[Sequence[int | None], Column("Array(Nullable(UInt32))", "issues that were missed")]
    rationale: Annotated[str | None, Column("Nullable(String)", "why, of the review as a whole")]


REVIEW_PLANS = Table(
    name="review_plans",
    row=ReviewPlanRow,
    order_by=("record", "review", "time", "source", "seq"),
    comment="planned text reviews, as their records stood",
)
REVIEW_ATTEMPTS = Table(
    name="review_attempts",
    row=ReviewAttemptRow,
    order_by=("record", "review", "attempt_id", "source", "seq"),
    comment="attempts at the requests of text reviews",
)
REVIEW_ANSWERS = Table(
    name="review_answers",
    row=ReviewAnswerRow,
    order_by=("record", "attempt_id", "source", "seq"),
    comment="what the responses of text reviews are by their form",
)
REVIEW_JUDGMENTS = Table(
    name="review_judgments",
    row=ReviewJudgmentRow,
    order_by=("record", "review", "role", "reviewer", "time", "source", "seq"),
    comment="people's judgments of text reviews, earlier ones too",
)


class Reviews(EachByItself):
    """See the module."""

    name: ClassVar[str] = "reviews"
    tables: ClassVar[tuple[Table, ...]] = (REVIEW_PLANS, REVIEW_ATTEMPTS, REVIEW_ANSWERS, REVIEW_JUDGMENTS)
    reads: ClassVar[tuple[type[Event], ...]] = (
        ReviewFileRecorded,
        ReviewAsked,
        ReviewAttemptImported,
        ReviewAnswerValidated,
        ReviewJudged,
    )

    def rows(self, entry: Entry) -> Iterator[Insertion]:
        """See :class:`EachByItself`."""
        match entry.event:
            case ReviewFileRecorded() as state:
                for plan in _plans(entry, state):
                    yield Insertion(REVIEW_PLANS, plan)
            case ReviewAsked() as asked:
                yield Insertion(REVIEW_ATTEMPTS, _asked(entry, asked))
            case ReviewAttemptImported() as imported:
                yield Insertion(REVIEW_ATTEMPTS, _imported(entry, imported))
            case ReviewAnswerValidated() as validated:
                yield Insertion(REVIEW_ANSWERS, _answer(entry, validated))
            case ReviewJudged() as judged:
                yield Insertion(REVIEW_JUDGMENTS, _judgment(entry, judged))


def _plans(entry: Entry, state: ReviewFileRecorded) -> Iterator[ReviewPlanRow]:
    chosen = {each.review_run_id: each for each in state.reviews}
    nothing = ReviewSelection(
        review_run_id="", final_attempts=(), response_set_sha256="", judges=(), adjudicator=None
    )
    for condition in state.conditions:
        for text in condition.sources:
            for repetition in condition.repetitions:
                review = f"{condition.condition}/{text.id}/r{repetition}"
                selection = chosen.get(review, nothing)
                yield ReviewPlanRow(
                    source=entry.envelope.source,
                    seq=entry.envelope.seq,
                    time=utc(entry.envelope.wall_ns),
                    record=state.record,
                    origin=state.origin,
                    notice=state.notice,
                    condition=condition.condition,
                    candidate=condition.candidate,
                    provider=condition.provider,
                    model=condition.requested_model,
                    cohort=condition.cohort,
                    strategy=condition.strategy,
                    source_text=text.id,
                    language=text.language,
                    repetition=repetition,
                    review=review,
                    rules=condition.rule_ids,
                    requests=1 if condition.strategy == "bundled" else len(condition.rule_ids),
                    final_attempts=selection.final_attempts,
                    judges=selection.judges,
                    adjudicator=selection.adjudicator,
                )


def _asked(entry: Entry, asked: ReviewAsked) -> ReviewAttemptRow:
    return _attempt(entry, asked.about, str(asked.attempt), asked.retry_of, attempt=asked.attempt)


def _imported(entry: Entry, imported: ReviewAttemptImported) -> ReviewAttemptRow:
    return _attempt(
        entry,
        imported.about,
        imported.attempt_id,
        imported.retry_of,
        status=imported.status,
        cost_usd=imported.actual_cost_usd,
    )


def _attempt(
    entry: Entry,
    about: ReviewRequestFacts,
    attempt_id: str,
    retry_of: str | None,
    *,
    attempt: UUID | None = None,
    status: str | None = None,
    cost_usd: float | None = None,
) -> ReviewAttemptRow:
    return ReviewAttemptRow(
        source=entry.envelope.source,
        seq=entry.envelope.seq,
        time=utc(entry.envelope.wall_ns),
        record=about.record,
        attempt_id=attempt_id,
        attempt=attempt,
        review=about.review_run_id,
        request_id=about.request_id,
        sequence=about.sequence,
        retry_of=retry_of,
        status=status,
        cost_usd=cost_usd,
    )


def _answer(entry: Entry, validated: ReviewAnswerValidated) -> ReviewAnswerRow:
    return ReviewAnswerRow(
        source=entry.envelope.source,
        seq=entry.envelope.seq,
        time=utc(entry.envelope.wall_ns),
        record=validated.record,
        attempt_id=validated.attempt_id,
        failure=validated.failure,
        detail=validated.detail,
        decided_rules=tuple(each.rule_id for each in validated.decisions),
        decisions=tuple(each.decision for each in validated.decisions),
    )


def _judgment(entry: Entry, judged: ReviewJudged) -> ReviewJudgmentRow:
    return ReviewJudgmentRow(
        source=entry.envelope.source,
        seq=entry.envelope.seq,
        time=utc(entry.envelope.wall_ns),
        record=judged.record,
        review=judged.review_run_id,
        role=judged.role,
        reviewer=judged.reviewer,
        response_set_sha256=judged.response_set_sha256,
        finished=judged.finished,
        facts_preserved=judged.facts_preserved,
        intent_preserved=judged.intent_preserved,
        harmful_change=judged.harmful_change,
        judged_rules=tuple(each.rule_id for each in judged.rules),
        justified=tuple(each.decision_justified for each in judged.rules),
        missed=tuple(each.missed_issue_count for each in judged.rules),
        rationale=judged.rationale,
    )
