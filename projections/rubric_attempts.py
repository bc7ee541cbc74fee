"""What was asked of expert tasks, a row an attempt: the task, its criteria, and whether a second expert had read it.

Whether there is an answer stands in ``attempts``, and its hash in ``timelines``. Which try of a task counts is found
when it is asked for: :mod:`projections.queries.rubric`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar
from uuid import UUID

from projections.contract import EachByItself, Entry, Insertion
from projections.tables import MAYBE_NAME, NAME, Column, Table, TimedRow
from projections.times import utc
from schemas.events import Event
from schemas.events.rubric import RubricAsked


class RubricAttemptRow(TimedRow, frozen=True, kw_only=True):
    """``time`` is just before the request was sent. Arrays have one element a criterion, in the rubric's order."""

    attempt: Annotated[UUID, Column("UUID", "attempt")]
    run: Annotated[UUID, Column("UUID", "run")]
    endpoint: Annotated[str, Column(NAME, "endpoint's name in the catalogue of endpoints")]
    catalogue: Annotated[str, Column(NAME, "catalogue of tasks")]
    catalogue_version: Annotated[str, Column(NAME, "its version")]
    task: Annotated[str, Column("String", "task")]
    language: Annotated[str, Column(NAME, "de or en")]
    field: Annotated[str, Column(NAME, "field of the profession, such as vat")]
    title: Annotated[str, Column("String", "title of the task")]
    task_sha256: Annotated[str, Column("String", "hash of the task's file")]
    prompt_sha256: Annotated[str, Column("String", "hash of facts and question as sent")]
    repetition: Annotated[int, Column("UInt32", "1 unless the same is asked several times")]
    reader: Annotated[str | None, Column(MAYBE_NAME, "who gave the valid second reading; null of an unread task")]
    standing: Annotated[str, Column(NAME, "read, example or unread: whether a second expert had checked the task")]
    criteria: Annotated[Sequence[str], Column("Array(String)", "ids of the criteria")]
    statements: Annotated[Sequence[str], Column("Array(String)", "what each states")]
    criticals: Annotated[Sequence[bool], Column("Array(Bool)", "whether each is critical")]


RUBRIC_ATTEMPTS = Table(
    name="rubric_attempts",
    row=RubricAttemptRow,
    order_by=("catalogue", "endpoint", "language", "task", "time", "source", "seq"),
    comment="one row per attempt that asked an expert task",
)


class RubricAttempts(EachByItself):
    """See the module."""

    name: ClassVar[str] = "rubric-attempts"
    tables: ClassVar[tuple[Table, ...]] = (RUBRIC_ATTEMPTS,)
    reads: ClassVar[tuple[type[Event], ...]] = (RubricAsked,)

    def rows(self, entry: Entry) -> Iterator[Insertion]:
        """See :class:`EachByItself`."""
        if isinstance(entry.event, RubricAsked):
            yield Insertion(RUBRIC_ATTEMPTS, _row(entry, entry.event))


def _row(entry: Entry, asked: RubricAsked) -> RubricAttemptRow:
    unread = "example" if asked.example else "unread"
    return RubricAttemptRow(
        source=entry.envelope.source,
        seq=entry.envelope.seq,
        time=utc(entry.envelope.wall_ns),
        attempt=asked.attempt,
        run=asked.run,
        endpoint=asked.endpoint,
        catalogue=asked.catalogue,
        catalogue_version=asked.catalogue_version,
        task=asked.task,
        language=asked.language,
        field=asked.field,
        title=asked.title,
        task_sha256=asked.task_sha256,
        prompt_sha256=asked.prompt_sha256,
        repetition=asked.repetition,
        reader=asked.reader,
        standing=unread if asked.reader is None else "read",
        criteria=tuple(each.id for each in asked.criteria),
        statements=tuple(each.statement for each in asked.criteria),
        criticals=tuple(each.critical for each in asked.criteria),
    )
