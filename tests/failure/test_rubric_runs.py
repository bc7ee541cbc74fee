"""Rubric tasks run and judged against reference models whose criteria are known, from an empty log to a report."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest
from made_rubric import made_task, write_task
from rubric_running import CRITERIA, RubricPlace
from simulated_asking import model_endpoint

from daemon.cli.rubric_files import STARTER
from daemon.reference.rubric import RubricModel
from daemon.rubric.contract import JUDGING
from schemas.errors import LogError
from schemas.events import AttemptCompleted, JudgmentRecorded, RequestSent, RunPlanned
from schemas.events.rubric import RubricAsked

RIGHT = RubricModel(name="right", title="")
ERRING = RubricModel(name="erring", title="", missing=2, unusable=1)
WAYWARD = RubricModel(name="wayward", title="", misjudging=1, unplain=2)
ANSWERS = 4


def asked(place: RubricPlace) -> list[RubricAsked]:
    return [each for each in place.events() if isinstance(each, RubricAsked)]


def judged(place: RubricPlace) -> list[JudgmentRecorded]:
    return [each for each in place.events() if isinstance(each, JudgmentRecorded)]


def closed(place: RubricPlace) -> list[AttemptCompleted]:
    return [each for each in place.events() if isinstance(each, AttemptCompleted)]


@pytest.mark.parametrize("folder", [None, STARTER], ids=["made", "starter"])
def test_facts_and_question_alone_are_sent(tmp_path: Path, folder: Path | None) -> None:
    """A request holds facts and question, and no criterion, no word of the solution and no word of being measured."""
    place = RubricPlace(tmp_path, RIGHT, folder=folder)
    summary = place.ask(include_unread=True)
    assert (summary.complete, len(place.requests)) == (True, summary.attempts)
    assert summary.attempts == summary.tasks == len(place.loaded.tasks) > 0
    for request in place.requests:
        body = msgspec.json.decode(request.body)
        (message,) = body["messages"]
        task = next(each.task for each in place.loaded.tasks if each.task.facts.strip() in message["content"])
        assert message == {"role": "user", "content": f"{task.facts.strip()}\n\n{task.question.strip()}"}
        beside = f"{request.url} {request.headers} {body | {'messages': []}}".lower()
        forbidden = [each.statement for each in task.criteria] + [each.text for each in task.solution]
        assert not [text for text in forbidden if text.strip() in message["content"]]
        assert not [
            word for word in ("rubric", "rubrik", "criteri", "kriteri", "grade", "judge", "bewert") if word in beside
        ]


def test_what_was_asked_is_told_before_it_is_sent(tmp_path: Path) -> None:
    """Each planned attempt has an event of its task, hash, reader, criteria and repetition."""
    place = RubricPlace(tmp_path, RIGHT)
    place.ask(repetitions=2)
    events = asked(place)
    (planned,) = [each for each in place.events() if isinstance(each, RunPlanned)]
    assert (planned.suite, planned.workload) == ("rubric", "rubric")
    assert {each.attempt for each in planned.attempts} == {each.attempt for each in events}
    assert {(each.task, each.language, each.repetition) for each in events} == {
        (task, language, repetition)
        for task in ("vat-reverse-charge", "vat-second")
        for language in ("de", "en")
        for repetition in (1, 2)
    }
    hashes = {(each.task.id, each.task.language): each.sha256 for each in place.loaded.tasks}
    for each in events:
        assert (each.task_sha256, each.reader, len(each.criteria)) == (
            hashes[each.task, each.language],
            "reader-vat",
            CRITERIA,
        )
    assert {each.prompt_sha256 for each in events} == {each.prompt_sha256 for each in closed(place)}
    order = [type(each) for each in place.events() if isinstance(each, RubricAsked | AttemptCompleted)]
    assert order == [RubricAsked, AttemptCompleted] * 8


def test_a_second_run_sends_what_is_new(tmp_path: Path) -> None:
    """Nothing is asked twice but on demand; another model, repetition, limit or one more character is asked."""
    place = RubricPlace(tmp_path, RIGHT)
    place.ask()
    assert place.ask().attempts == 0
    assert place.ask(repetitions=2).attempts == ANSWERS
    assert place.ask(answer_limit_tokens=500).attempts == ANSWERS
    place.endpoints = (model_endpoint("right", model="right-2"),)
    assert place.ask().attempts == ANSWERS
    place.endpoints = (model_endpoint("right"),)
    assert place.ask(again=True).attempts == ANSWERS
    write_task(place.folder, made_task("de", title="Another title"))
    summary = place.ask()
    assert (summary.attempts, [each.text for each in summary.left_out]) == (
        0,
        [
            "vat-reverse-charge (de): changed since its second reading; have it read again and approve it",
        ],
    )
    unread = place.ask(include_unread=True)
    assert (unread.attempts, unread.unread) == (1, ("vat-reverse-charge (de)",))
    assert asked(place)[-1].reader is None


def test_a_run_that_is_taken_up_is_one_evaluation(tmp_path: Path) -> None:
    """What a later run asks is told under the id of the run that asked first in that language, unless all is anew."""
    place = RubricPlace(tmp_path, RIGHT)
    for appends in (2, 9):
        with pytest.raises(LogError):
            place.ask(appends=appends)
    place.ask()
    runs = Counter((each.language, each.run) for each in asked(place))
    assert len(runs) == len({language for language, _ in runs}) == 2
    place.ask(again=True)
    assert len({(each.language, each.run) for each in asked(place)}) == 4


@pytest.mark.parametrize("appends", [3, 4, 6, 7, 10])
def test_an_evaluation_that_was_begun_again_is_gone_on_with(tmp_path: Path, appends: int) -> None:
    """What --again left open is asked by the next run without it, under the id of that run and none of it twice."""
    place = RubricPlace(tmp_path, RIGHT)
    place.ask()
    with pytest.raises(LogError):
        place.ask(again=True, appends=appends)
    (first, *_, last) = asked(place)
    sent = {each.attempt for each in place.events() if isinstance(each, RequestSent)}
    begun = {each.language for each in asked(place) if each.run == last.run and each.attempt in sent}
    answered = sum(each.status == "response" and each.run == last.run for each in closed(place))
    summary = place.ask()
    assert summary.attempts == len(begun) * 2 - answered
    newest = [(each.language, each.task) for each in asked(place) if each.run == last.run != first.run]
    assert set(newest) >= {(each, task) for each in begun for task in ("vat-reverse-charge", "vat-second")}
    assert place.ask().attempts == 0


def test_a_failed_try_of_another_model_takes_nothing_up(tmp_path: Path) -> None:
    """A new task joins the evaluation of the same model, not a later one in which another model never answered."""
    place = RubricPlace(tmp_path, RIGHT)
    place.ask()
    place.endpoints = (model_endpoint("right", model="gone", base_url="http://x.invalid/no/v1"),)
    place.ask()
    place.endpoints = (model_endpoint("right"),)
    place.ask(repetitions=2)
    write_task(place.folder, made_task("de", title="Another title"))
    place.ask(include_unread=True)
    first, *_, last = asked(place)
    assert (last.title, last.run) == ("Another title", first.run)


@pytest.mark.parametrize("appends", range(1, 16, 2))
def test_a_run_killed_anywhere_is_taken_up(tmp_path: Path, appends: int) -> None:
    """After a death at any moment the next run asks what has no answer in the log, and nothing else."""
    place = RubricPlace(tmp_path, RIGHT)
    with pytest.raises(LogError):
        place.ask(appends=appends)
    answered = sum(each.status == "response" for each in closed(place))
    assert place.ask().attempts == ANSWERS - answered
    assert Counter(each.status for each in closed(place)) == {"response": ANSWERS}


def test_one_task_s_failure_sinks_nothing(tmp_path: Path) -> None:
    """A task that a model refuses stays without an answer, with its reason; the rest is answered and the run ends."""
    place = RubricPlace(tmp_path, RIGHT, RubricModel(name="refusing", title="", refused=1))
    summary = place.ask()
    assert not summary.complete
    assert {each.endpoint: (each.answered, each.unanswered, each.unsent) for each in summary.parts} == {
        "right": (4, {}, 0),
        "refusing": (2, {"invalid-request": 2}, 0),
    }
    again = place.ask()
    assert {each.endpoint: (each.recalled, each.answered) for each in again.parts} == {
        "right": (4, 0),
        "refusing": (2, 0),
    }


def test_an_endpoint_without_hope_is_asked_once(tmp_path: Path) -> None:
    """After trouble that every task would meet an endpoint is asked no more, and all that waits is closed."""
    place = RubricPlace(tmp_path, RIGHT)
    place.endpoints = (model_endpoint("right"), model_endpoint("nobody"))
    summary = place.ask(endpoints=("right", "nobody"))
    planned = {each.attempt for run in place.events() if isinstance(run, RunPlanned) for each in run.attempts}
    assert {each.endpoint: (each.answered, each.unanswered, each.unsent) for each in summary.parts} == {
        "right": (4, {}, 0),
        "nobody": (0, {"not-found": 1}, 3),
    }
    assert planned == {each.attempt for each in closed(place)}


def test_a_budget_below_one_request_says_so(tmp_path: Path) -> None:
    """Where not even one request fits, nothing is sent, and the way out is a larger budget, not another try."""
    told = RubricPlace(tmp_path, RIGHT).ask(budget_usd=Decimal("0.0001"))
    assert (told.attempts, told.stopped is None) == (0, False)
    assert "the whole budget of 0.0001 USD for the run does not hold: give it more" in (told.stopped or "")


def test_a_budget_stops_cleanly(tmp_path: Path) -> None:
    """A run stops before it could exceed its budget, closes what it planned, and the next one goes on."""
    place = RubricPlace(tmp_path, RIGHT)
    first = place.ask(budget_usd=Decimal("0.0125"))
    (part,) = first.parts
    assert first.stopped is not None
    assert "> budget of 0.0125 USD for the run" in first.stopped
    assert (part.answered, part.unsent) == (3, 1)
    assert place.told[-1].cost_usd == first.cost_usd > 0
    unsent = {each.attempt for each in closed(place) if each.status == "not-completed"}
    assert len(unsent) == 1
    assert {each.attempt for each in closed(place)} == {each.attempt for each in asked(place)} | unsent
    assert place.ask().parts[0].recalled == 3


def test_an_answer_from_elsewhere_is_none(tmp_path: Path) -> None:
    """A pinned endpoint's answer by another provider is flagged, asked for once more, and counts as none."""
    place = RubricPlace(tmp_path, RIGHT)
    place.endpoints = (model_endpoint("right", pinned_provider="elsewhere"),)
    summary = place.ask()
    assert summary.parts[0].unanswered == {"other-provider": ANSWERS}
    assert place.answers().found == ()
    assert place.ask().attempts == 2 * ANSWERS


