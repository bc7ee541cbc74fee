"""How a report on text reviews is told in a terminal: every dimension in a line of its own. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.review.report import ConditionReport, LanguageReport, Report, Tally


def report_lines(report: Report) -> list[str]:
    """Tell a report; ratios come with their counts, and what is unknown is called so."""
    lines = [report.notice] if report.notice else []
    for condition in report.conditions:
        for part in condition.languages:
            lines += ["", *_part(condition, part)]
    if report.comparable_conditions:
        lines += ["", *(f"may be compared: {', '.join(group)}" for group in report.comparable_conditions)]
    for reused in report.reused_answers:
        lines.append(
            f"the same answer under several repetitions: {', '.join(reused.attempt_ids)} ({reused.condition_id}, "
            f"{reused.request_id})"
        )
    return lines or ["no condition is declared"]


def _part(condition: ConditionReport, part: LanguageReport) -> Iterator[str]:
    reviews, found, costs = part.reviews, part.diagnostics, part.costs
    yield f"{condition.condition_id}, {condition.cohort_id}, {condition.strategy_id}, {part.language}:"
    yield (
        f"  planned reviews {reviews.planned}: missing {reviews.missing}, invalid {reviews.invalid}, "
        f"incomplete {reviews.incomplete}, complete {reviews.complete}"
    )
    yield (
        f"  judged: unjudged {reviews.unjudged}, disputed {reviews.disputed}, rejected {reviews.rejected}, "
        f"editorially accepted {reviews.editorially_accepted}"
    )
    yield f"  accepted complete {reviews.accepted_complete}"
    yield f"  with disagreement {reviews.with_disagreement}, adjudicated {reviews.adjudicated}"
    yield f"  facts preserved: {_tally(part.facts_preserved)}"
    yield f"  intent preserved: {_tally(part.intent_preserved)}"
    yield f"  harmful change: {_tally(part.harmful_change)}"
    yield (
        f"  attempts {part.attempts.submitted}: valid responses {part.attempts.valid_response}, failed responses "
        f"{sum(part.attempts.failed_response.values())}, without a response "
        f"{part.attempts.submitted - part.attempts.response}"
    )
    yield (
        f"  against labels: precision {_share(found.precision)} ({found.matched} of {found.predicted} predicted), "
        f"recall {_share(found.recall)} ({found.matched} of {found.expected} expected)"
    )
    yield (
        f"  cost in USD: total {_amount(costs.total_cost_usd)}, known part {_amount(costs.known_cost_usd)}, "
        f"attempts of unknown cost {costs.attempts_of_unknown_cost} of {costs.attempts}"
    )
    each = _amount(costs.cost_per_accepted_complete_review_usd) if reviews.accepted_complete else "none was accepted"
    yield f"  cost per accepted complete review in USD: {each}"


def _tally(tally: Tally) -> str:
    return f"yes {tally.yes}, no {tally.no}, not judged {tally.not_judged}, disputed {tally.disputed}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _amount(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.6g}"
