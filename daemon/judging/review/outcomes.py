"""What became of each planned review: its answers' state, how people's judgments settle, where they disagree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from daemon.judging.review.logic import Settled, negated, none_missed, review_state, settled
from daemon.judging.review.planning import PlannedReview
from daemon.judging.review.review_checks import finished
from daemon.judging.review.validation import FailedAnswer, validate_model_response
from schemas.review.answers import ReviewAnswer, RuleAnswer
from schemas.review.kinds import AnswerState, JudgmentState
from schemas.review.report import Disagreement, Question
from schemas.review.run import Attempt, HumanJudgment, Review, RuleJudgment


class CheckedAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt, whether it is one of its review's answers, and what its response is; None without one."""

    attempt: Attempt
    selected: bool
    result: ReviewAnswer | FailedAnswer | None


class SettledRule(msgspec.Struct, frozen=True, kw_only=True):
    """How people's judgments of one rule settle; the count where it is known and the same for all."""

    decision_justified: Settled
    none_missed: Settled
    missed_issue_count: int | None


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is known of one planned review.

    harmless: whether no alternative is harmful. complete_judgments: finished ones, without the adjudication.
    """

    plan: PlannedReview
    attempts: tuple[CheckedAttempt, ...]
    answers: AnswerState
    judgment: JudgmentState
    facts_preserved: Settled
    intent_preserved: Settled
    harmless: Settled
    rules: Mapping[str, SettledRule]
    disagreements: tuple[Disagreement, ...]
    complete_judgments: int
    adjudicated: bool
    review: Review | None

    @property
    def rule_answers(self) -> Iterator[RuleAnswer]:
        """Every rule's answer in the valid selected responses."""
        for each in self.attempts:
            if each.selected and isinstance(each.result, ReviewAnswer):
                yield from each.result.rules

    @property
    def disputed(self) -> bool:
        """Whether people judged differently, also where it was settled since."""
        return bool(self.disagreements)


def outcome_of(plan: PlannedReview, attempts: Sequence[Attempt], review: Review | None) -> Outcome:
    """Find what became of a planned review, from all its attempts and its entry, which must have been checked."""
    chosen = frozenset(review.final_attempt_ids if review else ())
    checked = tuple(
        CheckedAttempt(
            attempt=each,
            selected=each.attempt_id in chosen,
            result=None
            if each.response is None
            else validate_model_response(each.response, plan.requests[each.request_id], plan.source),
        )
        for each in attempts
    )
    answers = _answer_state(checked, len(plan.requests))
    originals = review.human_judgments if review else ()
    final = review.adjudication if review else None
    adjudicated = final is not None and finished(final)
    in_force = (final,) if final is not None and adjudicated else originals
    facts = settled(each.facts_preserved for each in in_force)
    intent = settled(each.intent_preserved for each in in_force)
    harmless = settled(negated(each.harmful_change) for each in in_force)
    rules = {name: _settled_rule(in_force, name) for name in plan.cohort.rule_ids}
    judgeable = answers in ("incomplete", "complete")
    questions = [facts, intent, harmless]
    questions += [part for rule in rules.values() for part in (rule.decision_justified, rule.none_missed)]
    return Outcome(
        plan=plan,
        attempts=checked,
        answers=answers,
        judgment=review_state(questions) if judgeable else "not-judgeable",
        facts_preserved=facts,
        intent_preserved=intent,
        harmless=harmless,
        rules=rules,
        disagreements=tuple(_disagreements(originals, plan.cohort.rule_ids)),
        complete_judgments=sum(map(finished, originals)),
        adjudicated=adjudicated,
        review=review,
    )


def _answer_state(attempts: Sequence[CheckedAttempt], requests: int) -> AnswerState:
    """Tell the state: a failed response decides; else a missing one; else whether some rule needs evidence."""
    results = [each.result for each in attempts if each.selected]
    if any(isinstance(result, FailedAnswer) for result in results):
        return "invalid"
    answers = [result for result in results if isinstance(result, ReviewAnswer)]
    if len(answers) < requests:
        return "missing"
    undecided = any(rule.decision == "needs-evidence" for answer in answers for rule in answer.rules)
    return "incomplete" if undecided else "complete"


def _settled_rule(judgments: Sequence[HumanJudgment], rule_id: str) -> SettledRule:
    entries = [_entry(judgment, rule_id) for judgment in judgments]
    counts = {entry.missed_issue_count for entry in entries}
    return SettledRule(
        decision_justified=settled(entry.decision_justified for entry in entries),
        none_missed=settled(none_missed(entry.missed_issue_count) for entry in entries),
        missed_issue_count=counts.pop() if len(counts) == 1 else None,
    )


def _entry(judgment: HumanJudgment, rule_id: str) -> RuleJudgment:
    return next(rule for rule in judgment.rule_judgments if rule.rule_id == rule_id)


def _disagreements(judgments: Sequence[HumanJudgment], rule_ids: Sequence[str]) -> Iterator[Disagreement]:
    yield from _differing(None, "factsPreserved", {each.reviewer_id: each.facts_preserved for each in judgments})
    yield from _differing(None, "intentPreserved", {each.reviewer_id: each.intent_preserved for each in judgments})
    yield from _differing(None, "harmfulChange", {each.reviewer_id: each.harmful_change for each in judgments})
    for name in rule_ids:
        entries = {judgment.reviewer_id: _entry(judgment, name) for judgment in judgments}
        justified = {person: entry.decision_justified for person, entry in entries.items()}
        yield from _differing(name, "decisionJustified", justified)
        missed = {person: entry.missed_issue_count for person, entry in entries.items()}
        yield from _differing(name, "missedIssueCount", missed)


def _differing(
    rule_id: str | None, question: Question, answers: Mapping[str, bool | int | None]
) -> Iterator[Disagreement]:
    """Give a disagreement where people's answers, as far as they gave one, are not all the same."""
    given = {person: value for person, value in sorted(answers.items()) if value is not None}
    if len(set(given.values())) > 1:
        yield Disagreement(rule_id=rule_id, question=question, answers=given)
