"""Every event as a line of JSON, for looking up and for the page of one attempt; bulky parts left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar
from uuid import UUID

import msgspec

from projections.contract import EachByItself, Entry, Insertion
from projections.tables import NAME, Column, Table, TimedRow
from projections.times import utc
from schemas.envelope import envelope_to_json
from schemas.events import (
    EVENT_TYPES,
    AttemptCompleted,
    DocumentAsked,
    Event,
    FirstToken,
    JudgmentRecorded,
    PrivateTotalsRecorded,
    ReceivedText,
    RequestSent,
    ReviewAsked,
    ReviewAttemptImported,
    RubricAsked,
    RunPlanned,
)
from schemas.timeline import Timeline


class EventRow(TimedRow, frozen=True, kw_only=True):
    """``time`` is the envelope's wall clock."""

    id: Annotated[UUID, Column("UUID", "event's identifier")]
    type: Annotated[str, Column(NAME, "event's type")]
    attempt: Annotated[UUID | None, Column("Nullable(UUID)", "attempt that it is about")]
    run: Annotated[UUID | None, Column("Nullable(UUID)", "run that it is about")]
    json: Annotated[str, Column("String", "envelope and event, without timeline and texts", codec="ZSTD(1)")]


EVENTS = Table(
    name="events",
    row=EventRow,
    order_by=("source", "seq"),
    indices=(
        "attempt_index attempt TYPE bloom_filter GRANULARITY 1",
        "run_index run TYPE bloom_filter GRANULARITY 1",
    ),
    comment="every event, for looking up",
)


class Events(EachByItself):
    """See the module."""

    name: ClassVar[str] = "events"
    tables: ClassVar[tuple[Table, ...]] = (EVENTS,)
    reads: ClassVar[tuple[type[Event], ...]] = tuple(EVENT_TYPES.values())

    def rows(self, entry: Entry) -> Iterator[Insertion]:
        """See :class:`EachByItself`."""
        yield Insertion(EVENTS, _row(entry))


def _row(entry: Entry) -> EventRow:
    envelope = entry.envelope
    attempt, run = _about(entry.event)
    return EventRow(
        source=envelope.source,
        seq=envelope.seq,
        time=utc(envelope.wall_ns),
        id=envelope.id,
        type=envelope.type,
        attempt=attempt,
        run=run,
        json=envelope_to_json(envelope, _slim(entry.event)).decode(),
    )


def _about(event: Event) -> tuple[UUID | None, UUID | None]:
    match event:
        case RequestSent() | AttemptCompleted() | DocumentAsked() | RubricAsked() | ReviewAsked():
            return event.attempt, event.run
        case FirstToken():
            return event.attempt, None
        case JudgmentRecorded():
            return event.subject.attempt, None
        case RunPlanned() | PrivateTotalsRecorded():
            return None, event.run
        case _:
            return None, None


def _slim(event: Event) -> Event:
    if isinstance(event, ReviewAttemptImported):
        return msgspec.structs.replace(event, response_json=None)
    if not isinstance(event, AttemptCompleted):
        return event
    return msgspec.structs.replace(
        event, timeline=Timeline(), answer=_without_text(event.answer), reasoning=_without_text(event.reasoning)
    )


def _without_text(text: ReceivedText | None) -> ReceivedText | None:
    return None if text is None else msgspec.structs.replace(text, text=None)
