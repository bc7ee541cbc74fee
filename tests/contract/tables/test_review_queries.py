"""Queries of text reviews on a real ClickHouse: counts and costs are those of the pure report on the same run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from made_events import NOON, MadeLog
from made_review import ReviewExample, full_example
from review_running import ReviewPlace, judged, manifest, plan, report

from daemon.log import SqliteReader
from daemon.review.importing import import_events
from daemon.review.records import ReviewRecord, fold_records
from projections.queries.registry import run_query
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions
from schemas.events import decode_event
from schemas.review.report import ConditionReport, LanguageReport, Report

pytestmark = pytest.mark.clickhouse


class Reviewed:
    """A log with one record, and the report on the run file that the record is."""

    def __init__(self, log: MadeLog, record: str, made: Report, notice: str | None) -> None:
        self.log, self.record, self.report, self.notice = log, record, made, notice

    def parts(self) -> Iterator[tuple[ConditionReport, LanguageReport]]:
        """Return every condition in every language."""
        for condition in self.report.conditions:
            for part in condition.languages:
                yield condition, part


def bring(log: MadeLog, example: ReviewExample, name: str) -> None:
    """Import a run file into a log."""
    events = [event for each in log.events if (event := decode_event(each.envelope)) is not None]
    records: Mapping[str, ReviewRecord] = fold_records(events)
    evidence = example.evidence()
    validator = example.frozen.validator
    for event in import_events(
        evidence, records, name, validator=validator, text_of=lambda _: None, new_id=log.new_id
    ):
        log.add(event, NOON - timedelta(hours=1))


def every_state() -> ReviewExample:
    """Make a run that reaches every state, with a failed response that nobody chose and a judgment half done."""
    example = full_example(manifest())
    entries = {each["reviewRunId"]: each for each in example.run["reviews"]}
    name, request = "large-bundle-cold/source-003/r1", "source-003/public-docs-six/bundled/all"
    (final,) = entries[name]["finalAttemptIds"]
    example.attempt(name, request, '{"rules": [', sequence=2, retryOf=final)
    entry = entries["large-bundle-cold/source-017/r1"]
    entry["humanJudgments"].append(example.judgment(entry, "editor-02", intentPreserved=None))
    return example


@pytest.fixture(scope="module")
def imported() -> Reviewed:
    """Import a run file that reaches every state: before anybody had judged, when half of them had, and whole."""
    log, example = MadeLog(), every_state()
    entries = [(each, list(each["humanJudgments"]), each["adjudication"]) for each in example.run["reviews"]]
    for stage in (0, 1, 2):
        for place, (entry, judgments, adjudication) in enumerate(entries):
            shown = stage == 2 or (stage == 1 and place % 2 == 0)
            # A judgment that was taken back stands in the log and is in force no more.
            entry["humanJudgments"] = judgments if shown else []
            if stage == 1 and shown:
                entry["humanJudgments"] = [*judgments, example.judgment(entry, "editor-99", intentPreserved=False)]
            entry["adjudication"] = adjudication if stage == 2 else None
        bring(log, example, "editors")
    bring(log, full_example(manifest()), "others")
    return Reviewed(log, "editors", example.report(), example.run["notice"])


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Reviewed:
    """Measure reviews here: failures of every kind, retries, and one person's judgment."""
    place = ReviewPlace(tmp_path_factory.mktemp("measured"))
    place.measure(plan())
    run = judged(place.exported())
    place.bring(run)
    reader = SqliteReader(place.paths.log)
    log = MadeLog(reader.source)
    log.events = list(reader.read_after(0, limit=100_000))
    reader.close()
    return Reviewed(log, "ours", report(run), run.notice)


def counted(condition: ConditionReport, part: LanguageReport) -> dict[str, Any]:
    """Return what the report counts, as the tables name it."""
    reviews, attempts, costs = part.reviews, part.attempts, part.costs
    return {
        "candidate": condition.candidate_id,
        "provider": condition.provider,
        "model": condition.requested_model_id,
        "cohort": condition.cohort_id,
        "strategy": condition.strategy_id,
        **{
            name: getattr(reviews, name)
            for name in (
                "planned",
                "missing",
                "invalid",
                "incomplete",
                "complete",
                "unjudged",
                "disputed",
                "rejected",
            )
        },
        "accepted": reviews.editorially_accepted,
        "accepted_complete": reviews.accepted_complete,
        "with_disagreement": reviews.with_disagreement,
        "adjudicated": reviews.adjudicated,
        "attempts": attempts.submitted,
        "retries": attempts.retries,
        "responses": attempts.response,
        "valid_responses": attempts.valid_response,
        "failed_responses": sum(attempts.failed_response.values()),
        **{name.replace("-", "_"): count for name, count in attempts.failed_response.items()},
        "errors": attempts.error,
        "cancelled": attempts.cancelled,
        "not_completed": attempts.not_completed,
        "unknown_costs": costs.attempts_of_unknown_cost,
        "known_usd": pytest.approx(costs.known_cost_usd),
        "total_usd": pytest.approx(costs.total_cost_usd),
        "usd_per_accepted_complete": pytest.approx(costs.cost_per_accepted_complete_review_usd),
    }


async def test_counts_and_costs_are_those_of_the_report(
    store: ClickHouseStore, imported: Reviewed, measured: Reviewed
) -> None:
    """Imported and measured, each condition and language has in the tables what the evaluation counts of its file."""
    runner = Runner(store, PROJECTIONS, Definitions())
    await runner.open()
    for each in (imported, measured):
        await runner.fold_available(LogSource(each.log))
    asked = partial(run_query, store, end=NOON + timedelta(days=300))
    for each in (imported, measured):
        rows = (await asked("review-outcomes", record=[each.record])).dicts()
        expected = {(c.condition_id, p.language): counted(c, p) for c, p in each.parts()}
        assert {(row["condition"], row["language"]) for row in rows} == set(expected)
        for row in rows:
            wanted = expected[row["condition"], row["language"]]
            assert {name: row[name] for name in wanted} == wanted
        assert {row["notice"] for row in rows} == {each.notice}
        assert {(row["origin"], row["simulated"]) for row in rows} == (
            {("imported", False)} if each is imported else {("measured", True)}
        )

        reviews = (await asked("reviews", record=[each.record])).dicts()
        outcomes = {o.review_run_id: o for _, part in each.parts() for o in part.outcomes}
        assert {
            f"{row['condition']}/{row['source_text']}/r{row['repetition']}": (
                row["answers"],
                row["judgment"],
                row["complete_judgments"],
                row["disagreements"],
                row["failed_responses"],
            )
            for row in reviews
        } == {
            name: (o.answers, o.judgment, o.complete_judgments, len(o.disagreements), len(o.failed_responses))
            for name, o in outcomes.items()
        }

        failed = (await asked("review-failed-responses", record=[each.record])).dicts()
        assert {(row["attempt_id"], row["failure"], row["selected"], row["detail"]) for row in failed} == {
            (f.attempt_id, f.failure, f.selected, f.detail) for o in outcomes.values() for f in o.failed_responses
        }
        assert all((row["attempt"] is None) is (each is imported) for row in failed)

    every = (await asked("review-outcomes")).dicts()
    assert {row["record"] for row in every} == {"editors", "others", "ours"}
    german = (await asked("review-outcomes", language=["de", "it's"])).dicts()
    assert {row["language"] for row in german} == {"de"}
    assert (await run_query(store, "review-outcomes", end=NOON - timedelta(hours=2))).rows == ()
