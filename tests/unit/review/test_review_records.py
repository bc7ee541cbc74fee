"""Run files as events and back: nothing is lost, nothing is added twice, nothing recorded is changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from itertools import count
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_review import IDENTITY, SOURCES, ReviewExample, full_example, prepared, small_example

from daemon.judging.review.evidence import Evidence, Identity
from daemon.judging.review.hashes import file_text
from daemon.judging.review.javascript_json import javascript_sha256
from daemon.review.importing import import_events
from daemon.review.records import RecordError, ReviewRecord, fold_records
from schemas.events import (
    EVENT_TYPES,
    Event,
    JudgmentRecorded,
    ReceivedText,
    ReviewAnswerValidated,
    ReviewAttemptImported,
    ReviewFileRecorded,
    ReviewJudged,
    encode_event,
)
from schemas.review.refusals import ReviewRefusedError

RULES = ("reader-goal", "internal-history")


@cache
def manifest() -> Any:
    return prepared()


def stored(events: Iterable[Event]) -> list[Event]:
    """Through msgpack, as in a log."""
    return [msgspec.msgpack.decode(encode_event(event), type=EVENT_TYPES[event.TYPE]) for event in events]


def identity(example: ReviewExample) -> Identity:
    frozen = example.frozen
    return Identity(
        evaluator=frozen.evaluator,
        validator=frozen.validator,
        catalogue_version=frozen.catalogue_version,
        provenance=frozen.provenance,
    )


class Log:
    """Events of a log, and what importing into it adds."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._ids = count(1)

    def bring(self, evidence: Evidence, name: str = "editors") -> list[Event]:
        made = import_events(
            evidence,
            fold_records(self.events),
            name,
            validator=IDENTITY.validator,
            text_of=text_of,
            new_id=lambda: UUID(int=next(self._ids)),
        )
        self.events += stored(made)
        return list(made)

    def record(self, name: str = "editors") -> ReviewRecord:
        return fold_records(self.events)[name]

    def text(self, name: str = "editors") -> str:
        return file_text(self.record(name).run(text_of))


def text_of(received: ReceivedText | None) -> str | None:
    return None if received is None else received.text


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.just("7"), inner, max_size=3)
    ),
    max_leaves=6,
)
amounts = st.none() | st.floats(0, 2**53) | st.integers(0, 2**53)
usages = st.none() | st.fixed_dictionaries(
    dict.fromkeys(("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"), amounts)
)


@st.composite
def made_runs(draw: st.DrawFn) -> ReviewExample:
    """Draw a valid run: any responses, half characters too, retries, drafts of judgments, arrays in any order."""
    made = ReviewExample(manifest())
    made.run["notice"] = draw(st.none() | words)
    for name in draw(st.permutations(["a", "b"]))[: draw(st.integers(1, 2))]:
        sources = tuple(draw(st.permutations(SOURCES))[: draw(st.integers(1, 2))])
        made.condition(name, sources=sources, repetitions=tuple(draw(st.permutations([1, 2]))))
        condition = made.run["conditions"][-1]
        condition["parameters"] = draw(st.dictionaries(words | st.just("10"), anything, max_size=3))
        condition["parametersSha256"] = javascript_sha256(condition["parameters"])
        condition["executionSettings"]["reasoning"] = draw(anything)
        for source in sources:
            _reviews(draw, made, f"{name}/{source}", f"{source}/public-docs-six/bundled/all")
    for array in (made.run["conditions"], made.run["attempts"], made.run["reviews"]):
        array[:] = draw(st.permutations(array))
    return made


def _reviews(draw: st.DrawFn, made: ReviewExample, planned: str, request: str) -> None:
    for review in (f"{planned}/r1", f"{planned}/r2"):
        ids: list[str] = []
        for sequence in range(1, draw(st.integers(0, 2)) + 1):
            response = draw(
                st.none() | st.text(st.characters(), max_size=20) | st.dictionaries(words, anything, max_size=2)
            )
            response = draw(st.sampled_from([response, made.answer(request)]))
            ids.append(
                made.attempt(
                    review,
                    request,
                    response,
                    sequence=sequence,
                    retryOf=ids[-1] if ids else None,
                    error=draw(anything) if response is None else None,
                    actualCostUsd=draw(amounts),
                    usage=draw(usages),
                    latencyMs=draw(amounts),
                )
            )
        judged: bool = draw(st.booleans())
        if ids and judged:
            entry = made.select(review, ids[-1])
            people = draw(st.lists(words, min_size=1, max_size=3, unique=True))
            entry["humanJudgments"] = [_judgment(draw, made, entry, person) for person in people[:2]]
            if len(people) == 3:
                entry["adjudication"] = _judgment(draw, made, entry, people[2])


