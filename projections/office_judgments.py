"""Verdicts on the fields of office documents, a row each, as they were recorded.

Which of them is in force is found when they are asked for: :data:`projections.queries.office.IN_FORCE`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar
from uuid import UUID

from projections.contract import EachByItself, Entry, Insertion
from projections.tables import MAYBE_NAME, NAME, Column, Table, TimedRow
from projections.times import utc
from schemas.events import Event, JudgmentRecorded


class OfficeJudgmentRow(TimedRow, frozen=True, kw_only=True):
    """One verdict on one field. ``time`` is when it was recorded."""

    judgment: Annotated[UUID, Column("UUID", "judgment")]
    document: Annotated[str, Column("String", "document")]
    field: Annotated[str, Column(NAME, "field of it")]
    attempt: Annotated[UUID | None, Column("Nullable(UUID)", "attempt whose answer was judged")]
    answer_sha256: Annotated[str, Column("String", "hash of that answer")]
    judge: Annotated[str, Column(NAME, "rule set, person or model that judged")]
    judge_version: Annotated[str, Column(NAME, "its version")]
    verdict: Annotated[bool | None, Column("Nullable(Bool)", "right; null where the field is not applicable")]
    category: Annotated[str | None, Column(MAYBE_NAME, "why it is wrong")]
    sub_code: Annotated[str | None, Column(MAYBE_NAME, "more about why")]
    supersedes: Annotated[UUID | None, Column("Nullable(UUID)", "judgment whose place this one takes")]


OFFICE_JUDGMENTS = Table(
    name="office_judgments",
    row=OfficeJudgmentRow,
    order_by=("document", "field", "time", "source", "seq"),
    comment="verdicts on fields of office documents, superseded ones too",
)


class OfficeJudgments(EachByItself):
    """See the module."""

    name: ClassVar[str] = "office-judgments"
    tables: ClassVar[tuple[Table, ...]] = (OFFICE_JUDGMENTS,)
    reads: ClassVar[tuple[type[Event], ...]] = (JudgmentRecorded,)

    def rows(self, entry: Entry) -> Iterator[Insertion]:
        """See :class:`EachByItself`."""
        event = entry.event
        if isinstance(event, JudgmentRecorded) and event.suite == "office" and event.subject.kind == "field":
            yield Insertion(OFFICE_JUDGMENTS, _row(entry, event))


def _row(entry: Entry, event: JudgmentRecorded) -> OfficeJudgmentRow:
    document, _, field = event.subject.id.rpartition("/")
    return OfficeJudgmentRow(
        source=entry.envelope.source,
        seq=entry.envelope.seq,
        time=utc(entry.envelope.wall_ns),
        judgment=event.judgment,
        document=document,
        field=field,
        attempt=event.subject.attempt,
        answer_sha256=event.subject.sha256,
        judge=event.judge.name,
        judge_version=event.judge.version,
        verdict=event.verdict,
        category=event.category,
        sub_code=event.reason,
        supersedes=event.supersedes,
    )
