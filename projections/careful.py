"""Folding a batch in which something is wrong, event by event: what is put aside, who is stopped. Pure.

The quick way is ``projections/folding.py``; this one is taken for a slice that it refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

import msgspec

from projections.contract import AnyProjection
from projections.errors import SourceGapError
from projections.folding import Folded, Places, fold_batch
from projections.spans import Span, covers
from schemas.definitions import Definitions
from schemas.errors import DecodeError, MesswerkError, UnknownVersionError
from schemas.log import StoredEvent

QUARANTINED: Final = "quarantined"
"""Stands for the type of an event whose bytes nobody can read; being unknown, it is passed over."""


class Poisoned(msgspec.Struct, frozen=True):
    """An event whose envelope can be read and whose data cannot."""

    stored: StoredEvent
    reason: str


class Careful(msgspec.Struct, frozen=True):
    """What could be folded, what goes to quarantine, and which sources cannot go on, with the reason."""

    parts: Sequence[Folded]
    poisoned: Sequence[Poisoned]
    stopped: Mapping[str, MesswerkError]


def fold_carefully(
    batch: Sequence[StoredEvent],
    projections: Sequence[AnyProjection],
    places: Places,
    definitions: Definitions,
    excused: Mapping[str, Sequence[Span]],
) -> Careful:
    """Fold what can be folded.

    ``excused`` are positions by source that somebody declared lost: a gap made of nothing else is passed over.
    """
    parts: list[Folded] = []
    poisoned: list[Poisoned] = []
    stopped: dict[str, MesswerkError] = {}
    reached = dict(places)

    def fold(some: Iterable[StoredEvent]) -> None:
        part = fold_batch(some, projections, reached, definitions)
        reached.update(part.places)
        parts.append(part)

    for stored in batch:
        source, seq = stored.envelope.source, stored.envelope.seq
        if source in stopped:
            continue
        try:
            missing = _missing(source, seq, projections, reached)
            if missing.events and covers(excused.get(source, ()), missing):
                fold(_blank(stored, lost) for lost in range(missing.first, missing.last + 1))
            try:
                fold([stored])
            except UnknownVersionError:
                raise
            except DecodeError as problem:
                fold([_masked(stored)])
                poisoned.append(Poisoned(stored, str(problem)))
        except (SourceGapError, UnknownVersionError) as problem:
            stopped[source] = problem
    return Careful(parts, poisoned, stopped)


def _missing(source: str, seq: int, projections: Sequence[AnyProjection], places: Places) -> Span:
    """Positions that the projection which is furthest behind would have to skip."""
    reached = min(
        (places[projection.name, source].seq if (projection.name, source) in places else 0)
        for projection in projections
    )
    return Span(reached + 1, seq - 1)


def _masked(stored: StoredEvent) -> StoredEvent:
    return StoredEvent(msgspec.structs.replace(stored.envelope, type=QUARANTINED), stored.raw)


def _blank(stored: StoredEvent, seq: int) -> StoredEvent:
    envelope = msgspec.structs.replace(stored.envelope, type=QUARANTINED, id=UUID(int=0), seq=seq)
    return StoredEvent(envelope, b"")
