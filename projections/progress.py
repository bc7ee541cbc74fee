"""Whether a reader gets on: how far it is behind each source, and for how long nothing has moved. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec


def lag(ends: Mapping[str, int], positions: Mapping[str, int]) -> dict[str, int]:
    """Events by source that are there and not folded; sources without an end are not known here."""
    return {source: max(0, end - positions.get(source, 0)) for source, end in sorted(ends.items())}


class Sighting(msgspec.Struct, frozen=True, kw_only=True):
    """What can be seen of a reader at one moment.

    folded: positions of all sources, summed. read: records taken from the carrier, new or not. behind: events
    that wait, of sources that were not stopped; None while nobody can tell.
    """

    folded: int
    read: int
    behind: int | None


class Watchdog:
    """Measures for how long a reader with something to do has done nothing."""

    def __init__(self, now_s: float) -> None:
        self._since_s = now_s
        self._last: Sighting | None = None

    def see(self, sighting: Sighting, now_s: float) -> None:
        """Take note. Reading counts as moving, too: after a rebalance much may have to be read again."""
        last = self._last
        moved = last is None or (sighting.folded, sighting.read) != (last.folded, last.read)
        if moved or sighting.behind == 0:
            self._since_s = now_s
        self._last = sighting

    def still_s(self, now_s: float) -> float:
        """Seconds without progress while something waited, or while nobody knew whether anything does."""
        return now_s - self._since_s


def waiting(lags: Mapping[str, int], stopped: Collection[str]) -> int:
    """Events that could be folded: those of stopped sources wait for people."""
    return sum(events for source, events in lags.items() if source not in stopped)
