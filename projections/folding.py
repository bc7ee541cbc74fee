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
from projections.tables import Row
from schemas.definitions import Definitions
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
    moved: dict[tuple[str, str], Place] = {}
    rows: dict[str, list[Row]] = defaultdict(list)
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    count = 0
    for stored in batch:
        envelope = stored.envelope
        entry: Entry | None = None
        fresh = False
        for projection in projections:
            key = (projection.name, envelope.source)
            place = moved.get(key) or places.get(key) or Place(0, None, projection.start())
            if envelope.seq <= place.seq:
                continue
            if envelope.seq != place.seq + 1:
                raise SourceGapError(
                    f"{projection.name}: after position {place.seq} of {envelope.source!r} comes {envelope.seq}; "
                    f"{envelope.seq - place.seq - 1} event(s) are missing. Nothing was skipped: check the log with "
                    "`messwerk log verify`"
                )
            fresh = True
            state = place.state
            if EVENT_TYPES.get(envelope.type) in projection.reads:
                if entry is None:
                    event = decode_event(envelope)
                    assert event is not None  # its type is known, so decoding gave an event or raised
                    entry = Entry(envelope, event)
                state, made = projection.fold(state, entry, definitions)
                for insertion in made:
                    rows[insertion.table.name].append(insertion.row)
            moved[key] = Place(envelope.seq, envelope.id, state)
        if fresh:
            count += 1
            first.setdefault(envelope.source, envelope.seq)
            last[envelope.source] = envelope.seq
    return Folded(moved, rows, first, last, count)
