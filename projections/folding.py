"""Folding a batch of stored events through projections, from positions to positions. Pure.

Duplicates are dropped, a gap stops, an unknown type is passed over, an unknown version stops.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from uuid import UUID

import msgspec

from projections.contract import AnyProjection, Entry
from projections.errors import SourceGapError
from projections.tables import Row
from schemas.definitions import Definitions
from schemas.envelope import Envelope
from schemas.events import EVENT_TYPES, decode_event
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
    courses: dict[str, list[_Course]] = {}
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    count = 0
    for stored in batch:
        envelope = stored.envelope
        source = envelope.source
        if source not in courses:
            courses[source] = [_Course(projection, source, places) for projection in projections]
        kind = EVENT_TYPES.get(envelope.type)
        entry: Entry | None = None
        fresh = False
        for course in courses[source]:
            if not course.moves_to(envelope):
                continue
            fresh = True
            if kind in course.reads:
                if entry is None:
                    event = decode_event(envelope)
                    assert event is not None  # its type is known, so decoding gave an event or raised
                    entry = Entry(envelope, event)
                course.entries.append(entry)
        if fresh:
            count += 1
            first.setdefault(source, envelope.seq)
            last[source] = envelope.seq
    moved: dict[tuple[str, str], Place] = {}
    rows: dict[str, list[Row]] = defaultdict(list)
    for course in chain.from_iterable(courses.values()):
        course.fold(moved, rows, definitions)
    return Folded(moved, rows, first, last, count)


class _Course:
    """One projection's way through one source's part of a batch: where it is, and what it has yet to fold."""

    __slots__ = ("entries", "event", "key", "projection", "reads", "seq", "state")

    def __init__(self, projection: AnyProjection, source: str, places: Places) -> None:
        self.key = (projection.name, source)
        place = places.get(self.key)
        self.projection = projection
        self.reads = frozenset(projection.reads)
        self.seq = place.seq if place else 0
        self.event: UUID | None = None
        self.state: msgspec.Struct = place.state if place else projection.start()
        self.entries: list[Entry] = []

    def moves_to(self, envelope: Envelope) -> bool:
        """Step to the envelope's position; False for one that was passed. Raises :class:`SourceGapError`."""
        seq = envelope.seq
        if seq <= self.seq:
            return False
        if seq != self.seq + 1:
            raise SourceGapError(
                f"{self.projection.name}: after position {self.seq} of {envelope.source!r} comes {seq}; "
                f"{seq - self.seq - 1} event(s) are missing. Nothing was skipped: check the log with "
                "`messwerk log verify`"
            )
        self.seq = seq
        self.event = envelope.id
        return True

    def fold(self, moved: dict[tuple[str, str], Place], rows: dict[str, list[Row]], definitions: Definitions) -> None:
        """Fold what was gathered; add the place that was reached, and rows by table."""
        if self.event is None:
            return
        if self.entries:
            self.state, made = self.projection.fold(self.state, self.entries, definitions)
            for insertion in made:
                rows[insertion.table.name].append(insertion.row)
        moved[self.key] = Place(self.seq, self.event, self.state)
