"""Folding a batch of stored events through projections, from positions to positions. Pure.

Duplicates are dropped, a gap stops, an unknown type is passed over, an unknown version stops.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

import msgspec

from projections.contract import AnyProjection, Entry
from projections.errors import SourceGapError
from projections.spans import Span
from projections.tables import Row
from schemas.definitions import Definitions
from schemas.envelope import Envelope
from schemas.events import EVENT_TYPES, Event, decode_event
from schemas.log import StoredEvent


class Place(msgspec.Struct, frozen=True):
    """Where one projection stands in one source: everything up to ``seq`` is in ``state``."""

    seq: int
    event: UUID | None
    state: msgspec.Struct


Places = Mapping[tuple[str, str], Place]
"""By projection and source."""


class Folded(msgspec.Struct, frozen=True):
    """What a batch came to: the new places of those that moved, rows by table, and how many events counted."""

    places: Places
    rows: Mapping[str, Sequence[Row]]
    first_seq: Mapping[str, int]
    last_seq: Mapping[str, int]
    events: int


def fold_batch(
    batch: Iterable[StoredEvent],
    projections: Sequence[AnyProjection],
    places: Places,
    definitions: Definitions,
) -> Folded:
    """Fold ``batch`` and return what changes; ``places`` stay as they are.

    Raises :class:`SourceGapError` where a position is missing and :class:`schemas.errors.DecodeError` for
    what cannot be read.
    """
    ways: dict[str, _Way] = {}
    for stored in batch:
        envelope = stored.envelope
        way = ways.get(envelope.source)
        if way is None:
            way = ways[envelope.source] = _Way(envelope.source, projections, places)
        if way.moves_to(envelope):
            way.take(envelope)
    moved: dict[tuple[str, str], Place] = {}
    rows: dict[str, list[Row]] = defaultdict(list)
    for way in ways.values():
        way.fold(moved, rows, definitions)
    return Folded(
        moved,
        rows,
        {source: way.first for source, way in ways.items() if way.event is not None},
        {source: way.seq for source, way in ways.items() if way.event is not None},
        sum(way.seq - way.first + 1 for way in ways.values() if way.event is not None),
    )


class _Way:
    """The way of all projections through one source's part of a batch.

    ``seq`` is where the one that is furthest behind stands; whoever is ahead waits until it has caught up.
    ``first`` is the first new position, ``event`` the newest event's identifier, None before any.
    """

    __slots__ = ("courses", "event", "first", "readers", "seq", "source")

    def __init__(self, source: str, projections: Sequence[AnyProjection], places: Places) -> None:
        self.source = source
        self.courses = [_Course(projection, places.get((projection.name, source))) for projection in projections]
        self.readers: dict[type[Event], list[_Course]] = defaultdict(list)
        for course in self.courses:
            for kind in course.projection.reads:
                self.readers[kind].append(course)
        self.seq = min((course.place.seq for course in self.courses), default=0)
        self.first = self.seq + 1
        self.event: UUID | None = None

    def moves_to(self, envelope: Envelope) -> bool:
        """Step to the envelope's position; False for one that was passed. Raises :class:`SourceGapError`."""
        seq = envelope.seq
        if seq <= self.seq:
            return False
        if seq != self.seq + 1:
            behind = min(self.courses, key=lambda course: course.place.seq).projection.name
            raise SourceGapError(
                f"{behind}: after position {self.seq} of {self.source!r} comes {seq}; "
                f"{seq - self.seq - 1} event(s) are missing. Nothing was skipped: check the log with "
                "`messwerk log verify`; what a topic no longer has, `messwerk rebuild --from` reads from a log or a "
                "backup; what nobody has any more, a person declares lost with `messwerk quarantine lost`",
                gap=Span(self.seq + 1, seq - 1),
            )
        self.seq = seq
        self.event = envelope.id
        return True

    def take(self, envelope: Envelope) -> None:
        """Decode the event if anybody reads its type and stands before it, and keep it for them."""
        kind = EVENT_TYPES.get(envelope.type)
        if kind is None:
            return
        waiting = [course for course in self.readers.get(kind, ()) if course.place.seq < envelope.seq]
        if waiting:
            event = decode_event(envelope)
            assert event is not None  # its type is known, so decoding gave an event or raised
            entry = Entry(envelope, event)
            for course in waiting:
                course.entries.append(entry)

    def fold(self, moved: dict[tuple[str, str], Place], rows: dict[str, list[Row]], definitions: Definitions) -> None:
        """Fold what was gathered; add the places that were reached, and rows by table."""
        for course in self.courses:
            if self.seq > course.place.seq:
                state, made = course.projection.fold(course.place.state, course.entries, definitions)
                for insertion in made:
                    rows[insertion.table.name].append(insertion.row)
                moved[course.projection.name, self.source] = Place(self.seq, self.event, state)


class _Course:
    """Where one projection stands, and what it has yet to fold."""

    __slots__ = ("entries", "place", "projection")

    def __init__(self, projection: AnyProjection, place: Place | None) -> None:
        self.projection = projection
        self.place = place or Place(0, None, projection.start())
        self.entries: list[Entry] = []
