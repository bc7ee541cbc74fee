from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from made_review import Json, ReviewExample, full_example, prepared, small_example

from daemon.judging.review.hashes import file_text, response_set_sha256
from daemon.judging.review.reading import convert
from schemas.review import report as report_types
from schemas.review.kinds import AnswerState, JudgmentState, WireStruct
from schemas.review.manifest import Manifest
from schemas.review.report import LanguageReport, Report, Tally
from schemas.review.run import Attempt, Condition, ExecutionSettings, HumanJudgment, Review, RuleJudgment, Usage


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return prepared(sources=("source-001", "source-016"))


@pytest.fixture
def made(manifest: Manifest) -> ReviewExample:
    return small_example(manifest)


@pytest.fixture(scope="module")
def full() -> ReviewExample:
    return full_example(prepared())


def part(report: Report, language: str = "en", condition: str = "small") -> LanguageReport:
    (found,) = (each for each in report.conditions if each.condition_id == condition)
    return next(each for each in found.languages if each.language == language)


def judgments(made: ReviewExample) -> list[Json]:
    found: list[Json] = made.run["reviews"][0]["humanJudgments"]
    return found


def state(made: ReviewExample) -> JudgmentState:
    return part(made.report()).outcomes[0].judgment


def test_the_fields_are_those_of_the_documented_contract() -> None:
    """Conditions, attempts, reviews and judgments have exactly the documented names, in their order."""
    expected: dict[type[msgspec.Struct], str] = {
        Condition: "conditionId candidateId cohortId strategyId sourceIds repetitions provider requestedModelId "
        "effectiveModelId parameters parametersSha256 executionSettings",
        ExecutionSettings: "adapterVersion runtimeVersion reasoning maxOutputTokens concurrency retryPolicy "
        "cacheMode ordering orderSeed providerBatch",
        Attempt: "attemptId reviewRunId requestId sequence retryOf requestedModelId effectiveModelId "
        "parametersSha256 payloadSha256 canonicalPromptSha256 sourceSha256 status response error actualCostUsd "
        "usage latencyMs",
        Usage: "inputTokens outputTokens cacheReadTokens cacheWriteTokens reasoningTokens",
        Review: "reviewRunId finalAttemptIds humanJudgments adjudication",
        HumanJudgment: "reviewerId method responseSetSha256 alternativeScope factsPreserved intentPreserved "
        "harmfulChange ruleJudgments rationale",
        RuleJudgment: "ruleId decisionJustified missedIssueCount rationale",
    }
    for kind, names in expected.items():
        assert [field.encode_name for field in msgspec.structs.fields(kind)] == names.split()


def test_an_adjudication_settles_and_the_disagreement_stays(made: ReviewExample) -> None:
    """What a third person settles is accepted; both judgments, their difference and its count stay in the report."""
    found = part(made.report())
    (outcome,) = found.outcomes
    assert (outcome.judgment, outcome.answers) == ("accepted", "complete")
    assert (found.reviews.accepted_complete, found.reviews.with_disagreement, found.reviews.adjudicated) == (1, 1, 1)
    (difference,) = outcome.disagreements
    assert difference.question == "intentPreserved"
    assert difference.answers == {"editor-01": True, "editor-02": False}
    assert [each.reviewer_id for each in outcome.human_judgments] == ["editor-01", "editor-02"]
    assert outcome.adjudication is not None


def test_a_disagreement_blocks_acceptance(made: ReviewExample) -> None:
    """Without an adjudication people's disagreement leaves a review disputed."""
    made.run["reviews"][0]["adjudication"] = None
    assert state(made) == "disputed"


def test_an_unfinished_adjudication_settles_nothing(made: ReviewExample) -> None:
    """An adjudication that leaves something open does not count yet."""
    made.run["reviews"][0]["adjudication"]["factsPreserved"] = None
    assert state(made) == "disputed"
    assert part(made.report()).reviews.adjudicated == 0


def test_one_complete_judgment_suffices(made: ReviewExample) -> None:
    """A single complete judgment accepts, and the report says that it was one."""
    del judgments(made)[1]
    made.run["reviews"][0]["adjudication"] = None
    assert state(made) == "accepted"
    assert part(made.report()).outcomes[0].complete_judgments == 1


