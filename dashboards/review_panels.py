"""Panels on text reviews, for the dashboard Rubrics and reviews: what became of what was planned, and its cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dashboards.panels import Link, Panel, Table, TableColumn, VariableName

_REVIEWS: Final[Mapping[str, VariableName]] = {"language": "text_language"}
_OUTCOMES: Final = "What becomes of planned reviews"
_NO_REVIEWS: Final = "No text review was measured or imported yet: messwerk review run, messwerk review import."

_CONDITION: Final = (
    TableColumn(title="Condition", column="condition", badge="simulated"),
    TableColumn(title="Record", column="record"),
    TableColumn(title="Language", column="language"),
)

REVIEW_OUTCOMES: Final = Panel(
    id="review-outcomes",
    title="Text reviews: outcomes by condition and language",
    description="Of all planned reviews. Conditions compare only with equal texts, scope, repetitions and settings.",
    definition=_OUTCOMES,
    query="review-outcomes",
    parameters=_REVIEWS,
    window="as the record stands",
    when_empty=_NO_REVIEWS,
    visualisation=Table(
        columns=(
            *_CONDITION,
            TableColumn(title="Planned", column="planned"),
            TableColumn(title="Missing", column="missing"),
            TableColumn(title="Invalid", column="invalid"),
            TableColumn(title="Incomplete", column="incomplete"),
            TableColumn(title="Complete", column="complete"),
            TableColumn(title="Unjudged", column="unjudged"),
            TableColumn(title="Disputed", column="disputed"),
            TableColumn(title="Rejected", column="rejected"),
            TableColumn(title="Accepted", column="accepted"),
            TableColumn(title="Accepted complete", column="accepted_complete"),
            TableColumn(title="Adjudicated", column="adjudicated"),
            TableColumn(title="Model", column="model"),
            TableColumn(title="Scope", column="cohort"),
            TableColumn(title="Strategy", column="strategy"),
            TableColumn(title="Origin", column="origin"),
            TableColumn(title="Notice", column="notice"),
            TableColumn(title="Recorded", column="newest"),
        )
    ),
)

REVIEW_COSTS: Final = Panel(
    id="review-costs",
    title="What an accepted complete review costs",
    description="All attempts, each once, failed ones too. Unknown stays unknown; what is known stands beside.",
    definition="Cost per accepted complete review",
    query="review-outcomes",
    parameters=_REVIEWS,
    window="as the record stands",
    when_empty=_NO_REVIEWS,
    visualisation=Table(
        columns=(
            *_CONDITION,
            TableColumn(title="Per accepted complete review", column="usd_per_accepted_complete"),
            TableColumn(title="Accepted complete", column="accepted_complete"),
            TableColumn(title="All attempts", column="total_usd"),
            TableColumn(title="Known part", column="known_usd"),
            TableColumn(title="Unknown costs", column="unknown_costs"),
            TableColumn(title="Attempts", column="attempts"),
            TableColumn(title="Retries", column="retries"),
            TableColumn(title="Failed responses", column="failed_responses"),
            TableColumn(title="No JSON", column="invalid_json"),
            TableColumn(title="Structure", column="unsupported_structure"),
            TableColumn(title="Stale source", column="stale_source"),
            TableColumn(title="Missing rule", column="missing_rule"),
            TableColumn(title="Inexact range", column="inexact_range"),
            TableColumn(title="Errors", column="errors"),
            TableColumn(title="Cancelled", column="cancelled"),
            TableColumn(title="Not completed", column="not_completed"),
        )
    ),
)

REVIEWS: Final = Panel(
    id="reviews",
    title="Planned reviews",
    description="What became of each, and what people answered differently.",
    definition=_OUTCOMES,
    query="reviews",
    parameters=_REVIEWS,
    window="as the record stands",
    when_empty=_NO_REVIEWS,
    visualisation=Table(
        columns=(
            *_CONDITION,
            TableColumn(title="Text", column="source_text"),
            TableColumn(title="Repetition", column="repetition"),
            TableColumn(title="Answers", column="answers"),
            TableColumn(title="Judgment", column="judgment"),
            TableColumn(title="Facts", column="facts"),
            TableColumn(title="Intent", column="intent"),
            TableColumn(title="Harmless", column="harmless"),
            TableColumn(title="Judged by", column="reviewers"),
            TableColumn(title="Finished", column="complete_judgments"),
            TableColumn(title="Differ on", column="disagreed_on"),
            TableColumn(title="Adjudicated", column="adjudicated"),
            TableColumn(title="Attempts", column="attempts"),
            TableColumn(title="Failed responses", column="failed_responses"),
        )
    ),
)

FAILED_RESPONSES: Final = Panel(
    id="review-failed-responses",
    title="Failed responses",
    description="By their form alone; each stays in the counts above.",
    definition="Failed response",
    query="review-failed-responses",
    parameters=_REVIEWS,
    window="as the record stands",
    when_empty="No response failed.",
    links=(Link(column="attempt", target="attempt", value="attempt"),),
    visualisation=Table(
        columns=(
            *_CONDITION,
            TableColumn(title="Review", column="review"),
            TableColumn(title="Request", column="request_id"),
            TableColumn(title="Failure", column="failure"),
            TableColumn(title="Where", column="detail"),
            TableColumn(title="Chosen", column="selected"),
            TableColumn(title="Attempt", column="attempt"),
        )
    ),
)

PANELS: Final = (REVIEW_OUTCOMES, REVIEW_COSTS, REVIEWS, FAILED_RESPONSES)
