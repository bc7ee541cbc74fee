"""Text reviews measured over reference models in simulated time, from an empty log to a run file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import msgspec
from made_review import IDENTITY, SOURCES, ReviewExample, prepared, shipped
from simulated_asking import Process, SimulatedPlace, model_endpoint

from daemon.attempts.keeping import kept_text
from daemon.cli.review_files import FIXTURES
from daemon.judging.review.evaluation import evaluate
from daemon.judging.review.evidence import Evidence, FileNames
from daemon.judging.review.hashes import bytes_sha256, file_text
from daemon.reference.review import REVIEW_MODELS, ReviewModel, ReviewService
from daemon.review.contract import ReviewRequest, ReviewRunSummary
from daemon.review.importing import import_events
from daemon.review.plans import ConditionPlan
from daemon.review.reading import read_records
from daemon.review.running import ReviewRunner
from daemon.runs.means import Means
from schemas.catalogue import EndpointFacts
from schemas.events import Event
from schemas.log import StoredEvent
from schemas.review.manifest import Manifest
from schemas.review.report import Report
from schemas.review.run import Run
from schemas.review.sources import Fixtures


@cache
def manifest() -> Manifest:
    return prepared()


def plan(name: str = "flawed", **changes: Any) -> ConditionPlan:
    return ConditionPlan(
        **{
            "condition_id": name,
            "candidate_id": "example-small",
            "cohort_id": "public-docs-six",
            "strategy_id": "bundled",
            "source_ids": SOURCES,
            "repetitions": (1, 2),
            "order_seed": "seed",
            **changes,
        }
    )


class _Fresh:
    """A log's reader that sees what its writer has acknowledged before it is durable."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def _read(self, method: str, *arguments: Any, **named: Any) -> Sequence[StoredEvent]:
        self._process.log._log._file.commit()
        found: Sequence[StoredEvent] = getattr(self._process.history, method)(*arguments, **named)
        return found

    def read_after(self, seq: int, *, limit: int) -> Sequence[StoredEvent]:
        return self._read("read_after", seq, limit=limit)

    def tail(self, limit: int, *, kind: str | None = None) -> Sequence[StoredEvent]:
        return self._read("tail", limit, kind=kind)

    def of_type(self, kind: str, *, after: int = 0, limit: int) -> Sequence[StoredEvent]:
        return self._read("of_type", kind, after=after, limit=limit)


class ReviewPlace(SimulatedPlace):
    """One installation below a directory, and the reference models that it measures."""

    def __init__(self, root: Path, models: Sequence[ReviewModel] = REVIEW_MODELS, **facts: Any) -> None:
        endpoints: list[EndpointFacts] = [
            model_endpoint(model.name, pinned_provider=None, **facts) for model in models
        ]
        super().__init__(root, ReviewService(models), endpoints)

    def measure(
        self, *plans: ConditionPlan, endpoint: str = "review-flawed", appends: int | None = None, **changes: Any
    ) -> tuple[ReviewRunSummary, Run]:
        """Measure once, as a process of its own would."""
        request = ReviewRequest(
            **{
                "record": "ours",
                "manifest": manifest(),
                "manifest_sha256": bytes_sha256(file_text(manifest()).encode()),
                "plans": plans,
                "endpoint": endpoint,
                **changes,
            }
        )

        async def use(process: Process) -> tuple[ReviewRunSummary, Run]:
            runner = ReviewRunner(
                Means(**process.means), _Fresh(process), partial(kept_text, blobs=process.blobs), IDENTITY.validator
            )
            return await runner.run(request, lambda _: None)

        return self.live(use, appends=appends)

    def bring(self, run: Run) -> Sequence[Event]:
        """Import a run file."""

        async def use(process: Process) -> Sequence[Event]:
            events = import_events(
                evidence(run),
                read_records(process.history),
                "ours",
                validator=IDENTITY.validator,
                text_of=partial(kept_text, blobs=process.blobs),
                new_id=process.world.new_id,
            )
            if events:
                await process.log.append(*events)
            return events

        return self.live(use)

    def exported(self) -> Run:
        """Export the record."""

        async def use(process: Process) -> Run:
            return read_records(process.history)["ours"].run(partial(kept_text, blobs=process.blobs))

        return self.live(use)


def evidence(run: Run) -> Evidence:
    """Everything that an evaluation of a run takes."""
    return Evidence(
        files=FileNames(manifest="manifest.json", run="run.json"),
        manifest=manifest(),
        manifest_sha256=bytes_sha256(file_text(manifest()).encode()),
        run=run,
        current=IDENTITY,
        fixtures=shipped(FIXTURES, Fixtures),
    )


def report(run: Run) -> Report:
    """Evaluate a run."""
    return evaluate(evidence(run))


def judged(run: Run, person: str = "editor-01", **changed: Any) -> Run:
    """Have a person find no fault with any review of a run whose answers are chosen."""
    made = ReviewExample(manifest())
    made.run = msgspec.json.decode(file_text(run))
    for entry in made.run["reviews"]:
        entry["humanJudgments"].append(made.judgment(entry, person, **changed))
    return made.evidence().run