SINGLE_JUDGMENTS: list[tuple[Json, Json, JudgmentState]] = [
    ({}, {}, "accepted"),
    ({"factsPreserved": False}, {}, "rejected"),
    ({"intentPreserved": False}, {}, "rejected"),
    ({"harmfulChange": True}, {}, "rejected"),
    ({}, {"decisionJustified": False}, "rejected"),
    ({}, {"missedIssueCount": 2}, "rejected"),
    ({"factsPreserved": None}, {}, "unjudged"),
    ({"intentPreserved": None}, {}, "unjudged"),
    ({"harmfulChange": None}, {}, "unjudged"),
    ({}, {"decisionJustified": None}, "unjudged"),
    ({}, {"missedIssueCount": None}, "unjudged"),
    ({"factsPreserved": False, "intentPreserved": None}, {"missedIssueCount": None}, "rejected"),
]


@pytest.mark.parametrize(("whole", "rule", "expected"), SINGLE_JUDGMENTS, ids=str)
def test_each_question_counts(made: ReviewExample, whole: Json, rule: Json, expected: JudgmentState) -> None:
    """Every single question can reject a review, or leave it unjudged; a known failure decides over what is open."""
    del judgments(made)[1]
    made.run["reviews"][0]["adjudication"] = None
    judgments(made)[0].update(whole)
    judgments(made)[0]["ruleJudgments"][0].update(rule)
    assert state(made) == expected


def test_a_begun_judgment_leaves_a_review_open(made: ReviewExample) -> None:
    """Beside a complete judgment one that is not finished leaves the review unjudged, until it is."""
    made.run["reviews"][0]["adjudication"] = None
    judgments(made)[1]["intentPreserved"] = None
    assert state(made) == "unjudged"


def test_differing_counts_of_missed_issues_are_a_disagreement(made: ReviewExample) -> None:
    """Two people who both found missed issues reject together; their different counts stay visible."""
    made.run["reviews"][0]["adjudication"] = None
    judgments(made)[1]["intentPreserved"] = True
    for number, judgment in enumerate(judgments(made), start=1):
        judgment["ruleJudgments"][0]["missedIssueCount"] = number
    found = part(made.report())
    assert (found.reviews.rejected, found.reviews.with_disagreement) == (1, 1)
    assert found.rules[0].missed_issues == Tally(yes=1, no=0, not_judged=0, disputed=0)
    assert found.rules[0].missed_issue_count is None


def evidence_wanted(made: ReviewExample, number: int) -> None:
    attempt = made.run["attempts"][number]
    attempt["response"] = made.answer(
        attempt["requestId"], reader_goal={"decision": "needs-evidence", "evidenceNeeded": "A date."}
    )


def test_a_justified_request_for_evidence_is_accepted_and_incomplete(made: ReviewExample) -> None:
    """A review that rightly asks for evidence is editorially accepted, and not an accepted complete one."""
    evidence_wanted(made, 2)
    entry = made.run["reviews"][1]
    entry["humanJudgments"] = [made.judgment(entry, "editor-01")]
    found = part(made.report(), "de")
    counts = found.reviews
    assert (counts.incomplete, counts.editorially_accepted, counts.accepted_complete) == (1, 1, 0)
    assert found.costs.cost_per_accepted_complete_review_usd is None


def test_a_matching_label_is_no_judgment(made: ReviewExample) -> None:
    """An answer that meets every label stays unjudged until a person has judged it."""
    attempt = made.run["attempts"][2]
    attempt["response"] = made.answer(
        attempt["requestId"], ageing_time=made.change("source-016", "demnächst", "vom 4. bis 6. Juni")
    )
    made.run["reviews"][1]["humanJudgments"] = []
    found = part(made.report(), "de")
    assert (found.diagnostics.precision, found.diagnostics.recall) == (1.0, 1.0)
    assert (found.reviews.unjudged, found.reviews.accepted_complete) == (1, 0)


