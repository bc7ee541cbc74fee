from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_review import Json, ReviewExample, prepared, small_example

from daemon.judging.review.validation import FailedAnswer, validate_model_response
from schemas.review.answers import ReviewAnswer
from schemas.review.kinds import ResponseFailure

REQUEST = "source-016/public-docs-six/bundled/all"
MADE = small_example(prepared(sources=("source-001", "source-016")))
GOOD = json.loads(
    MADE.answer(REQUEST, ageing_time=MADE.change("source-016", "für einige Tage", "vom 4. bis 6. Juni", "drei Tage"))
)


def validated(response: str | Json) -> ReviewAnswer | FailedAnswer:
    request = MADE.requests[REQUEST]
    return validate_model_response(response, request, MADE.sources[request.source_id])


def rule(number: int, **fields: Any) -> Callable[[Json], object]:
    return lambda answer: answer["rules"][number].update(fields)


def finding(**fields: Any) -> Callable[[Json], object]:
    return lambda answer: answer["rules"][5]["findings"][0].update(fields)


def shifted(by: int) -> Callable[[Json], object]:
    place = GOOD["rules"][5]["findings"][0]
    return finding(start=place["start"] + by, end=place["end"] + by)


FAULTS: list[tuple[ResponseFailure, str, Callable[[Json], object]]] = [
    ("unsupported-structure", "extra", lambda answer: answer.update(extra=1)),
    ("unsupported-structure", "sourceSha256", lambda answer: answer.pop("sourceSha256")),
    ("unsupported-structure", "rules", lambda answer: answer.update(rules={})),
    ("unsupported-structure", "'filler' was not asked for", rule(0, ruleId="filler")),
    ("unsupported-structure", "2 times", lambda answer: answer["rules"].append(answer["rules"][0])),
    ("unsupported-structure", "'drop'", rule(0, decision="drop")),
    ("unsupported-structure", "reason", rule(0, reason="  ")),
    ("unsupported-structure", "evidenceNeeded", rule(0, decision="needs-evidence")),
    ("unsupported-structure", "evidenceNeeded", rule(0, evidenceNeeded="A date.")),
    ("unsupported-structure", "no findings", rule(5, decision="keep")),
    ("unsupported-structure", "needs a finding", rule(0, decision="change")),
    ("unsupported-structure", "one to three", finding(alternatives=[])),
    ("unsupported-structure", "<= 3", finding(alternatives=["a", "b", "c", "d"])),
    ("unsupported-structure", "one to three", rule(5, decision="needs-evidence", evidenceNeeded="When?")),
    ("unsupported-structure", "start", finding(start=1.5)),
    ("unsupported-structure", "start", finding(start="29")),
    ("unsupported-structure", "start", finding(start=-1)),
    ("stale-source", "another text", lambda answer: answer.update(sourceSha256="0" * 64)),
    ("missing-rule", "reader-goal", lambda answer: answer["rules"].pop(0)),
    ("missing-rule", "reader-goal", lambda answer: answer.update(rules=[])),
    ("inexact-range", "ageing-time", shifted(1)),
    ("inexact-range", "ageing-time", shifted(-1)),
    ("inexact-range", "ageing-time", finding(quote="Für einige Tage")),
    ("inexact-range", "ageing-time", finding(end=10_000)),
    ("inexact-range", "ageing-time", finding(start=9, end=3)),
]


def test_the_answer_that_faults_are_made_in_is_valid() -> None:
    """The answer that every fault below starts from is valid, as text, with white space around it, and as object."""
    assert isinstance(validated(json.dumps(GOOD)), ReviewAnswer)
    assert isinstance(validated(f" \n{json.dumps(GOOD, indent=2)}\n"), ReviewAnswer)
    assert isinstance(validated(GOOD), ReviewAnswer)


@pytest.mark.parametrize(("failure", "said", "fault"), FAULTS, ids=lambda value: str(value)[:40])
def test_one_fault_fails_the_response(failure: ResponseFailure, said: str, fault: Callable[[Json], object]) -> None:
    """One fault in a valid answer makes it a failed response of its kind, whose detail says where."""
    answer = json.loads(json.dumps(GOOD))
    fault(answer)
    for form in (answer, json.dumps(answer)):
        found = validated(form)
        assert isinstance(found, FailedAnswer)
        assert found.failure == failure
        assert said in found.detail


@pytest.mark.parametrize(
    "text", ["", "{", "Sure! {}", "```json\n{}\n```", "{} {}", "[" * 100_000, "NaN", '{"a": "\n"}']
)
def test_what_is_no_json_is_an_invalid_response(text: str) -> None:
    """Prose, fences, two objects, endless nesting and other things that are no JSON fail as invalid JSON."""
    found = validated(text)
    assert isinstance(found, FailedAnswer)
    assert found.failure == "invalid-json"


def test_every_failure_has_a_test() -> None:
    """Every way to fail is shown above."""
    assert {failure for failure, _, _ in FAULTS} | {"invalid-json"} == set(get_args(ResponseFailure))


def test_ranges_count_the_emoji_before_them_twice() -> None:
    """A range behind an emoji that was counted in code points is one too low, and fails."""
    source = MADE.sources["source-016"].text
    answer = json.loads(json.dumps(GOOD))
    place = source.index("Wer Hilfe")
    quote = "Wer Hilfe braucht"
    for start, valid in ((place, False), (place + 1, True)):
        answer["rules"][5]["findings"] = [
            {"quote": quote, "start": start, "end": start + len(quote), "alternatives": ["Bei Bedarf"]}
        ]
        assert isinstance(validated(answer), ReviewAnswer) is valid


def test_half_an_emoji_is_not_exact() -> None:
    """A range that cuts an emoji in two fails, though its code units are those of the source."""
    source = MADE.sources["source-016"].text
    start = source.index("🛗")
    answer = json.dumps(GOOD).replace('"f\\u00fcr einige Tage"', '"\\ud83d"')
    value = json.loads(answer)
    value["rules"][5]["findings"][0] |= {"start": start, "end": start + 1}
    found = validated(json.dumps(value))
    assert isinstance(found, FailedAnswer)
    assert found.failure == "inexact-range"


@pytest.mark.parametrize("failing", [fault for _, _, fault in FAULTS[::4]])
def test_a_failed_response_stays_in_the_report(failing: Callable[[Json], object]) -> None:
    """A failed response does not refuse the evaluation: its review counts as invalid and its cost stays."""
    made: ReviewExample = small_example(MADE.frozen)
    answer = json.loads(json.dumps(GOOD))
    failing(answer)
    made.run["attempts"][2]["response"] = json.dumps(answer)
    made.run["reviews"][1]["humanJudgments"] = []
    part = next(each for each in made.report().conditions[0].languages if each.language == "de")
    assert (part.reviews.planned, part.reviews.invalid, part.costs.known_cost_usd) == (1, 1, 0.01)
    (failed,) = part.outcomes[0].failed_responses
    assert (failed.attempt_id, failed.selected) == ("attempt-003", True)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["rules", "sourceSha256"]), inner)
        ),
    )
)
def test_whatever_is_answered_has_an_outcome(value: Any) -> None:
    """No response, whatever it holds, raises anything."""
    assert isinstance(validated(json.dumps(value)), FailedAnswer)
