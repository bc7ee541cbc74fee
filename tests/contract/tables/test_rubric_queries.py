"""Queries of expert tasks on a real ClickHouse: their numbers are those of the pure report on the same log."""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import pytest
from made_events import NOON, endpoint
from made_rubric_log import ANNA, BRUNO, RubricLog, arbiter, now, task
from msgspec import structs

from daemon.judging.rubric.reporting import CatalogueNow
from projections.queries.registry import run_query
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions
from schemas.rubric.report import Evaluation, ExcludedTask, JudgeNumbers, TaskOutcome
from schemas.rubric.task import RubricTask

pytestmark = pytest.mark.clickhouse

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
RELATED: Final = structs.replace(arbiter("3"), parameters={"model": "deep-2027"})
JUDGES: Final = (ANNA, BRUNO, arbiter(), arbiter("2"), arbiter(endpoint="mini"), RELATED)
TASKS: Final = tuple(
    task(name, {f"c{place}": place < critical for place in range(6)}, language=language, example=name == "example")
    for name, critical in (("vat", 2), ("lease", 3), ("beam", 0), ("example", 2), ("unread", 1))
    for language in ("de", "en")
)
UNREAD: Final = ("example", "unread")


async def fold(store: ClickHouseStore, log: RubricLog) -> None:
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    await runner.fold_available(LogSource(log))


async def asked(store: ClickHouseStore, name: str, **parameters: Any) -> list[dict[str, Any]]:
    return (await run_query(store, name, **{"end": NOON, **parameters})).dicts()


