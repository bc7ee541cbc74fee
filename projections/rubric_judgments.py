"""Verdicts on criteria of expert tasks, a row each, as they were recorded.

Which of them is in force is found when they are asked for: :mod:`projections.queries.rubric`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar
from uuid import UUID

from projections.contract import EachByItself, Entry, Insertion
from projections.tables import MAYBE_NAME, NAME, Column, Table, TimedRow
from projections.times import utc
from schemas.events import Event, JudgmentRecorded


class RubricJudgmentRow(TimedRow, frozen=True, kw_only=True):
    """One verdict on one criterion. ``time`` is when it was recorded."""

    judgment: Annotated[UUID, Column("UUID", "judgment")]
    attempt: Annotated[UUID | None, Column("Nullable(UUID)", "attempt whose answer was judged")]
    subject: Annotated[str, Column("String", "catalogue/task/language/criterion")]
    answer_sha256: Annotated[str, Column("String", "hash of that answer")]
    judge_kind: Annotated[str, Column(NAME, "person or model")]
    judge: Annotated[str, Column(NAME, "person's id, or endpoint of the judging model")]
    judge_version: Annotated[str, Column(NAME, "version of the instructions or of the prompt")]
    judge_model: Annotated[str | None, Column(MAYBE_NAME, "model of that endpoint; null of a person")]
    verdict: Annotated[bool | None, Column("Nullable(Bool)", "whether the criterion is met; null is ungraded")]
    category: Annotated[str | None, Column(MAYBE_NAME, "why there is no verdict")]
    reason: Annotated[str | None, Column("Nullable(String)", "the judge's reason")]
    supersedes: Annotated[UUID | None, Column("Nullable(UUID)", "judgment whose place this one takes")]


RUBRIC_JUDGMENTS = Table(
    name="rubric_judgments",
    row=RubricJudgmentRow,
    order_by=("subject", "judge", "time", "source", "seq"),
    comment="verdicts on criteria of expert tasks, superseded ones too",
)


class RubricJudgments(EachByItself):
    """See the module."""

    name: ClassVar[str] = "rubric-judgments"
    tables: ClassVar[tuple[Table, ...]] = (RUBRIC_JUDGMENTS,)
    reads: ClassVar[tuple[type[Event], ...]] = (JudgmentRecorded,)

    def rows(self, entry: Entry) -> Iterator[Insertion]:
        """See :class:`EachByItself`."""
        event = entry.event
        if isinstance(event, JudgmentRecorded) and event.suite == "rubric" and event.subject.kind == "criterion":
            yield Insertion(RUBRIC_JUDGMENTS, _row(entry, event))


def _row(entry: Entry, event: JudgmentRecorded) -> RubricJudgmentRow:
    model = event.judge.parameters.get("model")
    return RubricJudgmentRow(
        source=entry.envelope.source,
        seq=entry.envelope.seq,
        time=utc(entry.envelope.wall_ns),
        judgment=event.judgment,
        attempt=event.subject.attempt,
        subject=event.subject.id,
        answer_sha256=event.subject.sha256,
        judge_kind=event.judge.kind,
        judge=event.judge.name,
        judge_version=event.judge.version,
        judge_model=model if isinstance(model, str) else None,
        verdict=event.verdict,
        category=event.category,
        reason=event.reason,
        supersedes=event.supersedes,
    )