def test_known_verdicts_are_recorded_exactly(tmp_path: Path) -> None:
    """A right judge finds exactly the criteria that were planned to be missed, each in a request of its own."""
    place = RubricPlace(tmp_path, ERRING, RIGHT)
    place.ask(endpoints=("erring",))
    summary = place.judge("right")
    tasks = [each.task for each in place.loaded.tasks]
    missed = {
        f"made/{task.id}/{task.language}/{criterion}"
        for task in tasks
        for criterion in place.service.plan("erring", task).missed or ()
    }
    events = judged(place)
    assert len(missed) == 2 * ANSWERS + 2  # two of each answer, and a critical one in both languages of one task
    assert {each.subject.id for each in events if each.verdict is False} == missed
    assert (summary.passed, summary.failed, summary.ungraded) == (CRITERIA * ANSWERS - 10, 10, {})
    assert all(each.reason for each in events)
    requests = [each for each in closed(place) if each.workload == JUDGING]
    assert len(requests) == len(events) == CRITERIA * ANSWERS
    by_attempt = {str(each.attempt): each for each in requests}
    for each in events:
        told = each.judge.parameters
        assert (each.judge.kind, each.judge.name, each.judge.version) == ("model", "right", "1")
        assert by_attempt[told["attempt"]].prompt_sha256 == told["prompt_sha256"]
        assert (told["model"], told["parameters"]["model"]) == ("right", "right")
    assert {each.subject.sha256 for each in events} == {each.sha256 for each in place.answers().found}


