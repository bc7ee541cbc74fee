"""What a report counts, leaves out and names, over logs made by hand."""

from __future__ import annotations

from uuid import UUID

import pytest
from made_rubric_log import ANNA, BRUNO, RubricLog, arbiter, now, task

from daemon.judging.intervals import wilson
from daemon.judging.rubric.markdown import markdown
from schemas.rubric.report import Evaluation, ExcludedTask, RubricReport

VAT, BEAM, LEDGER = task("vat"), task("beam"), task("ledger")
PASSED = {"debtor": True, "amount": True, "citation": True, "deadline": True}


def only(report: RubricReport) -> Evaluation:
    (evaluation,) = report.evaluations
    return evaluation


def test_both_numbers_stand_side_by_side() -> None:
    """Three tasks, eleven of twelve criteria: the score counts criteria, the rate tasks, with Wilson's interval."""
    log = RubricLog()
    log.judge(log.ask(VAT), VAT, PASSED | {"debtor": False})
    log.judge(log.ask(BEAM), BEAM, PASSED)
    log.judge(log.ask(LEDGER), LEDGER, PASSED)
    found = only(log.report(now(VAT, BEAM, LEDGER)))
    assert (found.score.passed, found.score.criteria, found.score.score) == (11, 12, 11 / 12)
    interval = wilson(2, 3)
    assert interval is not None
    rate = found.usability
    assert (rate.usable, rate.tasks, rate.rate) == (2, 3, 2 / 3)
    assert (rate.rate_low, rate.rate_high) == (interval.low, interval.high)


def test_one_ungraded_criterion_leaves_the_catalogue_without_a_score() -> None:
    """A single null takes the score of its task and of the whole, and its number is shown; the rate stays."""
    log = RubricLog()
    log.judge(log.ask(VAT), VAT, PASSED | {"deadline": "no-plain-verdict"})
    log.judge(log.ask(BEAM), BEAM, PASSED)
    found = only(log.report(now(VAT, BEAM)))
    assert (found.score.score, found.score.ungraded, found.score.passed) == (None, 1, 7)
    assert [each.score.score for each in found.tasks] == [1.0, None]
    assert found.usability.rate == 1.0


@pytest.mark.parametrize("failure", ["server-error", "rate-limited", "timeout-total"])
def test_a_failure_never_sinks_the_catalogue(failure: str) -> None:
    """A task without an answer is undecided, with every criterion ungraded and its failure shown; others count."""
    log = RubricLog()
    log.ask(VAT, failure=failure)
    log.judge(log.ask(BEAM), BEAM, PASSED)
    found = only(log.report(now(VAT, BEAM)))
    lost = found.tasks[1]
    assert lost.failure is not None
    assert (lost.failure.kind, lost.usable, lost.score.ungraded, lost.answer) == (failure, None, 4, None)
    assert (found.usability.usable, found.usability.undecided, found.usability.rate) == (1, 1, 0.5)


def test_judges_who_differ_dispute() -> None:
    """A disputed critical criterion leaves the task undecided, and says so; each judge alone has a number."""
    log = RubricLog()
    attempt = log.ask(VAT)
    log.judge(attempt, VAT, PASSED, ANNA)
    log.judge(attempt, VAT, PASSED | {"amount": False, "deadline": "no-reply"}, arbiter())
    found = only(log.report(now(VAT)))
    (outcome,) = found.tasks
    assert (outcome.usable, outcome.score.disputed, outcome.undecided_by) == (None, 1, ("amount",))
    assert [(each.judge.name, each.usable, each.score.score) for each in outcome.judges] == [
        ("arbiter", False, None),
        ("anna", True, 1.0),
    ]
    assert [(each.judge.name, each.usability.usable) for each in found.judges] == [("arbiter", 0), ("anna", 1)]
    agreement = found.agreement
    assert (agreement.judges, agreement.compared, agreement.alike) == (2, 3, 2)


def test_a_judge_of_some_tasks_leaves_the_others_ungraded() -> None:
    """By a judge alone, what that judge has not judged is ungraded and not usable, never left out."""
    log = RubricLog()
    for about in (VAT, BEAM):
        log.judge(log.ask(about), about, PASSED, ANNA)
    log.judge(log.groups()[0].tasks[0].asked.attempt, BEAM, PASSED, BRUNO)
    found = {each.judge.name: each for each in only(log.report(now(VAT, BEAM))).judges}
    assert (found["anna"].usability.rate, found["bruno"].usability.rate) == (1.0, 0.5)
    assert (found["bruno"].score.ungraded, found["bruno"].score.score) == (4, None)


def test_where_it_tipped_names_critical_criteria_first() -> None:
    """Failed criteria are named, critical ones before the others, each in the rubric's order."""
    about = task("vat", {"one": False, "two": True, "three": False, "four": True, "five": True})
    log = RubricLog()
    verdicts = {"one": False, "two": False, "three": False, "four": True, "five": False}
    log.judge(log.ask(about), about, verdicts)
    assert only(log.report(now(about))).tasks[0].tipped == ("two", "five", "one", "three")


def test_a_changed_task_is_of_an_earlier_text_and_left_out() -> None:
    """A task whose file has changed since it was asked is in no figure, and is named with the reason."""
    log = RubricLog()
    log.judge(log.ask(VAT, task_sha256="7" * 64), VAT, PASSED)
    log.judge(log.ask(BEAM), BEAM, PASSED)
    log.ask(LEDGER)
    found = only(log.report(now(VAT, BEAM)))
    assert (found.usability.tasks, [each.task for each in found.tasks]) == (1, ["beam"])
    assert [(each.task, each.reason) for each in found.asked_excluded] == [
        ("ledger", "not-in-catalogue"),
        ("vat", "earlier-text"),
    ]


