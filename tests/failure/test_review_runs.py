"""Text reviews measured over reference models: exact counts, resumed runs, and what a run file says of attempts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest
from made_review import IDENTITY, SOURCES
from review_running import ReviewPlace, evidence, judged, manifest, plan, report

from daemon.judging.review.hashes import file_text
from daemon.reference.review import ReviewModel
from daemon.review.importing import import_events
from daemon.review.records import RecordError, fold_records
from schemas.errors import ConfigurationError, LogError
from schemas.events import (
    AttemptCompleted,
    JudgmentRecorded,
    ReceivedText,
    RequestSent,
    ReviewAnswerValidated,
    ReviewAsked,
    ReviewAttemptImported,
    ReviewFileRecorded,
    ReviewJudged,
    RunPlanned,
)
from schemas.review.refusals import ReviewRefusedError
from schemas.review.run import Run

ALWAYS_OVERLOADED = ReviewModel(name="down", title="", turns=("overloaded",))


def test_from_run_to_report_with_exact_counts(tmp_path: Path) -> None:
    """A model that fails once in every known way is measured, judged and reported at exactly those counts."""
    place = ReviewPlace(tmp_path)
    summary, run = place.measure(plan())
    assert summary.complete
    assert (summary.attempts, summary.conditions[0].answered) == (9, 8)
    languages = report(judged(run)).conditions[0].languages
    failures = Counter[str]()
    for part in languages:
        failures.update(part.attempts.failed_response)
    assert failures == {
        "invalid-json": 1, "unsupported-structure": 1, "stale-source": 1, "missing-rule": 1, "inexact-range": 1
    }  # fmt: skip
    total = Counter[str]()
    for part in languages:
        total.update(msgspec.to_builtins(part.reviews))
        total.update({"error": part.attempts.error, "retries": part.attempts.retries})
    assert (total["planned"], total["missing"], total["invalid"], total["complete"]) == (8, 0, 5, 3)
    assert (total["acceptedComplete"], total["error"], total["retries"]) == (3, 1, 1)
    costs = [part.costs for part in languages]
    assert sum(each.attempts_of_unknown_cost for each in costs) == 1  # the overloaded one: nobody said what it cost
    assert sum(each.total_cost_usd is None for each in costs) == 1


def test_cost_and_use_are_as_billed(tmp_path: Path) -> None:
    """Where the service bills every attempt, the total is the sum of its bills, and use is what it counted."""
    place = ReviewPlace(tmp_path)
    _, run = place.measure(plan("sound"), endpoint="review-sound")
    completed = [each for each in place.events() if isinstance(each, AttemptCompleted)]
    billed = sum(float(each.cost_reported_usd or 0) for each in completed)
    parts = report(judged(run)).conditions[0].languages
    assert sum(part.costs.total_cost_usd or 0 for part in parts) == pytest.approx(billed)
    assert [part.usage.cache_read_tokens.total for part in parts] == [None, None]
    assert sum(part.usage.input_tokens.known_sum for part in parts) == sum(
        each.usage.input_tokens or 0 for each in completed if each.usage
    )
    assert all(part.latency.known_responses == 4 for part in parts)
    assert sum(part.reviews.incomplete for part in parts) == 2  # one of four answers needs evidence


def test_what_was_sent_is_what_was_frozen(tmp_path: Path) -> None:
    """Each attempt sends the frozen prompt with exactly the condition's parameters, in the recorded order."""
    place = ReviewPlace(tmp_path)
    _, run = place.measure(plan(parameters={"seed": 7, "top_p": None}, max_output_tokens=1_000))
    (condition,) = run.conditions
    assert {"seed": 7, "max_tokens": 1_000}.items() <= condition.parameters.items()
    assert "top_p" not in condition.parameters
    prompts = {request.canonical_prompt for request in manifest().requests}
    for sent in place.requests:
        body = msgspec.json.decode(sent.body)
        (message,) = body.pop("messages")
        body.pop("stream_options")
        assert message["content"] in prompts
        assert body == condition.parameters
    asked = [each for each in place.events() if isinstance(each, ReviewAsked)]
    assert [each.position for each in asked] == sorted(each.position for each in asked)
    assert {each.position for each in asked} == set(range(1, 9))
    assert [each.about.request_id for each in asked] != sorted(each.about.request_id for each in asked)