def test_answers_of_one_endpoint_alone_can_be_judged(tmp_path: Path) -> None:
    """Where a model is to judge the answers of one endpoint, nothing is asked about another's."""
    place = RubricPlace(tmp_path, ERRING, RIGHT)
    place.ask(endpoints=("erring", "right"))
    summary = place.judge("right", of=("erring",))
    assert (summary.answers, summary.own_answers) == (ANSWERS, 0)
    assert summary.criteria == len(judged(place)) == CRITERIA * ANSWERS
    asked = {each.attempt: each.asked.asked.endpoint for each in place.answers().found}
    assert {asked[each.subject.attempt] for each in judged(place) if each.subject.attempt} == {"erring"}


def test_replies_that_are_no_plain_verdict_leave_criteria_ungraded(tmp_path: Path) -> None:
    """A wayward judge's replies of every unplain kind are null with a category, asked again on demand alone."""
    judge = RubricModel(name="wayward", title="", misjudging=1, unplain=5)
    place = RubricPlace(tmp_path, RIGHT, judge)
    place.ask(endpoints=("right",))
    summary = place.judge("wayward")
    assert (summary.passed, summary.failed, summary.ungraded) == (
        ANSWERS * (CRITERIA - 6),
        ANSWERS,
        {"no-plain-verdict": ANSWERS * 5},
    )
    assert summary.complete
    assert all((each.reason is None) == (each.verdict is None) for each in judged(place))
    assert (again := place.judge("wayward")).attempts == 0
    assert again.before == ANSWERS * CRITERIA
    once_more = place.judge("wayward", again=True)
    assert once_more.attempts == ANSWERS * CRITERIA
    assert all(each.supersedes is not None for each in judged(place)[ANSWERS * CRITERIA :])


