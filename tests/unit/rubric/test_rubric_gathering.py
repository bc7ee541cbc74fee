"""From events to what was asked and judged: tries joined, superseded and stray judgments gone, order of no matter."""

from __future__ import annotations

import random
from datetime import timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from made_events import NOON, answered
from made_rubric_log import ANNA, BRUNO, RUN, RubricLog, arbiter, task

from daemon.judging.rubric.gathering import Asked, Timed, gathered, in_force
from schemas.events import JudgmentRecorded

VAT = task("vat")


def only(log: RubricLog) -> Asked:
    (group,) = log.groups()
    (asked,) = group.tasks
    return asked


def verdicts(asked: Asked, by: str = "anna") -> dict[str, bool | None]:
    return {
        criterion: event.verdict
        for criterion, judged in asked.judgments.items()
        for (_, name, _), event in judged.items()
        if name == by
    }


def test_a_repetition_of_a_run_has_each_task_once() -> None:
    """Endpoints, languages, runs and repetitions are groups of their own, in the order of their names and days."""
    log = RubricLog()
    log.ask(VAT, endpoint="mini", repetition=2)
    log.ask(VAT, endpoint="mini")
    log.ask(task("beam"), endpoint="mini")
    log.ask(VAT, endpoint="large", run=UUID(int=1), at=NOON)
    log.ask(VAT, endpoint="large", run=UUID(int=2), at=NOON - timedelta(days=1))
    log.ask(task("vat", language="de"), endpoint="large", run=UUID(int=2))
    found = [
        (each.endpoint, each.language, each.run.int, each.repetition, [one.asked.task for one in each.tasks])
        for each in log.groups()
    ]
    assert found == [
        ("large", "de", 2, 1, ["vat"]),
        ("large", "en", 2, 1, ["vat"]),
        ("large", "en", 1, 1, ["vat"]),
        ("mini", "en", RUN.int, 1, ["beam", "vat"]),
        ("mini", "en", RUN.int, 2, ["vat"]),
    ]


def test_the_day_is_that_of_the_first_request_in_utc() -> None:
    """A run over midnight belongs to the day on which it began."""
    log = RubricLog()
    log.ask(VAT, at=NOON.replace(hour=23, minute=59))
    log.ask(task("beam"), at=NOON.replace(day=1, month=12, hour=0))
    (group,) = log.groups()
    assert group.on.isoformat() == "2026-11-30"


def test_the_last_try_with_a_response_counts() -> None:
    """Refused tries are counted, and the answer is that of the try that got one."""
    log = RubricLog()
    log.ask(VAT, failure="rate-limited")
    attempt = log.ask(VAT)
    log.ask(VAT, failure="server-error")
    asked = only(log)
    assert (asked.asked.attempt, asked.tries) == (attempt, 3)


def test_without_a_response_the_last_try_tells_why() -> None:
    """A task whose tries all failed is there, with its last failure and no verdicts."""
    log = RubricLog()
    log.ask(VAT, failure="rate-limited")
    last = log.ask(VAT, failure="server-error")
    log.judge(last, VAT, {"debtor": True})
    asked = only(log)
    assert asked.completed is not None
    assert asked.completed.failure is not None
    assert (asked.completed.failure.kind, asked.tries, asked.judgments, asked.stray) == ("server-error", 2, {}, 1)


def test_a_task_in_flight_is_there_without_an_end() -> None:
    """What was asked and has not ended is no answer and no failure."""
    log = RubricLog()
    log.ask(VAT, completed=False)
    assert only(log).completed is None


def test_a_later_judgment_of_the_same_judge_takes_the_place_of_the_earlier() -> None:
    """Of one judge's verdicts on a criterion the last counts, also where it is no verdict any more."""
    log = RubricLog()
    attempt = log.ask(VAT)
    log.judge(attempt, VAT, {"debtor": True, "amount": True})
    log.judge(attempt, VAT, {"debtor": False, "amount": "no-reply"})
    assert verdicts(only(log)) == {"debtor": False, "amount": None}


def test_what_a_judgment_supersedes_by_name_is_gone() -> None:
    """A superseded judgment counts nowhere, also where the one that names it is of another judge."""
    log = RubricLog()
    attempt = log.ask(VAT)
    (wrong,) = log.judge(attempt, VAT, {"debtor": True}, ANNA)
    log.judge(attempt, VAT, {"debtor": False}, BRUNO, supersedes=wrong)
    asked = only(log)
    assert (verdicts(asked, "anna"), verdicts(asked, "bruno")) == ({}, {"debtor": False})