def test_a_task_that_was_asked_again_in_its_new_text_counts_as_it_was_answered_then() -> None:
    """A failure on the task as it is now stays in both denominators, whatever was answered to an earlier text."""
    log = RubricLog()
    log.judge(log.ask(VAT, task_sha256="7" * 64), VAT, PASSED)
    log.ask(VAT, failure="server-error")
    found = only(log.report(now(VAT)))
    (outcome,) = found.tasks
    assert (outcome.failure is not None, outcome.tries, found.asked_excluded) == (True, 1, ())
    assert (found.usability.tasks, found.usability.undecided, found.score.ungraded) == (1, 1, 4)


def test_a_task_that_is_as_it_was_counts_by_its_answer_of_then() -> None:
    """An answer to the very text that the file has now counts, also where another text was asked after it."""
    log = RubricLog()
    log.judge(log.ask(VAT), VAT, PASSED)
    log.ask(VAT, task_sha256="7" * 64)
    found = only(log.report(now(VAT)))
    assert (found.usability.rate, found.tasks[0].tries, found.asked_excluded) == (1.0, 1, ())


def test_tasks_that_stay_out_are_named() -> None:
    """What the catalogue leaves out is in no figure though it was asked, and is named with its reason."""
    log = RubricLog()
    log.judge(log.ask(VAT), VAT, PASSED)
    out = (ExcludedTask(task="vat", language="en", reason="changed-since"),)
    report = log.report(now(BEAM, excluded=out))
    assert report.excluded == out
    assert only(report).asked_excluded == out
    assert (only(report).usability.tasks, only(report).usability.rate) == (0, None)
    assert only(report).never_asked == ("beam",)


def test_unread_tasks_that_are_included_are_marked() -> None:
    """A task that was let in unread is told from one that a second expert read, and an example from both."""
    log = RubricLog()
    sketch = task("sketch", example=True)
    for about in (VAT, BEAM, sketch):
        log.ask(about)
    report = log.report(now(VAT, BEAM, sketch, readers={"vat": None, "sketch": None}, include_unread=True))
    assert report.include_unread
    assert {each.task: (each.standing, each.reader) for each in only(report).tasks} == {
        "beam": ("read", "anna"),
        "sketch": ("example", None),
        "vat": ("unread", None),
    }


def test_the_answer_is_whole_or_its_absence_is_told() -> None:
    """An answer is there to the last character; of one that is kept no longer the hash remains."""
    long = "Ä🙂\n" * 5000
    log = RubricLog()
    log.ask(VAT, long)
    log.ask(BEAM, kept=False)
    log.ask(LEDGER, None)
    gone, empty, whole = only(log.report(now(VAT, BEAM, LEDGER))).tasks
    assert whole.answer == long
    assert (gone.answer, gone.answer_sha256 is not None) == (None, True)
    assert empty.answer == ""


def test_a_reply_of_another_provider_is_no_answer() -> None:
    """What another provider than the pinned one replied is shown as such, and no verdict on it counts."""
    log = RubricLog()
    log.judge(log.ask(VAT, flags=("other-provider",)), VAT, PASSED)
    found = only(log.report(now(VAT)))
    (outcome,) = found.tasks
    assert (outcome.other_provider, outcome.usable, outcome.score.ungraded) == (True, None, 4)
    assert found.stray_judgments == 4
    assert "another provider replied" in markdown(log.report(now(VAT)))


def test_a_model_that_judges_its_own_answers_is_marked() -> None:
    """The endpoint that answered and judged is marked, so is another endpoint of its model, and no other judge is."""
    log = RubricLog()
    attempt = log.ask(VAT, returned_model="twin-large")
    for endpoint in ("mini", "twin", "arbiter"):
        log.judge(attempt, VAT, PASSED, arbiter(endpoint=endpoint))
    found = only(log.report(now(VAT))).judges
    assert [(each.judge.name, each.own_answers, each.models) for each in found] == [
        ("arbiter", False, ("arbiter-large",)),
        ("mini", True, ("mini-large",)),
        ("twin", True, ("twin-large",)),
    ]


def test_figures_never_decide_an_order() -> None:
    """Evaluations and tasks stand in the same order, whoever was better at what."""
    orders = []
    for better in ("large", "mini"):
        log = RubricLog()
        for endpoint in ("mini", "large"):
            for about in (VAT, BEAM):
                right = endpoint == better
                log.judge(log.ask(about, endpoint=endpoint), about, dict.fromkeys(PASSED, right))
        report = log.report(now(VAT, BEAM))
        orders.append([(each.endpoint, [one.task for one in each.tasks]) for each in report.evaluations])
    assert orders[0] == orders[1] == [("large", ["beam", "vat"]), ("mini", ["beam", "vat"])]


def test_a_catalogue_that_was_never_asked_has_an_empty_report() -> None:
    """Without any ask there are no evaluations and no numbers, and the tasks are named."""
    report = RubricLog().report(now(VAT))
    assert (report.evaluations, [each.task for each in report.tasks]) == ((), ["vat"])


def test_runs_are_never_added_up() -> None:
    """Two runs and two repetitions are evaluations of their own, so that no task counts twice."""
    log = RubricLog()
    for run, repetition in ((1, 1), (1, 2), (2, 1)):
        log.ask(VAT, run=UUID(int=run), repetition=repetition)
    found = log.report(now(VAT)).evaluations
    assert [(each.run.int, each.repetition, each.usability.tasks) for each in found] == [
        (1, 1, 1),
        (1, 2, 1),
        (2, 1, 1),
    ]