def test_all_criteria_together(tmp_path: Path) -> None:
    """One request an answer gives the same verdicts, of another judge; what is unplain stands alone."""
    place = RubricPlace(tmp_path, ERRING, RIGHT, WAYWARD)
    place.ask(endpoints=("erring",))
    single, together = place.judge("right"), place.judge("right", together=True)
    assert (together.attempts, together.passed, together.failed) == (ANSWERS, single.passed, single.failed)
    assert {each.judge.version for each in judged(place)} == {"1", "1-together"}
    wayward = place.judge("wayward", together=True)
    assert wayward.ungraded == {"no-plain-verdict": ANSWERS * 2}
    assert place.judge("wayward", together=True).attempts == 0


def test_two_numbers_from_run_to_report(tmp_path: Path) -> None:
    """Counts, usability, agreement and what tipped are those that were planned, from the requests to the report."""
    models = (
        RubricModel(name="erring", title="", missing=2, unusable=1),
        RubricModel(name="refusing", title="", refused=1),
        RIGHT,
        WAYWARD,
    )
    place = RubricPlace(tmp_path, *models)
    place.ask(endpoints=("erring", "refusing"))
    place.judge("right")
    place.judge("wayward")
    report = place.report()
    assert [(each.endpoint, each.language) for each in report.evaluations] == [
        (name, language) for name in ("erring", "refusing") for language in ("de", "en")
    ]
    for each in report.evaluations:
        right, wayward = each.judges
        assert [judge.judge.name for judge in each.judges] == ["right", "wayward"]
        if each.endpoint == "erring":
            assert (right.score.passed, right.score.failed, right.score.ungraded) == (2 * CRITERIA - 5, 5, 0)
            assert (right.usability.usable, right.usability.not_usable, right.usability.rate) == (1, 1, 0.5)
            assert (wayward.score.ungraded, wayward.score.score) == (2 * 2, None)
            assert (each.agreement.compared, each.agreement.alike) == (2 * (CRITERIA - 2), 2 * (CRITERIA - 3))
            assert (each.score.disputed, each.score.ungraded, each.score.score) == (2, 2, None)
            plans = {
                task.task: place.service.plan("erring", place.task(task.task, each.language)) for task in each.tasks
            }
            judged_by_right = {
                task.task: {
                    criterion.id
                    for criterion in task.criteria
                    for given in criterion.verdicts
                    if given.judge.name == "right" and given.verdict is False
                }
                for task in each.tasks
            }
            assert judged_by_right == {name: plan.missed for name, plan in plans.items()}
        else:
            assert (right.score.passed, right.score.ungraded) == (CRITERIA, CRITERIA)
            assert (right.usability.usable, right.usability.undecided, right.usability.rate) == (1, 1, 0.5)
            (failed,) = [task for task in each.tasks if task.answer is None]
            assert (failed.status, failed.usable, failed.failure and failed.failure.kind) == (
                "error",
                None,
                "invalid-request",
            )


