"""Whether two different events claim one position: two daemons under one name, or a log begun anew. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final
from uuid import UUID

from projections.errors import LogReplacedError
from projections.folding import Places
from schemas.log import StoredEvent

_REMEMBERED: Final = 4000


class Identities:
    """Identifiers of the newest positions of each source that were seen.

    A source's events cannot get past its newest folded position without being compared there, so what comes
    from elsewhere is found before any of it is folded.
    """

    def __init__(self) -> None:
        self._seen: dict[str, dict[int, UUID]] = {}

    def start(self, places: Places) -> None:
        """Begin with what the checkpoints say, and forget the rest."""
        self._seen = {}
        for (_, source), place in places.items():
            if place.event is not None and place.event.int:
                self._seen.setdefault(source, {})[place.seq] = place.event

    def compare(self, batch: Sequence[StoredEvent]) -> Mapping[str, LogReplacedError]:
        """Take note of a batch; return the sources with a second event at a position."""
        found: dict[str, LogReplacedError] = {}
        for stored in batch:
            envelope = stored.envelope
            seen = self._seen.get(envelope.source)
            if seen is None:
                seen = self._seen[envelope.source] = {}
            known = seen.setdefault(envelope.seq, envelope.id)
            if known is not envelope.id and known != envelope.id and envelope.source not in found:
                found[envelope.source] = LogReplacedError(
                    f"position {envelope.seq} of {envelope.source!r} holds two different events ({known} and "
                    f"{envelope.id}): two daemons have that name, or its log was begun anew. Give each daemon a "
                    "name of its own (source in messwerk.toml); a new log needs a new name, too"
                )
        for seen in self._seen.values():
            # Named first and removed then: a dict looks for its first key past all that were removed before it.
            for oldest in list(islice(seen, max(0, len(seen) - _REMEMBERED))):
                del seen[oldest]
        return found
