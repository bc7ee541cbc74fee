"""Logs kept elsewhere, read before a live source: a rebuild need not depend on how long a broker keeps events."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from projections.source import EventSource, LogSource, Undecodable
from schemas.log import LogReader, StoredEvent


class ArchivedSource(EventSource):
    """Events of each archive's source come from it as far as it reaches, and all later ones from ``live``.

    archives: one or more logs, one a source or several of the same; the caller closes them, and ``live`` as well.
    """

    def __init__(self, archives: Sequence[LogReader], live: EventSource) -> None:
        self._archives = {reader.source: LogSource(reader) for reader in _longest_last(archives)}
        self._ends = {reader.source: reader.last_seq() for reader in _longest_last(archives)}
        self._live = live
        self._stopped: frozenset[str] = frozenset()
        self._read = 0

    async def read_after(self, positions: Mapping[str, int], *, limit: int) -> Sequence[StoredEvent]:
        """See :class:`EventSource`."""
        for source, end in self._ends.items():
            if positions.get(source, 0) < end and source not in self._stopped:
                found = await self._archives[source].read_after(positions, limit=limit)
                self._read += len(found)
                return found
        return await self._live.read_after(positions, limit=limit)

    async def ends(self) -> Mapping[str, int]:
        """See :class:`EventSource`."""
        live = await self._live.ends()
        return {
            source: max(live.get(source, 0), self._ends.get(source, 0)) for source in sorted({*live, *self._ends})
        }

    async def identify(self, source: str, seq: int) -> UUID | None:
        """See :class:`EventSource`."""
        if seq <= self._ends.get(source, 0):
            return await self._archives[source].identify(source, seq)
        return await self._live.identify(source, seq)

    @property
    def shared(self) -> bool:
        """See :class:`EventSource`."""
        return self._live.shared or len(self._ends) > 1

    @property
    def generation(self) -> int:
        """See :class:`EventSource`."""
        return self._live.generation

    @property
    def records_read(self) -> int:
        """See :class:`EventSource`."""
        return self._read + self._live.records_read

    def undecodable(self) -> Sequence[Undecodable]:
        """See :class:`EventSource`."""
        return self._live.undecodable()

    def kept(self, names: Collection[str]) -> None:
        """See :class:`EventSource`."""
        self._live.kept(names)

    def stop_sources(self, sources: Collection[str]) -> None:
        """See :class:`EventSource`."""
        self._stopped = frozenset(sources)
        self._live.stop_sources(sources)


def _longest_last(archives: Sequence[LogReader]) -> list[LogReader]:
    """Of several archives of one source the longest counts: it is the last to be noted."""
    return sorted(archives, key=lambda reader: reader.last_seq())
