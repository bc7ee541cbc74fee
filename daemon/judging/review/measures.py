"""What a report counts over the planned reviews of one condition and language; each measure stands alone."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from daemon.judging.review.logic import Settled
from daemon.judging.review.outcomes import Outcome
from daemon.judging.review.validation import FailedAnswer
from schemas.review.answers import ReviewAnswer
from schemas.review.report import (
    AttemptCounts,
    Costs,
    Diagnostics,
    KnownSum,
    Latency,
    ReviewCounts,
    RuleReport,
    Tally,
    UsageSums,
)
from schemas.review.run import Attempt
from schemas.review.sources import Label


def review_counts(outcomes: Sequence[Outcome]) -> ReviewCounts:
    """Count planned reviews by what became of them."""
    answers = Counter(each.answers for each in outcomes)
    judgments = Counter(each.judgment for each in outcomes)
    return ReviewCounts(
        planned=len(outcomes),
        missing=answers["missing"],
        invalid=answers["invalid"],
        incomplete=answers["incomplete"],
        complete=answers["complete"],
        unjudged=judgments["unjudged"],
        disputed=judgments["disputed"],
        rejected=judgments["rejected"],
        editorially_accepted=judgments["accepted"],
        accepted_complete=sum(each.answers == "complete" and each.judgment == "accepted" for each in outcomes),
        with_disagreement=sum(each.disputed for each in outcomes),
        adjudicated=sum(each.adjudicated for each in outcomes),
    )


def attempt_counts(outcomes: Sequence[Outcome]) -> AttemptCounts:
    """Count every attempt by what became of it."""
    attempts = [each for outcome in outcomes for each in outcome.attempts]
    statuses = Counter(each.attempt.status for each in attempts)
    failures = Counter(each.result.failure for each in attempts if isinstance(each.result, FailedAnswer))
    return AttemptCounts(
        submitted=len(attempts),
        selected=sum(each.selected for each in attempts),
        retries=sum(each.attempt.retry_of is not None for each in attempts),
        response=statuses["response"],
        error=statuses["error"],
        cancelled=statuses["cancelled"],
        not_completed=statuses["not-completed"],
        valid_response=sum(isinstance(each.result, ReviewAnswer) for each in attempts),
        failed_response={
            "invalid-json": failures["invalid-json"],
            "unsupported-structure": failures["unsupported-structure"],
            "stale-source": failures["stale-source"],
            "missing-rule": failures["missing-rule"],
            "inexact-range": failures["inexact-range"],
        },
    )


def tally(answers: Iterable[Settled], *, yes: Settled = "pass") -> Tally:
    """Count settled answers; ``yes`` is ``fail`` where the question asks for what is bad."""
    counts = Counter(answers)
    return Tally(
        yes=counts[yes],
        no=counts["fail" if yes == "pass" else "pass"],
        not_judged=counts["not-judged"],
        disputed=counts["disputed"],
    )


def rule_report(outcomes: Sequence[Outcome], rule_id: str) -> RuleReport:
    """Count decisions on a rule and how people judged them."""
    decisions = Counter(
        rule.decision for outcome in outcomes for rule in outcome.rule_answers if rule.rule_id == rule_id
    )
    rules = [outcome.rules[rule_id] for outcome in outcomes]
    counts = [rule.missed_issue_count for rule in rules if rule.missed_issue_count is not None]
    return RuleReport(
        rule_id=rule_id,
        decisions={
            "keep": decisions["keep"],
            "change": decisions["change"],
            "needs-evidence": decisions["needs-evidence"],
        },
        decision_justified=tally(rule.decision_justified for rule in rules),
        missed_issues=tally((rule.none_missed for rule in rules), yes="fail"),
        missed_issue_count=sum(counts) if counts else None,
    )


def diagnostics(outcomes: Sequence[Outcome], labels: Mapping[str, Sequence[Label]]) -> Diagnostics:
    """Compare findings with the labels of each review's source: rule, quotation and range must be equal.

    precision = matched / predicted, recall = matched / expected; null over nothing.
    """
    matched = predicted = expected = 0
    for outcome in outcomes:
        found = {
            (rule.rule_id, finding.quote, finding.start, finding.end)
            for rule in outcome.rule_answers
            for finding in rule.findings
        }
        known = {
            (label.rule_id, label.quote, label.start, label.end)
            for label in labels[outcome.plan.source.source_id]
            if label.rule_id in outcome.plan.cohort.rule_ids
        }
        matched += len(found & known)
        predicted += len(found)
        expected += len(known)
    return Diagnostics(
        matched=matched,
        predicted=predicted,
        expected=expected,
        precision=matched / predicted if predicted else None,
        recall=matched / expected if expected else None,
    )


def costs(outcomes: Sequence[Outcome], accepted_complete: int) -> Costs:
    """Add up what all attempts cost in US dollars, and divide it by the accepted complete reviews.

    Amounts are added as the decimal numbers that they were written as, so that their order does not matter.
    """
    known = _known(each.actual_cost_usd for each in _attempts(outcomes))
    total = known.total
    return Costs(
        attempts=known.known_attempts + known.unknown_attempts,
        attempts_of_unknown_cost=known.unknown_attempts,
        known_cost_usd=known.known_sum,
        total_cost_usd=total,
        cost_per_accepted_complete_review_usd=None
        if total is None or accepted_complete == 0
        else total / accepted_complete,
    )


def usage_sums(outcomes: Sequence[Outcome]) -> UsageSums:
    """Add up tokens as they were reported."""
    usages = [each.usage for each in _attempts(outcomes)]
    return UsageSums(
        input_tokens=_known(None if each is None else each.input_tokens for each in usages),
        output_tokens=_known(None if each is None else each.output_tokens for each in usages),
        cache_read_tokens=_known(None if each is None else each.cache_read_tokens for each in usages),
        cache_write_tokens=_known(None if each is None else each.cache_write_tokens for each in usages),
        reasoning_tokens=_known(None if each is None else each.reasoning_tokens for each in usages),
    )


def latency(outcomes: Sequence[Outcome]) -> Latency:
    """Give the median time of attempts with a response, in milliseconds."""
    times = [each.latency_ms for each in _attempts(outcomes) if each.status == "response"]
    known = [each for each in times if each is not None]
    return Latency(
        known_responses=len(known),
        unknown_responses=len(times) - len(known),
        median_ms=statistics.median(known) if known else None,
    )


def _attempts(outcomes: Iterable[Outcome]) -> list[Attempt]:
    return [each.attempt for outcome in outcomes for each in outcome.attempts]


def _as_written(amount: float) -> Fraction:
    """Take a double for the decimal number that it was written as: sums are exact, and three times 0.1 is 0.3."""
    return Fraction(repr(amount))


def _known(values: Iterable[float | None]) -> KnownSum:
    every = list(values)
    known = [value for value in every if value is not None]
    total = float(sum(map(_as_written, known), Fraction()))
    return KnownSum(
        known_attempts=len(known),
        unknown_attempts=len(every) - len(known),
        known_sum=total,
        total=total if len(known) == len(every) else None,
    )
