"""Makes logs of rubric tasks by hand, and what a report takes of a catalogue; files of tasks are ``made_rubric``."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from made_events import NOON, MadeLog, answered

from daemon.judging.rubric.gathering import Group, Timed, gathered
from daemon.judging.rubric.outcomes import TaskNow
from daemon.judging.rubric.reporting import CatalogueNow, rubric_report
from schemas.benchmarks import BenchmarkTable
from schemas.events import JudgmentRecorded, ReceivedText, decode_event
from schemas.events.judgments import Judge, Subject
from schemas.events.rubric import AskedCriterion, RubricAsked
from schemas.rubric.report import ExcludedTask, RubricReport
from schemas.rubric.task import Catalogue, Criterion, Person, RubricTask, Section, Source

RUN = UUID(int=77)
ANNA = Judge(kind="person", name="anna", version="1")
BRUNO = Judge(kind="person", name="bruno", version="1")


def arbiter(version: str = "1", endpoint: str = "arbiter") -> Judge:
    """Return a judging model."""
    parameters = {
        "endpoint": endpoint,
        "model": f"{endpoint}-large",
        "prompt_sha256": "5" * 64,
        "attempt": str(UUID(int=9)),
        "parameters": {"temperature": 0},
    }
    return Judge(kind="model", name=endpoint, version=version, parameters=parameters)


def digest(text: str) -> str:
    """SHA-256 of a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def task(
    name: str = "vat", criteria: Mapping[str, bool] | None = None, *, language: str = "en", **other: Any
) -> RubricTask:
    """Make a task; criteria are ids with their critical marks."""
    marks = {"debtor": True, "amount": True, "citation": False, "deadline": False} if criteria is None else criteria
    fields: dict[str, Any] = {
        "format": 1,
        "id": name,
        "language": language,
        "field": "vat",
        "title": f"The case {name}",
        "author": "carla",
        "facts": f"A builder works for a builder. The case is {name}.",
        "question": "Who owes the tax?",
        "solution": (Section(id="debtor", text="The recipient owes it.", citations=("law",)),),
        "criteria": tuple(
            Criterion(id=each, statement=f"The answer is right about {each}.", critical=critical)
            for each, critical in marks.items()
        ),
        "sources": (Source(id="law", kind="statute", citation="§ 13b UStG", url="https://example.org/13b"),),
    }
    return RubricTask(**{**fields, **other})


def now(
    *tasks: RubricTask,
    readers: Mapping[str, str | None] | None = None,
    excluded: tuple[ExcludedTask, ...] = (),
    include_unread: bool = False,
) -> CatalogueNow:
    """Make a catalogue; a task's reader is anna unless ``readers`` says another one, or None."""
    known = readers or {}
    return CatalogueNow(
        catalogue=Catalogue(
            format=1,
            id="cases",
            version="3",
            title="Cases for tests",
            persons=(
                Person(id="carla", name="Carla Frey", profession="tax adviser", years_of_practice=9),
                Person(id="anna", name="Anna Weiß", profession="tax adviser", years_of_practice=12),
            ),
        ),
        tasks=tuple(TaskNow(task=each, sha256=digest(each.id), reader=known.get(each.id, "anna")) for each in tasks),
        excluded=excluded,
        include_unread=include_unread,
    )


def texts(received: ReceivedText) -> str | None:
    """Return a text that is in its event."""
    return received.text


class RubricLog(MadeLog):
    """A log in memory that is written by hand, about one catalogue."""

    def __init__(self, catalogue: str = "cases") -> None:
        super().__init__()
        self.catalogue = catalogue

    def ask(
        self,
        about: RubricTask,
        answer: str | None = "The recipient.",
        *,
        endpoint: str = "mini",
        run: UUID = RUN,
        repetition: int = 1,
        task_sha256: str | None = None,
        reader: str | None = "anna",
        failure: str | None = None,
        completed: bool = True,
        kept: bool = True,
        at: datetime = NOON - timedelta(hours=1),
        **other: Any,
    ) -> UUID:
        """Append an ask and its end; without ``kept`` the answer's text is gone."""
        attempt = self.new_id()
        self.add(
            RubricAsked(
                attempt=attempt,
                run=run,
                endpoint=endpoint,
                catalogue=self.catalogue,
                catalogue_version="3",
                task=about.id,
                language=about.language,
                field=about.field,
                title=about.title,
                task_sha256=task_sha256 or digest(about.id),
                criteria=tuple(
                    AskedCriterion(id=each.id, statement=each.statement, critical=each.critical)
                    for each in about.criteria
                ),
                prompt_sha256="6" * 64,
                repetition=repetition,
                reader=reader,
                example=about.example,
            ),
            at,
        )
        if not completed:
            return attempt
        received = None
        if answer is not None and failure is None:
            received = ReceivedText(
                sha256=digest(answer),
                characters=len(answer),
                tokens=len(answer.split()),
                chunks=1,
                text=answer if kept else None,
            )
        done = answered(
            at,
            attempt=attempt,
            run=run,
            request=attempt,
            endpoint=endpoint,
            suite="rubric",
            workload="rubric",
            failure_kind=failure,
            **{"answer": received, "returned_model": f"{endpoint}-2026", **other},
        )
        self.add(done, at + timedelta(seconds=9))
        return attempt

    def judge(
        self,
        attempt: UUID,
        about: RubricTask,
        verdicts: Mapping[str, bool | str | None],
        by: Judge = ANNA,
        *,
        answer: str = "The recipient.",
        supersedes: UUID | None = None,
        at: datetime = NOON - timedelta(minutes=30),
    ) -> list[UUID]:
        """Append a verdict a criterion: true, false, or the category of why there is none."""
        made = []
        for criterion, verdict in verdicts.items():
            judgment = self.new_id()
            plain = None if isinstance(verdict, str) else verdict
            self.add(
                JudgmentRecorded(
                    judgment=judgment,
                    suite="rubric",
                    subject=Subject(
                        kind="criterion",
                        id=f"{self.catalogue}/{about.id}/{about.language}/{criterion}",
                        sha256=digest(answer),
                        attempt=attempt,
                    ),
                    judge=by,
                    verdict=plain,
                    category=verdict if isinstance(verdict, str) else None,
                    reason=None if plain is None else f"It says so about {criterion}.",
                    supersedes=supersedes,
                ),
                at,
            )
            made.append(judgment)
        return made

    def timed(self) -> list[Timed]:
        """Return every event with its wall time."""
        found = []
        for stored in self.events:
            event = decode_event(stored.envelope)
            assert event is not None
            found.append((stored.envelope.wall_ns, event))
        return found

    def groups(self) -> tuple[Group, ...]:
        """Join what was asked and judged."""
        return gathered(self.timed(), self.catalogue)

    def report(self, catalogue: CatalogueNow, *public_tables: BenchmarkTable) -> RubricReport:
        """Report on a catalogue."""
        return rubric_report(catalogue, self.groups(), texts, public_tables)
