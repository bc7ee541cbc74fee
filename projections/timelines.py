"""Read timelines and received texts of attempts, for the page of one attempt. No figure is computed here."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar
from uuid import UUID

from projections.contract import EachByItself, Entry, Insertion
from projections.tables import Column, Table, TimedRow
from projections.times import utc
from schemas.events import AttemptCompleted, Event, ReceivedText

_TEXT = "Nullable(String)"


class TimelineRow(TimedRow, frozen=True, kw_only=True):
    """Arrays of equal length, one element a chunk, packed. Texts are None when private or in the blob store."""

    attempt: Annotated[UUID, Column("UUID", "attempt")]
    elapsed_us: Annotated[
        Sequence[int], Column("Array(UInt64)", "arrival, microseconds since sent", "Delta, ZSTD(1)")
    ]
    read_bytes: Annotated[
        Sequence[int], Column("Array(UInt32)", "bytes of the read; 0 for its further chunks", "ZSTD(1)")
    ]
    channel: Annotated[
        Sequence[int], Column("Array(UInt8)", "0 none, 1 reasoning, 2 answer, 3 tool, 4 refusal", "ZSTD(1)")
    ]
    tokens: Annotated[Sequence[int], Column("Array(UInt32)", "o200k_base tokens of the chunk", "ZSTD(1)")]
    answer: Annotated[str | None, Column(_TEXT, "answer", codec="ZSTD(3)")]
    answer_sha256: Annotated[str | None, Column(_TEXT, "hash of the answer")]
    answer_blob: Annotated[str | None, Column(_TEXT, "the answer's place in the blob store")]
    reasoning: Annotated[str | None, Column(_TEXT, "reasoning", codec="ZSTD(3)")]
    reasoning_sha256: Annotated[str | None, Column(_TEXT, "hash of the reasoning")]
    reasoning_blob: Annotated[str | None, Column(_TEXT, "the reasoning's place in the blob store")]


TIMELINES = Table(
    name="timelines",
    row=TimelineRow,
    order_by=("attempt", "source", "seq"),
    granule_rows=64,  # rows are large, and asked for one by one: the smallest part that is read is this many
    comment="arrivals of each attempt",
)


class Timelines(EachByItself):
    """See the module."""

    name: ClassVar[str] = "timelines"
    tables: ClassVar[tuple[Table, ...]] = (TIMELINES,)
    reads: ClassVar[tuple[type[Event], ...]] = (AttemptCompleted,)

    def rows(self, entry: Entry) -> Iterator[Insertion]:
        """See :class:`EachByItself`."""
        if isinstance(entry.event, AttemptCompleted):
            yield Insertion(TIMELINES, _row(entry, entry.event))


def _row(entry: Entry, completed: AttemptCompleted) -> TimelineRow:
    columns = entry.columns(completed.timeline)
    sent_wall_ns = completed.timing.sent_wall_ns
    answer = completed.answer or _NOTHING
    reasoning = completed.reasoning or _NOTHING
    return TimelineRow(
        source=entry.envelope.source,
        seq=entry.envelope.seq,
        time=utc(entry.envelope.wall_ns if sent_wall_ns is None else sent_wall_ns),
        attempt=completed.attempt,
        elapsed_us=columns.elapsed_us,
        read_bytes=columns.read_bytes,
        channel=array("B", columns.channel),
        tokens=columns.tokens,
        answer=answer.text,
        answer_sha256=answer.sha256 or None,
        answer_blob=answer.blob,
        reasoning=reasoning.text,
        reasoning_sha256=reasoning.sha256 or None,
        reasoning_blob=reasoning.blob,
    )


_NOTHING = ReceivedText(sha256="", characters=0, tokens=0, chunks=0)