@pytest.mark.parametrize(
    ("rule", "quote", "matched"),
    [
        ("ageing_time", "demnächst", 1),
        ("ageing_time", "demnächst für", 0),
        ("reader_goal", "demnächst", 0),
        ("ageing_time", "ist demnächst", 0),
    ],
)
def test_labels_match_exactly_or_not_at_all(made: ReviewExample, rule: str, quote: str, matched: int) -> None:
    """A finding meets a label by rule, quotation and range; an overlap or another rule is a miss."""
    attempt = made.run["attempts"][2]
    attempt["response"] = made.answer(attempt["requestId"], **{rule: made.change("source-016", quote, "…")})
    made.run["reviews"][1]["humanJudgments"] = []
    found = part(made.report(), "de").diagnostics
    assert (found.matched, found.predicted, found.expected) == (matched, 1, 1)


def test_a_passage_named_twice_counts_once(made: ReviewExample) -> None:
    """The same range for the same rule is one prediction, however often it is named."""
    attempt = made.run["attempts"][2]
    change = made.change("source-016", "demnächst", "vom 4. bis 6. Juni")
    change["findings"] *= 2
    attempt["response"] = made.answer(attempt["requestId"], ageing_time=change)
    made.run["reviews"][1]["humanJudgments"] = []
    assert part(made.report(), "de").diagnostics.predicted == 1


def test_labels_outside_the_scope_are_not_expected(made: ReviewExample) -> None:
    """Of the two labels of a case only the one whose rule is in the scope enters recall; over nothing it is null."""
    found = part(made.report(), "de").diagnostics
    assert (found.expected, found.predicted, found.precision, found.recall) == (1, 0, None, 0.0)


def test_nothing_planned_beyond_the_answers_is_lost(made: ReviewExample) -> None:
    """A planned review without attempts or entry is missing, and in every denominator."""
    made.run["conditions"][0]["repetitions"] = [1, 2, 3]
    found = part(made.report())
    assert (found.reviews.planned, found.reviews.missing, found.reviews.accepted_complete) == (3, 2, 1)
    assert found.facts_preserved == Tally(yes=1, no=0, not_judged=2, disputed=0)


def test_a_selected_failure_is_a_missing_answer(made: ReviewExample) -> None:
    """A review whose final attempt brought no response is missing."""
    made.run["reviews"][0] |= {"finalAttemptIds": ["attempt-001"], "humanJudgments": [], "adjudication": None}
    assert part(made.report()).reviews.missing == 1


def test_costs_are_those_of_every_attempt(made: ReviewExample) -> None:
    """What failed and was retried is paid for by the accepted complete reviews, each attempt once."""
    made.run["attempts"][0]["actualCostUsd"] = 0.1
    made.run["attempts"][1]["actualCostUsd"] = 0.2
    found = part(made.report()).costs
    assert (found.attempts, found.total_cost_usd, found.cost_per_accepted_complete_review_usd) == (2, 0.3, 0.3)


def test_one_unknown_cost_makes_the_total_unknown(made: ReviewExample) -> None:
    """With one unknown cost the total and the ratio are null, the known part stays, and quality is reported."""
    made.run["attempts"][0]["actualCostUsd"] = None
    found = part(made.report())
    costs = found.costs
    assert (costs.total_cost_usd, costs.cost_per_accepted_complete_review_usd) == (None, None)
    assert (costs.known_cost_usd, costs.attempts_of_unknown_cost) == (0.01, 1)
    assert found.reviews.accepted_complete == 1


def test_unknown_usage_is_not_zero(made: ReviewExample) -> None:
    """A total over attempts is null as soon as one did not report it; a reported zero is a zero."""
    made.run["attempts"][0]["usage"] = None
    found = part(made.report())
    assert (found.usage.input_tokens.total, found.usage.input_tokens.known_sum) == (None, 900)
    assert found.usage.cache_read_tokens.known_attempts == 0
    assert part(made.report(), "de").usage.reasoning_tokens.total == 0