def test_latency_is_of_the_monotonic_clock(tmp_path: Path) -> None:
    """A file's latency is the time from the request to the complete answer, and null where nothing was sent."""
    place = ReviewPlace(tmp_path)
    _, run = place.measure(plan())
    events = place.events()
    completed = {str(each.attempt): each for each in events if isinstance(each, AttemptCompleted)}
    for attempt in run.attempts:
        timing = completed[attempt.attempt_id].timing
        assert attempt.latency_ms == (timing.complete_us or timing.end_us or 0) / 1000
    assert sum(isinstance(each, RequestSent) for each in events) == len(run.attempts)


def test_a_second_run_sends_nothing(tmp_path: Path) -> None:
    """A run that has every response sends nothing more and records nothing more, and gives the same file."""
    place = ReviewPlace(tmp_path)
    _, first = place.measure(plan())
    before = place.events()
    summary, second = place.measure(plan())
    assert (summary.attempts, summary.conditions[0].recalled) == (0, 8)
    assert place.events() == before
    assert file_text(first) == file_text(second) == file_text(place.exported())


@pytest.mark.parametrize("appends", [1, 2, 3, 7, 20, 31])
def test_a_run_that_died_is_taken_up(tmp_path: Path, appends: int) -> None:
    """Wherever a run dies, the next one asks what has no response, within the retry policy, and the file holds."""
    place = ReviewPlace(tmp_path)
    with pytest.raises(LogError):
        place.measure(plan(order_seed=None), endpoint="review-sound", appends=appends)
    summary, run = place.measure(plan(order_seed=None), endpoint="review-sound")
    assert summary.over
    assert report(run).conditions[0].languages[0].reviews.planned == 4
    asked = [each.about for each in place.events() if isinstance(each, ReviewAsked)]
    assert len({(each.review_run_id, each.request_id, each.sequence) for each in asked}) >= 8
    responses = [each for each in place.events() if isinstance(each, AttemptCompleted) and each.status == "response"]
    assert len(responses) == 8
    validated = [each.attempt_id for each in place.events() if isinstance(each, ReviewAnswerValidated)]
    assert len(validated) == len(set(validated)) == 8


def test_no_attempt_is_left(tmp_path: Path) -> None:
    """A request that never gets a response is asked as often as its policy allows, now and later, and is missing."""
    place = ReviewPlace(tmp_path, [ALWAYS_OVERLOADED])
    short = plan("down", source_ids=SOURCES[:1], repetitions=(1,), maximum_attempts=3)
    summary, run = place.measure(short, endpoint="down")
    assert (summary.over, summary.complete, summary.conditions[0].exhausted) == (True, False, 1)
    assert [attempt.sequence for attempt in run.attempts] == [1, 2, 3]
    assert [attempt.retry_of for attempt in run.attempts] == [None, *(each.attempt_id for each in run.attempts[:2])]
    assert place.measure(short, endpoint="down")[0].attempts == 0
    (part,) = report(run).conditions[0].languages
    assert (part.reviews.missing, part.attempts.error, part.costs.total_cost_usd) == (1, 3, None)


def test_another_model_answers(tmp_path: Path) -> None:
    """Where another model answers than the condition's, the endpoint is asked no more, and the file says which."""
    place = ReviewPlace(tmp_path)
    summary, run = place.measure(plan(effective_model_id="review-other"))
    assert (summary.attempts, summary.complete) == (1, False)
    assert summary.conditions[0].other_models == ("review-flawed",)
    assert run.attempts[0].effective_model_id == "review-flawed"
    with pytest.raises(ReviewRefusedError, match=r"\[model-identity"):
        report(run)


def test_conditions_side_by_side(tmp_path: Path) -> None:
    """Two conditions of one run share order and seed, are counterbalanced, and may be compared."""
    place = ReviewPlace(tmp_path)
    balanced = {"ordering": "counterbalanced", "order_seed": None}
    plans = [plan("flawed", **balanced), plan("sound", endpoint="review-sound", **balanced)]
    summary, run = place.measure(*plans)
    assert summary.complete
    assert len({each.execution_settings.order_seed for each in run.conditions}) == 1
    assert report(run).comparable_conditions == (("flawed", "sound"),)
    (planned,) = [each for each in place.events() if isinstance(each, RunPlanned)]
    assert Counter(each.endpoint for each in planned.attempts) == {"review-flawed": 8, "review-sound": 8}
    asked = {each.position: each.about for each in place.events() if isinstance(each, ReviewAsked)}
    first = Counter(asked[position].condition for position in range(1, 17, 2))
    assert first == {"flawed": 4, "sound": 4}