def test_another_version_is_another_judge() -> None:
    """Verdicts under two prompt versions stand beside each other."""
    log = RubricLog()
    attempt = log.ask(VAT)
    log.judge(attempt, VAT, {"debtor": True}, arbiter("1"))
    log.judge(attempt, VAT, {"debtor": False}, arbiter("2"))
    assert set(only(log).judgments["debtor"]) == {("model", "arbiter", "1"), ("model", "arbiter", "2")}


def test_judgments_are_bound_to_the_answers_hash() -> None:
    """A verdict on another text, or on what is no criterion of the task, counts nowhere and is counted as stray."""
    log = RubricLog()
    attempt = log.ask(VAT)
    log.judge(attempt, VAT, {"debtor": True}, answer="The recipient!")
    log.judge(attempt, VAT, {"colour": True})
    asked = only(log)
    assert (asked.judgments, asked.stray) == ({}, 2)


def test_an_empty_answer_can_be_judged() -> None:
    """A response without any text is an answer, and its hash is that of no bytes."""
    log = RubricLog()
    attempt = log.ask(VAT, "")
    log.judge(attempt, VAT, {"debtor": False}, answer="")
    nothing = log.ask(task("beam"), None)
    log.judge(nothing, task("beam"), {"debtor": False}, answer="")
    (group,) = log.groups()
    assert [verdicts(each) for each in group.tasks] == [{"debtor": False}, {"debtor": False}]


def test_other_catalogues_suites_and_workloads_are_passed_over() -> None:
    """Attempts of judging models and of other suites are no answers, and other catalogues' tasks not asked."""
    log = RubricLog()
    attempt = log.ask(VAT, completed=False)
    log.add(answered(NOON, attempt=attempt, suite="rubric", workload="rubric-judging"))
    log.add(answered(NOON, attempt=attempt, suite="office", workload="rubric"))
    assert only(log).completed is None
    assert gathered(log.timed(), "others") == ()
    assert len(gathered(log.timed())) == 1


JUDGES = (ANNA, BRUNO, arbiter())


@given(
    st.lists(st.tuples(st.sampled_from(range(3)), st.sampled_from(["debtor", "amount"]), st.booleans()), max_size=12),
    st.integers(),
)
def test_the_order_of_different_judges_does_not_matter(given_: list[tuple[int, str, bool]], seed: int) -> None:
    """Judgments of several judges in any interleaving come to the same, each judge's own in their order."""
    log = RubricLog()
    attempt = log.ask(VAT)
    for judge, criterion, verdict in given_:
        log.judge(attempt, VAT, {criterion: verdict}, JUDGES[judge])
    events = log.timed()
    assert _known(_interleaved(events, seed)) == _known(events)


@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_superseded_judgments_do_not_count(chain: list[bool]) -> None:
    """Of a chain in which each supersedes the one before, the last alone is in force."""
    log = RubricLog()
    attempt = log.ask(VAT)
    before: UUID | None = None
    for verdict in chain:
        (before,) = log.judge(attempt, VAT, {"debtor": verdict}, supersedes=before)
    events = [event for _, event in log.timed() if isinstance(event, JudgmentRecorded)]
    assert [event.judgment for event in in_force(events)] == [before]
    assert verdicts(only(log)) == {"debtor": chain[-1]}


def _interleaved(events: list[Timed], seed: int) -> list[Timed]:
    """Mix judgments of different judges, keeping each judge's own order and all else where it was."""
    source = random.Random(seed)
    queues: dict[str, list[Timed]] = {}
    for each in events:
        if isinstance(each[1], JudgmentRecorded):
            queues.setdefault(each[1].judge.name, []).append(each)
    order = [name for name, queue in sorted(queues.items()) for _ in queue]
    source.shuffle(order)
    mixed = [queues[name].pop(0) for name in order]
    return [each for each in events if not isinstance(each[1], JudgmentRecorded)] + mixed


def _known(events: list[Timed]) -> dict[str, dict[tuple[str, str, str], UUID]]:
    (group,) = gathered(events)
    return {
        criterion: {key: event.judgment for key, event in judged.items()}
        for criterion, judged in group.tasks[0].judgments.items()
    }
