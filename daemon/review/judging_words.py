"""What a person is shown of a review: source, context, decisions, every alternative. No model, condition or label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from daemon.judging.review.outcomes import Outcome
from schemas.review.answers import RuleAnswer
from schemas.review.report import Disagreement
from schemas.review.run import HumanJudgment
from schemas.review.sources import ReviewRule

INSTRUCTIONS = """\
You are asked about each rule, then about the review as a whole. Judge by the source, its context and every
alternative: one that is bad counts, however good another is. What you answered is kept, and you go on where you left.
y yes, n no, ? the review again, q leave."""

ABOUT_RULE = {
    "justified": "Is this decision appropriate for this rule and context? (y/n)",
    "missed": "How many relevant problems of this rule does the review not deal with? (0, 1, …)",
    "rationale": "Why, in a sentence or two",
}
ABOUT_REVIEW = {
    "facts_preserved": "Facts: do all alternatives and reasons keep the given facts, and claim nothing more? (y/n)",
    "intent_preserved": "Intent: does the review keep the source's purpose, audience and intended meaning? (y/n)",
    "harmful_change": "Harm: could any alternative impair accuracy, intent or what readers can do? (y/n)",
    "rationale": "The review as a whole: why, in a sentence or two",
}


def review_lines(outcome: Outcome, rules: Mapping[str, ReviewRule], place: int, of: int) -> Iterator[str]:
    """Show a whole review; quotations with their ranges in UTF-16 code units."""
    source = outcome.plan.source
    yield f"\n{'=' * 78}\nReview {place} of {of}, {source.language}"
    yield f"kind: {source.context.kind}\npurpose: {source.context.purpose}\naudience: {source.context.audience}"
    yield from (f"fact: {fact}" for fact in source.context.facts)
    yield f"\n--- Source ---\n{source.text}\n--- Review ---"
    answers = {answer.rule_id: answer for answer in outcome.rule_answers}
    for name in outcome.plan.cohort.rule_ids:
        yield from rule_lines(outcome, answers[name], rules[name])


def rule_lines(outcome: Outcome, answer: RuleAnswer, rule: ReviewRule) -> Iterator[str]:
    """Show the answer for one rule, with the rule."""
    told = rule.told(outcome.plan.source.language)
    yield f"\n{told.title} ({rule.rule_id})\n  asked:    {told.question}\n  keep when: {told.keep_when}"
    yield f"  decision: {answer.decision}\n  reason:   {answer.reason}"
    if answer.evidence_needed is not None:
        yield f"  needed:   {answer.evidence_needed}"
    for finding in answer.findings:
        yield f"  at {finding.start} to {finding.end}: “{finding.quote}”"
        yield from (f"    alternative {number}: {text}" for number, text in enumerate(finding.alternatives, 1))


def disagreement_lines(outcome: Outcome) -> Iterator[str]:
    """Show where people judged differently, and what each of them wrote."""
    yield "\n--- Disagreement ---"
    originals = () if outcome.review is None else outcome.review.human_judgments
    for each in outcome.disagreements:
        about = "the review" if each.rule_id is None else each.rule_id
        answers = ", ".join(f"{name} {_said(said)}" for name, said in each.answers.items())
        yield f"{about}, {each.question}: {answers}"
        for judgment in originals:
            why = _rationale(judgment, each)
            if why:
                yield f"    {judgment.reviewer_id}: {why}"


def judgment_lines(judgment: HumanJudgment) -> Iterator[str]:
    """Show a judgment for a last look."""
    yield "\n--- Your judgment ---"
    for rule in judgment.rule_judgments:
        yield (
            f"{rule.rule_id}: decision {_justified(rule.decision_justified)}, {rule.missed_issue_count} missed; "
            f"{rule.rationale}"
        )
    yield (
        f"facts preserved {_said(judgment.facts_preserved)}, intent preserved {_said(judgment.intent_preserved)}, "
        f"harmful change {_said(judgment.harmful_change)}; {judgment.rationale}"
    )


def _said(value: bool | int | None) -> str:  # noqa: FBT001  # an answer is what this is about
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "open" if value is None else str(value)


def _justified(value: bool | None) -> str:  # noqa: FBT001  # the same
    return {True: "justified", False: "not justified", None: "open"}[value]


def _rationale(judgment: HumanJudgment, about: Disagreement) -> str | None:
    if about.rule_id is None:
        return judgment.rationale
    return next((rule.rationale for rule in judgment.rule_judgments if rule.rule_id == about.rule_id), None)