def drawn(seed: int) -> RubricLog:
    """Draw evaluations in which everything happens: tries, failures, other providers, judgments of every kind."""
    log, draw = RubricLog(), random.Random(seed)
    log.open(endpoint(simulated=True), endpoint("deep"))
    for number in range(8):
        run, at = UUID(int=100 + number // 2), NOON - timedelta(hours=40 - 4 * number)
        for about in TASKS:
            if draw.random() < 0.2:
                continue
            of_run: dict[str, Any] = {
                "endpoint": ("mini", "deep")[number // 4],
                "run": run,
                "repetition": 1 + number % 2,
                "reader": None if about.id in UNREAD else "anna",
            }
            if draw.random() < 0.2:
                earlier = log.ask(about, "Zero.", task_sha256="0" * 64, at=at, **of_run)
                _judged(log, draw, earlier, about, "Zero.")
            for attempt_number in range(draw.choice((1, 1, 2, 3))):
                answer = draw.choice(("One.", "Two.", ""))
                attempt = log.ask(
                    about,
                    answer or None,
                    failure=draw.choice((None, None, None, "server-error")),
                    flags=draw.choice(((), (), (), ("other-provider",))),
                    completed=draw.random() < 0.95,
                    returned_model=f"{of_run['endpoint']}-{draw.choice((2026, 2027))}",
                    at=at + attempt_number * MINUTE,
                    **of_run,
                )
                _judged(log, draw, attempt, about, answer)
    return log


def _judged(log: RubricLog, draw: random.Random, attempt: UUID, about: RubricTask, answer: str) -> None:
    level = draw.choice((0.3, 0.9, 1.0))
    for by in draw.sample(JUDGES, draw.randint(0, 3)):
        verdicts = {
            each.id: draw.random() < level or draw.choice((False, False, None, "no-plain-verdict"))
            for each in about.criteria
            if draw.random() < 0.97
        }
        made = log.judge(attempt, about, verdicts, by, answer=draw.choice((answer, answer, answer, "Another.")))
        if draw.random() < 0.3:
            again = draw.sample(sorted(verdicts), 2)
            log.judge(attempt, about, dict.fromkeys(again, True), by, answer=answer, at=NOON - 20 * MINUTE)
        if made and draw.random() < 0.2:
            log.judge(attempt, about, {"strange": True}, by, answer=answer, supersedes=made[0])


def catalogue(*, include_unread: bool) -> CatalogueNow:
    """Return every task, or those alone that a second expert had read."""
    inside = [each for each in TASKS if include_unread or each.id not in UNREAD]
    outside = tuple(
        ExcludedTask(task=each.id, language=each.language, reason="unread") for each in TASKS if each not in inside
    )
    readers = dict.fromkeys(UNREAD)
    return now(*inside, readers=readers, excluded=outside, include_unread=include_unread)


def both(of: Evaluation | JudgeNumbers) -> dict[str, Any]:
    """Return both numbers as the tables name them."""
    score, usability = of.score, of.usability
    return {
        **{name: getattr(score, name) for name in ("criteria", "passed", "failed", "ungraded", "disputed")},
        **{name: getattr(usability, name) for name in ("tasks", "usable", "not_usable", "undecided")},
        "score": pytest.approx(score.score),
        "usability_rate": pytest.approx(usability.rate),
        "usability_low": pytest.approx(usability.rate_low, abs=1e-12),
        "usability_high": pytest.approx(usability.rate_high, abs=1e-12),
    }


def key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["endpoint"], row["language"], row["run"], row["repetition"]


def numbers(made: Evaluation) -> dict[str, Any]:
    agreement = made.agreement
    return {
        **both(made),
        "judges": agreement.judges,
        "compared": agreement.compared,
        "alike": agreement.alike,
        "alike_share": pytest.approx(agreement.alike_share),
        "alpha": pytest.approx(agreement.alpha, abs=1e-9),
        "models": ", ".join(made.models),
        "left_out": len(made.asked_excluded),
        "left_out_names": ", ".join(sorted(each.task for each in made.asked_excluded)),
    }


def told(made: TaskOutcome) -> dict[str, Any]:
    score = made.score
    return {
        **{name: getattr(score, name) for name in ("criteria", "passed", "failed", "ungraded", "disputed")},
        "score": pytest.approx(score.score),
        "usable": made.usable,
        "tipped": ", ".join(made.tipped),
        "open_critical": ", ".join(made.undecided_by),
        "status": made.status,
        "failure": None if made.failure is None else made.failure.kind,
        "other_provider": made.other_provider,
        "tries": made.tries,
        "standing": made.standing,
        "attempt": str(made.attempt),
    }


def parts(rows: Iterable[dict[str, Any]], expected: dict[Any, dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    """Return rows by key, of the columns that are compared."""
    wanted = next(iter(expected.values()))
    return {row["key"]: {name: row[name] for name in wanted} for row in rows}


@pytest.mark.parametrize("include_unread", [False, True])
async def test_numbers_are_those_of_the_report(store: ClickHouseStore, *, include_unread: bool) -> None:
    """Drawn evaluations have in the tables, to the last count, the numbers, tasks and verdicts of the pure report."""
    log = drawn(seed=1 + include_unread)
    report = log.report(catalogue(include_unread=include_unread))
    await fold(store, log)
    chosen = {"standing": ["read", "example", "unread"] if include_unread else []}
    made = {(e.endpoint, e.language, str(e.run), e.repetition): e for e in report.evaluations}

    rows = await asked(store, "rubric-numbers", **chosen)
    expected = {k: numbers(e) | {"oldest": e.on} for k, e in made.items()}
    seen = [row | {"key": key(row), "oldest": row["oldest"].date()} for row in rows]
    assert parts(seen, expected) == expected
    assert {t.usable for e in made.values() for t in e.tasks} == {True, False, None}
    assert any(e.agreement.alpha is not None and e.score.disputed for e in made.values())
    assert any(e.stray_judgments for e in made.values())

    alone = {(*k, j.judge.kind, j.judge.name, j.judge.version): j for k, e in made.items() for j in e.judges}
    rows = await asked(store, "rubric-judges", **chosen)
    assert {j.own_answers for j in alone.values() if j.judge.name == "arbiter"} == {True, False}
    by_judge = {
        k: both(j) | {"own_answers": j.own_answers, "judge_models": ", ".join(j.models)} for k, j in alone.items()
    }
    seen = [row | {"key": (*key(row), row["judge_kind"], row["judge"], row["judge_version"])} for row in rows]
    assert parts(seen, by_judge) == by_judge

    runs = sorted({str(e.run) for e in report.evaluations})
    rows = await asked(store, "rubric-tasks", run=runs, **chosen)
    tasks = {(*k, t.task): t for k, e in made.items() for t in e.tasks}
    outcomes = {k: told(t) for k, t in tasks.items()}
    assert parts([row | {"key": (*key(row), row["task"])} for row in rows], outcomes) == outcomes

    rows = await asked(store, "rubric-tipped", run=runs, **chosen)
    tipped = [(*key(row), row["task"], row["criterion"]) for row in rows]
    assert sorted(tipped) == sorted((*k, each) for k, t in tasks.items() for each in t.tipped)

    rows = await asked(store, "rubric-verdicts", run=runs, **chosen)
    given = {
        (*k, c.id, v.judge.name, v.judge.version): (c.verdict, c.disputed, v.verdict, v.category, v.reason)
        for k, t in tasks.items()
        for c in t.criteria
        for v in c.verdicts
    }
    fields = ("together", "is_disputed", "verdict", "category", "reason")
    assert {
        (*key(r), r["task"], r["criterion"], r["judge"], r["judge_version"]): tuple(r[name] for name in fields)
        for r in rows
        if r["judge"]
    } == given
    unjudged = [(*key(row), row["task"], row["criterion"]) for row in rows if not row["judge"]]
    assert sorted(unjudged) == sorted((*k, c.id) for k, t in tasks.items() for c in t.criteria if not c.verdicts)


async def test_newest_runs_moments_and_filters(store: ClickHouseStore) -> None:
    """Lists of tasks are of the newest run, an older moment shows what was known then, and lists of names narrow."""
    about, log = task(), RubricLog()
    marks = dict.fromkeys(("debtor", "amount", "citation", "deadline"), True)
    old = log.ask(about, run=UUID(int=1), at=NOON - 3 * HOUR)
    log.judge(old, about, marks, at=NOON - 2 * HOUR)
    new = log.ask(about, run=UUID(int=2), at=NOON - HOUR)
    log.judge(new, about, marks, at=NOON - 30 * MINUTE)
    log.judge(new, about, marks | {"citation": False, "amount": False}, BRUNO, at=NOON - 30 * MINUTE)
    log.judge(new, about, {"amount": False}, at=NOON - 10 * MINUTE)
    await fold(store, log)

    assert [(row["run"], row["score"], row["usable"]) for row in await asked(store, "rubric-numbers")] == [
        (str(UUID(int=2)), None, 0),
        (str(UUID(int=1)), 1.0, 1),
    ]
    assert [row["run"] for row in await asked(store, "rubric-numbers", shown="newest")] == [str(UUID(int=2))]
    (row,) = await asked(store, "rubric-tasks")
    assert (row["run"], row["usable"], row["tipped"]) == (str(UUID(int=2)), False, "amount")
    (row,) = await asked(store, "rubric-tasks", end=NOON - 20 * MINUTE)
    assert (row["usable"], row["open_critical"], row["disputed"]) == (None, "amount", 2)
    (row,) = await asked(store, "rubric-tasks", end=NOON - 40 * MINUTE)
    assert (row["ungraded"], row["tipped"]) == (4, "")
    (row,) = await asked(store, "rubric-tipped")
    assert (row["critical"], row["reasons"]) == (
        True,
        "anna: It says so about amount. · bruno: It says so about amount.",
    )
    disputed = await asked(store, "rubric-verdicts", shown="disputed")
    assert [(row["criterion"], row["judge"], row["verdict"]) for row in disputed] == [
        ("citation", "anna", True),
        ("citation", "bruno", False),
    ]
    for name, other in (("catalogue", "cases"), ("endpoint", "mini"), ("language", "en")):
        assert len(await asked(store, "rubric-numbers", **{name: [other, "it's"]})) == 2
        assert await asked(store, "rubric-numbers", **{name: ["it's"]}) == []
