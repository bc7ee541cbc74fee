"""Whether reviews select one attempt per request, and judgments are bound, whole in form and reasoned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from daemon.judging.review.hashes import response_set_sha256
from daemon.judging.review.planning import PlannedReview
from schemas.review.refusals import RefusalRule, ReviewRefusedError
from schemas.review.run import Attempt, HumanJudgment, Review, RuleJudgment, Run

METHOD = "independent-human-review"
ALTERNATIVE_SCOPE = "all-produced-alternatives"


class _At:
    """Where in a review something stands, for refusals about it."""

    def __init__(self, file: str, place: str, review: Review) -> None:
        self.file, self.place, self.review = file, place, review

    def below(self, field: str) -> _At:
        return _At(self.file, f"{self.place}.{field}", self.review)

    def refused(self, rule: RefusalRule, problem: str, todo: str) -> ReviewRefusedError:
        return ReviewRefusedError(
            rule,
            file=self.file,
            place=self.place,
            problem=f"review {self.review.review_run_id}: {problem}",
            todo=todo,
        )


def check_reviews(run: Run, planned: Mapping[str, PlannedReview], *, file: str) -> None:
    """Refuse the first review that breaks a rule; attempts must have been checked."""
    attempts = {attempt.attempt_id: attempt for attempt in run.attempts}
    seen: set[str] = set()
    for index, review in enumerate(run.reviews):
        at = _At(file, f"reviews[{index}]", review)
        plan = planned.get(review.review_run_id)
        if plan is None:
            raise at.below("reviewRunId").refused(
                "unplanned-attempt", "no condition plans it", "write it as condition/source/rN"
            )
        if review.review_run_id in seen:
            raise at.below("reviewRunId").refused(
                "final-attempts", "it has two entries", "keep one entry, with all judgments in it"
            )
        seen.add(review.review_run_id)
        _check_final(at.below("finalAttemptIds"), attempts, plan)
        bound = response_set_sha256(review.final_attempt_ids, map(attempts.__getitem__, review.final_attempt_ids))
        for number, judgment in enumerate(review.human_judgments):
            _check_judgment(at.below(f"humanJudgments[{number}]"), judgment, plan, bound)
        if review.adjudication is not None:
            _check_judgment(at.below("adjudication"), review.adjudication, plan, bound)
        _check_people(at)


def finished(judgment: HumanJudgment) -> bool:
    """Tell whether nothing in a judgment is left to be judged."""
    return None not in (judgment.facts_preserved, judgment.intent_preserved, judgment.harmful_change) and not any(
        rule.decision_justified is None or rule.missed_issue_count is None for rule in judgment.rule_judgments
    )


def _check_final(at: _At, attempts: Mapping[str, Attempt], plan: PlannedReview) -> None:
    todo = "choose one attempt of this review for each of its requests, before anybody judges"
    chosen: Counter[str] = Counter()
    for name in at.review.final_attempt_ids:
        attempt = attempts.get(name)
        if attempt is None or attempt.review_run_id != plan.review_run_id:
            raise at.refused("final-attempts", f"{name!r} is no attempt of this review", todo)
        chosen[attempt.request_id] += 1
    for request in plan.requests:
        if chosen[request] != 1:
            raise at.refused("final-attempts", f"{request} has {chosen[request]} final attempts", todo)


def _check_judgment(at: _At, judgment: HumanJudgment, plan: PlannedReview, bound: str) -> None:
    if judgment.response_set_sha256 != bound:
        raise at.below("responseSetSha256").refused(
            "response-set",
            f"the selected responses have the hash {bound}",
            "judge the responses that are selected now; a judgment of others is void",
        )
    for field, value, expected in (
        ("method", judgment.method, METHOD),
        ("alternativeScope", judgment.alternative_scope, ALTERNATIVE_SCOPE),
    ):
        if value != expected:
            raise at.below(field).refused(
                "judgment-method", f"it is {value!r}, not {expected!r}", "hand in independent judgments by people"
            )
    counts = Counter(rule.rule_id for rule in judgment.rule_judgments)
    for name in (*plan.cohort.rule_ids, *counts):
        if counts[name] != 1 or name not in plan.cohort.rule_ids:
            raise at.below("ruleJudgments").refused(
                "rule-judgments",
                f"rule {name!r} has {counts[name]} entries"
                + ("" if name in plan.cohort.rule_ids else " and is not selected"),
                f"have one entry for each rule of {plan.cohort.cohort_id}, null where it is not judged yet",
            )
    _check_rationale(at, judgment)


def _check_rationale(at: _At, judgment: HumanJudgment) -> None:
    for number, rule in enumerate(judgment.rule_judgments):
        if _judged(rule) and not (rule.rationale or "").strip():
            raise at.below(f"ruleJudgments[{number}].rationale").refused(
                "rationale", f"rule {rule.rule_id} is judged and nobody says why", "write down why"
            )
    if finished(judgment) and not (judgment.rationale or "").strip():
        raise at.below("rationale").refused(
            "rationale", f"{judgment.reviewer_id} finished and does not say why", "write down why"
        )


def _judged(rule: RuleJudgment) -> bool:
    return rule.decision_justified is not None or rule.missed_issue_count is not None


def _check_people(at: _At) -> None:
    judges = [judgment.reviewer_id for judgment in at.review.human_judgments]
    for name, count in Counter(judges).items():
        if count > 1:
            raise at.below("humanJudgments").refused(
                "adjudicator", f"{name} judged {count} times", "keep one judgment of each person"
            )
    adjudication = at.review.adjudication
    if adjudication is None:
        return
    here = at.below("adjudication.reviewerId")
    if adjudication.reviewer_id in judges:
        raise here.refused(
            "adjudicator",
            f"{adjudication.reviewer_id} is one of the judges",
            "have another person adjudicate; the judgments stay as they are",
        )
    if not judges:
        raise here.refused(
            "adjudicator", "there is no judgment to decide about", "put a first judgment under humanJudgments"
        )