def test_the_order_of_selecting_does_not_bind(made: ReviewExample) -> None:
    """The hash of a response set is the same in any order, and another for another response or selection."""
    attempts = [convert(each, Attempt) for each in made.run["attempts"]]
    names = ["attempt-002", "attempt-003"]
    hashed = response_set_sha256(names, attempts)
    assert response_set_sha256(names[::-1], attempts[::-1]) == hashed
    assert response_set_sha256(names[:1], attempts) != hashed
    other = msgspec.structs.replace(attempts[1], response="{}")
    assert response_set_sha256(names, [attempts[0], other, attempts[2]]) != hashed


def test_a_response_belongs_to_its_request(made: ReviewExample) -> None:
    """The same response to another request is another response set."""
    first, *_ = attempts = [convert(each, Attempt) for each in made.run["attempts"]]
    other = msgspec.structs.replace(first, request_id=attempts[2].request_id)
    assert response_set_sha256([first.attempt_id], [other]) != response_set_sha256([first.attempt_id], [first])


@pytest.mark.parametrize(
    ("fifth", "last", "expected"),
    [
        ("good", "good", "complete"),
        ("good", None, "missing"),
        (None, None, "missing"),
        ("good", "{", "invalid"),
        (None, "{", "invalid"),
    ],
)
def test_one_request_of_many_decides(
    manifest: Manifest, fifth: str | None, last: str | None, expected: AnswerState
) -> None:
    """Of many requests one failed response makes the review invalid; else one without makes it missing."""
    made = ReviewExample(manifest)
    made.condition("alone", strategy="single", sources=("source-001",), repetitions=(1,))
    requests = [name for name in made.requests if name.startswith("source-001/public-docs-six/single/")]
    responses = [*["good"] * 4, fifth, last]
    final = [
        made.attempt("alone/source-001/r1", name, made.answer(name) if response == "good" else response)
        for name, response in zip(requests, responses, strict=True)
    ]
    made.select("alone/source-001/r1", *final)
    assert part(made.report(), condition="alone").outcomes[0].answers == expected


def test_answers_used_again_are_flagged(full: ReviewExample) -> None:
    """The same response under two repetitions of a request is flagged, with both attempts."""
    (reused,) = full.report().reused_answers
    assert (reused.condition_id, reused.attempt_ids) == ("small-bundle-cold", ("attempt-002", "attempt-003"))


def test_an_answer_used_again_in_another_form_is_flagged(full: ReviewExample) -> None:
    """The same answer as text under one repetition and as a JSON object under another is the same answer."""
    again = next(each for each in full.run["attempts"] if each["attemptId"] == "attempt-003")
    text, reviews = again["response"], full.run["reviews"]
    # Nothing is judged here: judgments are bound to how a response is written.
    again["response"], full.run["reviews"] = json.loads(text), []
    try:
        (reused,) = full.report().reused_answers
    finally:
        again["response"], full.run["reviews"] = text, reviews
    assert reused.attempt_ids == ("attempt-002", "attempt-003")


@pytest.mark.parametrize(
    ("field", "value"),
    [("cacheMode", "warm"), ("providerBatch", True), ("concurrency", 2), ("ordering", "randomized")],
)
def test_only_equal_settings_are_comparable(full: ReviewExample, field: str, value: object) -> None:
    """Conditions are named as comparable only while sources, repetitions, scope and settings are all equal."""
    assert full.report().comparable_conditions == (("large-bundle-cold", "small-bundle-cold"),)
    full.run["conditions"][0]["executionSettings"], before = (
        full.run["conditions"][0]["executionSettings"] | {field: value},
        full.run["conditions"][0]["executionSettings"],
    )
    try:
        assert full.report().comparable_conditions == ()
    finally:
        full.run["conditions"][0]["executionSettings"] = before


@pytest.mark.parametrize(
    "other",
    [{"sources": ("source-001",)}, {"repetitions": (1,)}, {"cohort": "all-twenty"}, {"cache": "warm"}],
    ids=str,
)
def test_only_equal_plans_are_comparable(manifest: Manifest, other: dict[str, Any]) -> None:
    """Two conditions are comparable as long as nothing of sources, repetitions, scope and settings differs."""
    same: dict[str, Any] = {"sources": ("source-001", "source-016"), "repetitions": (1, 2)}
    made = ReviewExample(manifest)
    made.condition("one", **same)
    made.condition("two", **same, candidate="example-large", strategy="single")
    assert made.report().comparable_conditions == (("one", "two"),)
    made = ReviewExample(manifest)
    made.condition("one", **same)
    made.condition("two", **(same | other))
    assert made.report().comparable_conditions == ()


