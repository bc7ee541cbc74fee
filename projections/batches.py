"""Folding one batch with the store at hand: slice by slice, with quarantine, and with sources that cannot go on.

What is folded how is pure and elsewhere (``projections/folding.py``, ``projections/careful.py``); positions and
inserts are the runner's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

import structlog

from projections.careful import Careful, fold_carefully
from projections.contract import AnyProjection
from projections.errors import SourceGapError
from projections.folding import Folded, Place, fold_batch
from projections.limits import Tally
from projections.lost import lost_spans
from projections.pace import Pace
from projections.quarantine import hold
from projections.store.contract import Store
from schemas.definitions import Definitions
from schemas.errors import DecodeError, MesswerkError
from schemas.log import StoredEvent

_log = structlog.get_logger(__name__)


class BatchFolder:
    """Folds batches through some projections.

    ``stopped`` are sources that cannot be folded further, and why. ``refused`` is the same of a source that is
    nobody else's, for which the reason is raised.
    """

    def __init__(
        self,
        store: Store,
        projections: Sequence[AnyProjection],
        definitions: Definitions,
        tally: Tally,
        now_ns: Callable[[], int],
    ) -> None:
        self._store = store
        self._projections = tuple(projections)
        self._definitions = definitions
        self._tally = tally
        self._now_ns = now_ns
        self.stopped: dict[str, MesswerkError] = {}
        self.refused: Mapping[str, MesswerkError] = {}

    def stop(self, sources: Mapping[str, MesswerkError]) -> None:
        """Fold no more of these sources' events."""
        for name, reason in sources.items():
            if name not in self.stopped:
                self.stopped[name] = reason
                _log.error("a source stopped; the others go on", source=name, reason=str(reason))

    async def fold(
        self, batch: Sequence[StoredEvent], begin: Mapping[tuple[str, str], Place], pace: Pace, *, shared: bool
    ) -> Folded:
        """Fold a batch from the places ``begin``, slice by slice in a thread, so that others get their turn."""
        places = dict(begin)
        parts: list[Folded] = []
        for first in range(0, len(batch), pace.slice_events):
            piece = [
                stored
                for stored in batch[first : first + pace.slice_events]
                if stored.envelope.source not in self.stopped
            ]
            try:
                made = [await asyncio.to_thread(fold_batch, piece, self._projections, places, self._definitions)]
            except (SourceGapError, DecodeError):
                made = await self._fold_carefully(piece, places, shared=shared)
            for part in made:
                places.update(part.places)
                parts.append(part)
            if pace.pause_s:
                await asyncio.sleep(pace.pause_s)
        return _joined(parts)

    async def _fold_carefully(
        self, piece: Sequence[StoredEvent], places: Mapping[tuple[str, str], Place], *, shared: bool
    ) -> list[Folded]:
        """Put aside what cannot be decoded, stop whoever cannot go on, and fold the rest."""
        excused = await lost_spans(self._store)
        careful: Careful = await asyncio.to_thread(
            fold_carefully, piece, self._projections, places, self._definitions, excused
        )
        undecided = await hold(self._store, (), careful.poisoned, now_ns=self._now_ns())
        poisoned = {each.stored.envelope.id for each in careful.poisoned}
        for stored in piece:
            name = f"{stored.envelope.source}@{stored.envelope.seq}"
            self._tally.note_source(stored.envelope.source, bad=stored.envelope.id in poisoned and name in undecided)
        if not shared:
            self.refused = careful.stopped
            for problem in careful.stopped.values():
                raise problem
        self.stop(careful.stopped)
        return list(careful.parts)


def _joined(parts: Sequence[Folded]) -> Folded:
    places: dict[tuple[str, str], Place] = {}
    rows: dict[str, list[object]] = {}
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for part in parts:
        places.update(part.places)
        last.update(part.last_seq)
        for source, seq in part.first_seq.items():
            first.setdefault(source, seq)
        for table, more in part.rows.items():
            rows.setdefault(table, []).extend(more)
    return Folded(places, rows, first, last, sum(part.events for part in parts))  # type: ignore[arg-type]
