"""Rows of expert tasks and text reviews: what a second expert had read, whose verdicts, what a record plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from made_events import NOON
from made_review import ReviewExample, prepared, small_example
from made_rubric_log import ANNA, RubricLog, arbiter, task

from daemon.review.importing import import_events
from projections.contract import AnyProjection
from projections.folding import fold_batch
from projections.reviews import Reviews
from projections.rubric_attempts import RubricAttempts
from projections.rubric_judgments import RubricJudgments
from schemas.definitions import Definitions
from schemas.log import StoredEvent

FOLDED: tuple[AnyProjection, ...] = (RubricAttempts(), RubricJudgments(), Reviews())


def rows(events: Sequence[StoredEvent]) -> dict[str, Any]:
    return dict(fold_batch(events, FOLDED, {}, Definitions()).rows)


def test_an_ask_says_what_a_second_expert_had_read() -> None:
    """Read, written as an example, or neither: an ask is a row with its criteria in the rubric's order."""
    log = RubricLog()
    log.ask(task("vat"))
    log.ask(task("vat", example=True), reader=None)
    log.ask(task("vat"), reader=None)
    asked = rows(log.events)["rubric_attempts"]
    assert [(row.standing, row.reader) for row in asked] == [("read", "anna"), ("example", None), ("unread", None)]
    assert asked[0].criteria == ("debtor", "amount", "citation", "deadline")
    assert asked[0].criticals == (True, True, False, False)


def test_a_verdict_says_who_gave_it() -> None:
    """A model's verdict names the model, a person's none; verdicts of other suites have no row here."""
    log = RubricLog()
    attempt = log.ask(task())
    log.judge(attempt, task(), {"debtor": True}, ANNA)
    log.judge(attempt, task(), {"debtor": "no-plain-verdict"}, arbiter())
    person, model = rows(log.events)["rubric_judgments"]
    assert (person.judge, person.judge_kind, person.judge_model, person.verdict) == ("anna", "person", None, True)
    assert (model.judge_model, model.verdict, model.category) == ("arbiter-large", None, "no-plain-verdict")
    assert (person.subject, person.attempt) == ("cases/vat/en/debtor", attempt)


def imported(example: ReviewExample) -> dict[str, Any]:
    log = RubricLog()
    for event in import_events(
        example.evidence(),
        {},
        "editors",
        validator=example.frozen.validator,
        text_of=lambda _: None,
        new_id=log.new_id,
    ):
        log.add(event, NOON)
    return rows(log.events)


def test_a_record_plans_every_source_and_repetition() -> None:
    """Each planned review is a row, chosen or not, with the requests that it takes and the judges in force."""
    example = small_example(prepared())
    example.condition("apart", strategy="single", sources=("source-001",), repetitions=(1, 2))
    found = imported(example)
    plans = {row.review: row for row in found["review_plans"]}
    assert sorted(plans) == [
        "apart/source-001/r1",
        "apart/source-001/r2",
        "small/source-001/r1",
        "small/source-016/r1",
    ]
    assert [plans[name].requests for name in sorted(plans)] == [6, 6, 1, 1]
    judged, waiting = plans["small/source-001/r1"], plans["apart/source-001/r1"]
    assert (judged.judges, judged.adjudicator, len(judged.final_attempts)) == (
        ("editor-01", "editor-02"),
        "editor-03",
        1,
    )
    assert (waiting.judges, waiting.adjudicator, waiting.final_attempts) == ((), None, ())
    assert {row.role for row in found["review_judgments"]} == {"judge", "adjudicator"}
    assert [row.status for row in found["review_attempts"]] == ["error", "response", "response"]
    assert [row.failure for row in found["review_answers"]] == [None, None]