def test_a_judge_that_fails_leaves_its_criteria_open(tmp_path: Path) -> None:
    """A judging request without a reply is recorded as such, and made again by the next run, which supersedes it."""
    place = RubricPlace(tmp_path, RIGHT)
    place.ask()
    place.endpoints = (
        model_endpoint("right"),
        model_endpoint("judge", model="right", base_url="http://x.invalid/no/v1"),
    )
    first = place.judge("judge")
    assert (first.ungraded, first.part.unanswered, first.part.unsent) == (
        {"no-reply": 1},
        {"not-found": 1},
        ANSWERS * CRITERIA - 1,
    )
    place.endpoints = (model_endpoint("right"), model_endpoint("judge", base_url="http://x.invalid/right/v1"))
    second = place.judge("judge")
    assert (second.complete, second.before, second.passed) == (True, 0, ANSWERS * CRITERIA)
    assert [each.supersedes is not None for each in judged(place)].count(True) == 1


def test_a_judge_that_says_nothing_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty reply is none: the next run asks once more, and does not take the old emptiness down again."""
    place = RubricPlace(tmp_path, RIGHT)
    place.ask()
    with monkeypatch.context() as silent:
        silent.setattr(place.service, "_judged", lambda *_: "")
        first = place.judge("right")
    assert first.ungraded == {"no-reply": ANSWERS * CRITERIA}
    second = place.judge("right")
    assert (second.attempts, second.passed) == (ANSWERS * CRITERIA, ANSWERS * CRITERIA)


@pytest.mark.parametrize("appends", [2, 3, 4, 5, 20, 21, 22])
def test_judging_killed_anywhere_is_taken_up(tmp_path: Path, appends: int) -> None:
    """After a death at any moment a reply in the log is judged by without asking, and only what has none is asked."""
    place = RubricPlace(tmp_path, RIGHT)
    place.ask()
    with pytest.raises(LogError):
        place.judge("right", appends=appends)
    replied = sum(each.status == "response" and each.workload == JUDGING for each in closed(place))
    recorded = len(judged(place))
    summary = place.judge("right")
    assert summary.attempts == ANSWERS * CRITERIA - replied
    assert summary.part.recalled == replied - recorded
    assert Counter(each.subject.attempt for each in judged(place)).total() == ANSWERS * CRITERIA


def test_a_judge_of_its_own_answers_says_so(tmp_path: Path) -> None:
    """Answers of the judging endpoint, and of another endpoint of its model, are counted as its own."""
    place = RubricPlace(tmp_path, RIGHT, ERRING)
    place.endpoints = (*place.endpoints, model_endpoint("twin", model="right", base_url="http://x.invalid/right/v1"))
    place.ask()
    assert place.judge("right").own_answers == ANSWERS
    assert place.judge("twin").own_answers == ANSWERS
    assert place.judge("erring").own_answers == ANSWERS


def test_answers_to_a_task_as_it_was_are_not_judged(tmp_path: Path) -> None:
    """After a task's file has changed its answer is named as such, and judged no more."""
    place = RubricPlace(tmp_path, RIGHT)
    place.ask()
    write_task(place.folder, made_task("de", title="Another title"))
    summary = place.judge("right")
    (told,) = summary.unusable
    assert told.startswith("vat-reverse-charge (de), attempt ")
    assert "the task's file has changed since" in told
    assert summary.answers == ANSWERS - 1
    place.ask(again=True, include_unread=True)
    assert place.answers().unusable == ()  # it has been asked as it is now, so that there is nothing to do