def _judgment(draw: st.DrawFn, made: ReviewExample, entry: dict[str, Any], person: str) -> dict[str, Any]:
    judgment: dict[str, Any] = made.judgment(entry, person, factsPreserved=draw(st.sampled_from([True, False, None])))
    judgment["ruleJudgments"] = draw(st.permutations(judgment["ruleJudgments"]))
    judgment["ruleJudgments"][0]["missedIssueCount"] = draw(st.none() | st.integers(0, 3))
    if judgment["factsPreserved"] is None:
        judgment["rationale"] = draw(st.none() | words)
    return judgment


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(made_runs())
def test_export_gives_back_what_was_imported(made: ReviewExample) -> None:
    """Whatever a valid run holds, export gives the same text, order and all, and a second import adds nothing."""
    evidence, log = made.evidence(run_bytes=escaped(made)), Log()
    log.bring(evidence)
    assert log.text() == file_text(evidence.run)
    assert log.bring(evidence) == []


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(made_runs(), st.randoms(use_true_random=False))
def test_a_run_that_grew_adds_only_what_is_new(made: ReviewExample, random: Any) -> None:
    """Imported without its judgments and then with them, no attempt comes twice, and export gives the new run."""
    whole, log = made.run, Log()
    made.run = {**whole, "reviews": []}
    log.bring(made.evidence(run_bytes=escaped(made)))
    made.run = {**whole, "attempts": random.sample(whole["attempts"], len(whole["attempts"]))}
    evidence = made.evidence(run_bytes=escaped(made))
    added = log.bring(evidence)
    assert not [event for event in added if isinstance(event, ReviewAttemptImported | ReviewAnswerValidated)]
    assert log.text() == file_text(evidence.run)


def escaped(made: ReviewExample) -> bytes:
    return json.dumps(made.run).encode()


def full() -> ReviewExample:
    return full_example(manifest())


class TestEvents:
    def test_attempts_keep_null(self) -> None:
        """What a file does not know, its events do not know either: no time, cost or use is made up."""
        made = full()
        events = Log().bring(made.evidence())
        unknown = next(each for each in events if isinstance(each, ReviewAttemptImported) and each.usage is None)
        assert (unknown.actual_cost_usd, unknown.latency_ms, unknown.effective_model) == (None, None, None)

    def test_every_response_is_validated(self) -> None:
        """Each response gets one finding, failed ones with their class, and decisions of valid ones by rule."""
        made = full()
        found = [each for each in Log().bring(made.evidence()) if isinstance(each, ReviewAnswerValidated)]
        responses = [each for each in made.run["attempts"] if each["status"] == "response"]
        assert len(found) == len(responses)
        failures = {each.failure for each in found}
        assert failures == {
            None, "invalid-json", "unsupported-structure", "stale-source", "missing-rule", "inexact-range"
        }  # fmt: skip
        valid = next(each for each in found if each.failure is None)
        assert [rule.decision for rule in valid.decisions].count("change") == 1
        assert len(valid.decisions) == 6

    def test_verdicts_stand_alone(self) -> None:
        """Each answered question is a verdict, bound to the response set, with the person and the role."""
        made = small_example(manifest())
        events = Log().bring(made.evidence())
        verdicts = [each for each in events if isinstance(each, JudgmentRecorded)]
        assert len(verdicts) == 4 * (3 + 2 * 6)
        adjudged = [each for each in verdicts if each.judge.parameters["role"] == "adjudicator"]
        assert {each.judge.name for each in adjudged} == {"editor-03"}
        one = next(each for each in verdicts if each.subject.id == "editors/small/source-001/r1/intent-preserved")
        assert (one.suite, one.subject.kind, one.verdict, one.reason) == ("review", "review", True, "Synthetic.")
        selection = next(each for each in events if isinstance(each, ReviewFileRecorded)).reviews[0]
        assert one.subject.sha256 == selection.response_set_sha256

    def test_a_changed_judgment_supersedes(self) -> None:
        """Of a changed judgment the changed verdicts alone are recorded, in place of the earlier ones."""
        made, log = small_example(manifest()), Log()
        log.bring(made.evidence())
        before = {each.subject.id: each for each in log.events if isinstance(each, JudgmentRecorded)}
        made.run["reviews"][1]["humanJudgments"][0]["ruleJudgments"][0]["missedIssueCount"] = 2
        added = log.bring(made.evidence())
        (verdict,) = [each for each in added if isinstance(each, JudgmentRecorded)]
        (judged,) = [each for each in added if isinstance(each, ReviewJudged)]
        assert verdict.verdict is True
        assert verdict.subject.id.endswith("/missed-issues")
        assert verdict.supersedes == before[verdict.subject.id].judgment
        assert judged.rules[0].missed_issue_count == 2