class TestRecords:
    def test_a_condition_is_added(self, tmp_path: Path) -> None:
        """A further condition joins the record, and what was measured before stays as it was."""
        place = ReviewPlace(tmp_path)
        _, first = place.measure(plan())
        _, both = place.measure(plan("sound"), endpoint="review-sound")
        assert [each.condition_id for each in both.conditions] == ["flawed", "sound"]
        assert both.attempts[: len(first.attempts)] == first.attempts
        assert len(both.reviews) == 16

    def test_a_condition_is_never_changed(self, tmp_path: Path) -> None:
        """The same conditionId with other parameters is refused, naming what differs."""
        place = ReviewPlace(tmp_path)
        place.measure(plan())
        with pytest.raises(RecordError, match=r"condition 'flawed' with another parameters .*another conditionId"):
            place.measure(plan(parameters={"seed": 8}))

    def test_orders_that_do_not_go_together(self, tmp_path: Path) -> None:
        """Conditions of one run with two seeds have no common order."""
        place = ReviewPlace(tmp_path)
        with pytest.raises(ConfigurationError, match="one ordering and one orderSeed"):
            place.measure(plan("a"), plan("b", order_seed="other"))

    @pytest.mark.parametrize(
        ("changed", "said"),
        [
            ({"cohort_id": "nothing"}, "cohortId: the manifest has no nothing"),
            ({"source_ids": ("source-001", "source-001")}, "sourceIds: one is named twice"),
            ({"repetitions": (99,)}, "repetitions: the manifest has no 99"),
            ({"endpoint": "nobody"}, "no enabled endpoint 'nobody'"),
            ({"parameters": {"model": "review-sound"}}, "asks for the model 'review-sound', and its endpoint is for"),
            ({"parameters": {"messages": []}}, "messages: the text is the frozen prompt"),
        ],
    )
    def test_plans_that_cannot_be_carried_out(self, tmp_path: Path, changed: dict[str, object], said: str) -> None:
        """A name that manifest or configuration does not have, another model or text: nothing is recorded."""
        place = ReviewPlace(tmp_path)
        with pytest.raises(ConfigurationError, match=said):
            place.measure(plan(**changed))
        assert place.events() == []

    def test_our_judged_file_comes_back(self, tmp_path: Path) -> None:
        """Of a judged file of ours, import adds the judgments and no attempt; export gives the judged file."""
        place = ReviewPlace(tmp_path)
        _, run = place.measure(plan())
        whole = judged(run)
        added = Counter(type(each) for each in place.bring(whole))
        assert added[ReviewAttemptImported] == added[ReviewAnswerValidated] == 0
        assert (added[ReviewJudged], added[ReviewFileRecorded]) == (8, 1)
        assert added[JudgmentRecorded] == 8 * (3 + 2 * 6)
        assert file_text(place.exported()) == file_text(whole)
        assert place.bring(whole) == ()

    def test_a_text_that_is_kept_no_longer(self, tmp_path: Path) -> None:
        """A file whose answers the log has by hash alone is still known; export says what is missing."""
        place = ReviewPlace(tmp_path)
        _, run = place.measure(plan(source_ids=SOURCES[:1]))

        def lost(received: ReceivedText | None) -> str | None:
            return "" if received is None else None

        records = fold_records(place.events())
        whole = judged(run)
        events = import_events(
            evidence(whole), records, "ours", validator=IDENTITY.validator, text_of=lost, new_id=uuid4
        )
        assert not [each for each in events if isinstance(each, ReviewAttemptImported)]
        with pytest.raises(RecordError, match="kept no longer, so the file cannot be made again"):
            records["ours"].run(lost)

    def test_judged_answers_stay_chosen(self, tmp_path: Path) -> None:
        """What people have judged is kept when a further condition is measured into the record."""
        place = ReviewPlace(tmp_path)
        _, run = place.measure(plan())
        place.bring(judged(run))
        _, both = place.measure(plan("sound"), endpoint="review-sound")
        kept: Run = msgspec.structs.replace(both, reviews=both.reviews[:8])
        assert kept.reviews == judged(run).reviews
        assert report(both).conditions[0].languages[0].reviews.accepted_complete >= 1
