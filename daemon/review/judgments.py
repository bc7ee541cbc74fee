"""A person's judgment of a review: as an event and back, and its verdicts one by one. Pure.

The whole judgment is ``review-judged``. Each question that was answered is a ``judgment-recorded`` of suite
``review`` besides, whose verdict is the answer to the question by its name: for ``harmful-change`` and
``missed-issues`` true is the bad one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final
from uuid import UUID

from daemon.judging.review.review_checks import finished
from daemon.review.conditions import alike
from schemas.events import JudgmentRecorded, ReviewJudged
from schemas.events.judgments import Judge, Subject
from schemas.events.review import ReviewRole, ReviewRuleJudged
from schemas.review.run import HumanJudgment, RuleJudgment

SUITE: Final = "review"
INSTRUCTIONS_VERSION: Final = "1"
"""Of what people are asked."""


def recorded_judgment(judgment: HumanJudgment, record: str, review_run_id: str, role: ReviewRole) -> ReviewJudged:
    """Say a judgment as an event."""
    return ReviewJudged(
        record=record,
        review_run_id=review_run_id,
        role=role,
        reviewer=judgment.reviewer_id,
        method=judgment.method,
        response_set_sha256=judgment.response_set_sha256,
        alternative_scope=judgment.alternative_scope,
        finished=finished(judgment),
        facts_preserved=judgment.facts_preserved,
        intent_preserved=judgment.intent_preserved,
        harmful_change=judgment.harmful_change,
        rules=tuple(alike(rule, ReviewRuleJudged) for rule in judgment.rule_judgments),
        rationale=judgment.rationale,
    )


def judgment_of(recorded: ReviewJudged) -> HumanJudgment:
    """Return a judgment as the run file has it."""
    return HumanJudgment(
        reviewer_id=recorded.reviewer,
        method=recorded.method,
        response_set_sha256=recorded.response_set_sha256,
        alternative_scope=recorded.alternative_scope,
        facts_preserved=recorded.facts_preserved,
        intent_preserved=recorded.intent_preserved,
        harmful_change=recorded.harmful_change,
        rule_judgments=tuple(alike(rule, RuleJudgment) for rule in recorded.rules),
        rationale=recorded.rationale,
    )


def verdicts(
    judged: ReviewJudged, known: Iterable[JudgmentRecorded], new_id: Callable[[], UUID]
) -> tuple[JudgmentRecorded, ...]:
    """Give the verdicts of a judgment that are not in force yet, each superseding the person's earlier one.

    known: verdicts of suite ``review``, in order of the log. What was answered and is open again becomes a verdict
    that is null.
    """
    judge = Judge(
        kind="person",
        name=judged.reviewer,
        version=INSTRUCTIONS_VERSION,
        parameters={"role": judged.role, "method": judged.method, "alternative_scope": judged.alternative_scope},
    )
    before = {each.subject.id: each for each in known if each.suite == SUITE and each.judge == judge}
    made = []
    for aspect, verdict, reason in _answers(judged):
        subject = Subject(
            kind="review",
            id=f"{judged.record}/{judged.review_run_id}/{aspect}",
            sha256=judged.response_set_sha256,
        )
        earlier = before.get(subject.id)
        if earlier is None and verdict is None:
            continue
        if earlier is not None and (earlier.subject, earlier.verdict, earlier.reason) == (subject, verdict, reason):
            continue
        made.append(
            JudgmentRecorded(
                judgment=new_id(),
                suite=SUITE,
                subject=subject,
                judge=judge,
                verdict=verdict,
                reason=reason,
                supersedes=None if earlier is None else earlier.judgment,
            )
        )
    return tuple(made)


def _answers(judged: ReviewJudged) -> Iterator[tuple[str, bool | None, str | None]]:
    yield "facts-preserved", judged.facts_preserved, judged.rationale
    yield "intent-preserved", judged.intent_preserved, judged.rationale
    yield "harmful-change", judged.harmful_change, judged.rationale
    for rule in judged.rules:
        yield f"{rule.rule_id}/decision-justified", rule.decision_justified, rule.rationale
        missed = None if rule.missed_issue_count is None else rule.missed_issue_count > 0
        yield f"{rule.rule_id}/missed-issues", missed, rule.rationale
