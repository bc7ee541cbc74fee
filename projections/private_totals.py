"""What private office documents came to: totals alone, a row each, with their categories beside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar
from uuid import UUID

from projections.contract import EachByItself, Entry, Insertion
from projections.tables import NAME, Column, Table, TimedRow
from projections.times import utc
from schemas.events import Event, PrivateTotalsRecorded


class PrivateTotalRow(TimedRow, frozen=True, kw_only=True):
    """All private documents of a task and language with an endpoint; the newest row counts."""

    totals: Annotated[UUID, Column("UUID", "totals")]
    run: Annotated[UUID, Column("UUID", "newest run that asked")]
    endpoint: Annotated[str, Column(NAME, "endpoint's name in the catalogue")]
    task: Annotated[str, Column(NAME, "invoice, email or personal")]
    language: Annotated[str, Column(NAME, "cs or en")]
    data_set: Annotated[str, Column(NAME, "version of the data set")]
    salt_sha256: Annotated[str, Column(NAME, "commitment to the salt that made the documents")]
    prompt_version: Annotated[str, Column(NAME, "version of the prompt")]
    judge: Annotated[str, Column(NAME, "rule set that judged")]
    judge_version: Annotated[str, Column(NAME, "its version")]
    documents: Annotated[int, Column("UInt64", "documents answered")]
    valid: Annotated[int, Column("UInt64", "of them with a valid answer")]
    error_free: Annotated[int, Column("UInt64", "of them with nothing to mend")]
    judged: Annotated[int, Column("UInt64", "fields judged")]
    right: Annotated[int, Column("UInt64", "of them right")]


class PrivateCategoryRow(TimedRow, frozen=True, kw_only=True):
    """How many wrong fields of one kind are in a row of ``private_totals``."""

    totals: Annotated[UUID, Column("UUID", "totals")]
    field: Annotated[str, Column(NAME, "field")]
    category: Annotated[str, Column(NAME, "why it is wrong")]
    wrong: Annotated[int, Column("UInt64", "wrong fields")]


PRIVATE_TOTALS = Table(
    name="private_totals",
    row=PrivateTotalRow,
    order_by=("endpoint", "task", "language", "time", "source", "seq"),
    comment="totals over private office documents",
)
PRIVATE_CATEGORIES = Table(
    name="private_categories",
    row=PrivateCategoryRow,
    order_by=("totals", "field", "category", "source", "seq"),
    comment="wrong fields of private office documents, counted by category",
)


class PrivateTotals(EachByItself):
    """See the module."""

    name: ClassVar[str] = "private-totals"
    tables: ClassVar[tuple[Table, ...]] = (PRIVATE_TOTALS, PRIVATE_CATEGORIES)
    reads: ClassVar[tuple[type[Event], ...]] = (PrivateTotalsRecorded,)

    def rows(self, entry: Entry) -> Iterator[Insertion]:
        """See :class:`EachByItself`."""
        if isinstance(entry.event, PrivateTotalsRecorded):
            yield from _rows(entry, entry.event)


def _rows(entry: Entry, event: PrivateTotalsRecorded) -> Iterator[Insertion]:
    source, seq, time = entry.envelope.source, entry.envelope.seq, utc(entry.envelope.wall_ns)
    yield Insertion(
        PRIVATE_TOTALS,
        PrivateTotalRow(
            source=source,
            seq=seq,
            time=time,
            totals=event.totals,
            run=event.run,
            endpoint=event.endpoint,
            task=event.task,
            language=event.language,
            data_set=event.data_set,
            salt_sha256=event.salt_sha256,
            prompt_version=event.prompt_version,
            judge=event.judge.name,
            judge_version=event.judge.version,
            documents=event.documents,
            valid=event.valid,
            error_free=event.error_free,
            judged=event.judged,
            right=event.right,
        ),
    )
    for field, counts in sorted(event.categories.items()):
        for category, wrong in sorted(counts.items()):
            yield Insertion(
                PRIVATE_CATEGORIES,
                PrivateCategoryRow(
                    source=source,
                    seq=seq,
                    time=time,
                    totals=event.totals,
                    field=field,
                    category=category,
                    wrong=wrong,
                ),
            )