def _shuffled(value: Any, draw: random.Random) -> Any:
    """Shuffle every array that has no order, and the keys of every object but parameters."""
    if isinstance(value, list):
        found = [_shuffled(each, draw) for each in value]
        draw.shuffle(found)
        return found
    if isinstance(value, dict):
        keys = list(value)
        draw.shuffle(keys)
        return {key: value[key] if key in {"parameters", "response"} else _shuffled(value[key], draw) for key in keys}
    return value


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_arrays_changes_nothing(full: ReviewExample, seed: int) -> None:
    """Arrays without an order and the keys of objects in any order give the same report, to the byte."""
    run = _shuffled(full.run, random.Random(seed))
    assert run["attempts"] != full.run["attempts"]
    content = json.dumps(run).encode()
    assert file_text(full.report(run_bytes=content)) == file_text(full.report())


def test_every_state_adds_up(full: ReviewExample) -> None:
    """In every part of a report the states of planned reviews add up, as do those of attempts and judgments."""
    for found in (each for condition in full.report().conditions for each in condition.languages):
        counts, attempts = found.reviews, found.attempts
        assert counts.planned == len(found.outcomes)
        assert counts.planned == counts.missing + counts.invalid + counts.incomplete + counts.complete
        judgeable = counts.incomplete + counts.complete
        assert judgeable == counts.unjudged + counts.disputed + counts.rejected + counts.editorially_accepted
        assert attempts.response == attempts.valid_response + sum(attempts.failed_response.values())
        assert attempts.submitted == attempts.response + attempts.error + attempts.cancelled + attempts.not_completed
        for tally in (found.facts_preserved, found.harmful_change, *(rule.missed_issues for rule in found.rules)):
            assert counts.planned == tally.yes + tally.no + tally.not_judged + tally.disputed


def _names(value: Any) -> set[str]:
    if isinstance(value, list | tuple):
        return set().union(*map(_names, value))
    if isinstance(value, dict):
        return set(value).union(*map(_names, value.values()))
    return set()


def test_no_number_is_made_of_several(full: ReviewExample) -> None:
    """No key of a report speaks of a score or a rank, and whatever is no count is one measured thing or one ratio."""
    names = _names(msgspec.to_builtins(full.report()))
    assert "costPerAcceptedCompleteReviewUsd" in names
    assert {
        name for name in names if re.search("score|overall|rating|rank|grade|quality|weight", name.lower())
    } == set()
    kinds = [kind for kind in vars(report_types).values() if isinstance(kind, type) and kind is not WireStruct]
    fractions = {
        f"{kind.__name__}.{field.name}"
        for kind in kinds
        if issubclass(kind, msgspec.Struct) and kind.__module__ == report_types.__name__
        for field in msgspec.structs.fields(kind)
        if "float" in str(field.type)
    }
    assert fractions == {
        "Diagnostics.precision",
        "Diagnostics.recall",
        "Costs.known_cost_usd",
        "Costs.total_cost_usd",
        "Costs.cost_per_accepted_complete_review_usd",
        "KnownSum.known_sum",
        "KnownSum.total",
        "Latency.median_ms",
    }


CHANGES: list[Callable[[ReviewExample], object]] = [
    lambda made: made.run.update(notice="Other."),
    lambda made: made.run["attempts"][0].update(latencyMs=1),
    lambda made: judgments(made)[0].update(rationale="Other."),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_report_is_bound_to_its_run(made: ReviewExample, change: Callable[[ReviewExample], object]) -> None:
    """Whatever changes in a run, and be it a rationale, changes the hash by which its report names it."""
    before = made.report().run_content_sha256
    change(made)
    assert made.report().run_content_sha256 != before