class TestRefusals:
    def test_an_attempt_never_changes(self) -> None:
        """A file that tells a recorded attempt otherwise is refused, naming the attempt and the way out."""
        made, log = small_example(manifest()), Log()
        log.bring(made.evidence())
        made.run["attempts"][0]["actualCostUsd"] = 0.02
        with pytest.raises(RecordError, match=r"attempt 'attempt-001' with other content.*--name"):
            log.bring(made.evidence())

    def test_a_condition_never_changes(self) -> None:
        """A file that declares a recorded condition otherwise is refused: it was declared before its answers came."""
        made, log = small_example(manifest()), Log()
        log.bring(made.evidence())
        made.run["conditions"][0]["executionSettings"]["cacheMode"] = "warm"
        with pytest.raises(RecordError, match=r"condition 'small' with another executionSettings .*--name"):
            log.bring(made.evidence())

    def test_sources_have_no_order(self) -> None:
        """A file that names a condition's sources in another order declares the same, and comes back as it is."""
        made, log = small_example(manifest()), Log()
        log.bring(made.evidence())
        made.run["conditions"][0]["sourceIds"].reverse()
        evidence = made.evidence()
        assert [type(each) for each in log.bring(evidence)] == [ReviewFileRecorded]
        assert log.text() == file_text(evidence.run)

    def test_an_attempt_is_never_left_out(self) -> None:
        """A file without an attempt that was recorded is refused: its export would have the attempt again."""
        made, log = full(), Log()
        log.bring(made.evidence())
        kept = {name for review in made.run["reviews"] for name in review["finalAttemptIds"]}
        kept |= {each["retryOf"] for each in made.run["attempts"]}
        gone = next(each for each in made.run["attempts"] if each["attemptId"] not in kept)
        made.run["attempts"].remove(gone)
        with pytest.raises(RecordError, match=rf"lacks attempt '{gone['attemptId']}'.*review export editors"):
            log.bring(made.evidence())

    def test_another_manifest_takes_another_name(self) -> None:
        """A record belongs to one manifest."""
        log = Log()
        log.bring(small_example(manifest()).evidence())
        other = small_example(prepared(sources=SOURCES))
        with pytest.raises(RecordError, match="record 'editors' of another manifest"):
            log.bring(other.evidence())
        assert log.bring(other.evidence(), "others")

    def test_what_an_evaluation_refuses(self) -> None:
        """A run that could not be evaluated is not imported either."""
        made = small_example(manifest())
        made.run["reviews"][0]["humanJudgments"][0]["responseSetSha256"] = "0" * 64
        with pytest.raises(ReviewRefusedError, match=r"\[response-set"):
            Log().bring(made.evidence())

    def test_half_a_character_in_a_reason(self) -> None:
        """Half a character is kept in a response, and refused in words of people, naming the place."""
        made = small_example(manifest())
        made.run["reviews"][0]["humanJudgments"][0]["rationale"] = "\ud83d"
        with pytest.raises(ReviewRefusedError, match=r"run.json, reviews\[0\].humanJudgments\[0\].rationale: half"):
            Log().bring(made.evidence(run_bytes=escaped(made)))

    def test_a_count_beyond_all_counting(self) -> None:
        """A count that no table could hold is refused; tokens and money are no counts."""
        made = small_example(manifest())
        made.run["attempts"][0]["usage"]["inputTokens"] = 2**40
        Log().bring(made.evidence())
        made.run["reviews"][0]["humanJudgments"][0]["ruleJudgments"][2]["missedIssueCount"] = 2**31
        with pytest.raises(ReviewRefusedError, match=r"ruleJudgments\[2\].missedIssueCount: 2147483648 is more than"):
            Log().bring(made.evidence())

    def test_a_log_without_an_attempt(self) -> None:
        """A record whose attempt is not in the log is not exported as if it were whole."""
        log = Log()
        log.bring(small_example(manifest()).evidence())
        gone = next(each for each in log.events if isinstance(each, ReviewAttemptImported))
        log.events.remove(gone)
        with pytest.raises(RecordError, match="no attempt 'attempt-001'"):
            log.text()

    def test_a_log_that_says_something_else(self) -> None:
        """A record whose events give other content than was recorded is not exported."""
        log = Log()
        log.bring(small_example(manifest()).evidence())
        place, told = next(
            (at, each) for at, each in enumerate(log.events) if isinstance(each, ReviewAttemptImported)
        )
        log.events[place] = msgspec.structs.replace(told, latency_ms=1.0)
        with pytest.raises(RecordError, match="another file than was recorded"):
            log.text()
