"""Where events come from, by position: the local log today, a broker's topic in the distributed form.

Positions are ``{source: seq}``, never offsets of the carrier, so one runner serves every kind.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from uuid import UUID

from schemas.log import LogReader, StoredEvent


class EventSource(ABC):
    """Events of one or several daemons. Duplicates may occur; order within a source may not be broken."""

    @abstractmethod
    async def read_after(self, positions: Mapping[str, int], *, limit: int) -> Sequence[StoredEvent]:
        """Return up to ``limit`` events behind the given positions (0 where none is given); empty at the end."""

    @abstractmethod
    async def ends(self) -> Mapping[str, int]:
        """Newest position of every source that can be read here."""

    @abstractmethod
    async def identify(self, source: str, seq: int) -> UUID | None:
        """Return the identifier of the event at one position; None when there is none."""


class LogSource(EventSource):
    """The log of one daemon, read directly. Reading happens in a thread: SQLite blocks."""

    def __init__(self, reader: LogReader) -> None:
        self._reader = reader

    async def read_after(self, positions: Mapping[str, int], *, limit: int) -> Sequence[StoredEvent]:
        """See :class:`EventSource`."""
        return await asyncio.to_thread(self._reader.read_after, positions.get(self._reader.source, 0), limit=limit)

    async def ends(self) -> Mapping[str, int]:
        """See :class:`EventSource`."""
        return {self._reader.source: await asyncio.to_thread(self._reader.last_seq)}

    async def identify(self, source: str, seq: int) -> UUID | None:
        """See :class:`EventSource`."""
        if source != self._reader.source or seq > await asyncio.to_thread(self._reader.last_seq):
            return None
        found = await asyncio.to_thread(self._reader.read_after, seq - 1, limit=1)
        return found[0].envelope.id if found else None
