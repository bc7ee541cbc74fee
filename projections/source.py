"""Where events come from, by position: the local log, or a broker's topic in the distributed form.

Positions are ``{source: seq}``, never offsets of the carrier, so one runner serves every kind. The topic is in
``projections/kafka``.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

import msgspec

from schemas.log import LogReader, StoredEvent


class Undecodable(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes where an event should be, and not even an envelope around them; so nobody knows their position.

    name: where they lie, as topic/partition/offset. run: how many such records came one after the other,
        this one included. source: as the record's key says.
    """

    name: str
    topic: str
    partition: int
    offset: int
    source: str | None
    raw: bytes
    reason: str
    run: int = 1


class EventSource(ABC):
    """Events of one or several daemons. Duplicates may occur; order within a source may not be broken.

    Whatever has no default here is enough for a source with one reader. The rest is for sources that several
    processes share: there, sources come and go while they are being read.
    """

    @abstractmethod
    async def read_after(self, positions: Mapping[str, int], *, limit: int) -> Sequence[StoredEvent]:
        """Return up to ``limit`` events behind the given positions (0 where none is given); empty at the end."""

    @abstractmethod
    async def ends(self) -> Mapping[str, int]:
        """Newest position of every source that can be read here."""

    @abstractmethod
    async def identify(self, source: str, seq: int) -> UUID | None:
        """Return the identifier of the event at one position; None when there is none."""

    @property
    def shared(self) -> bool:
        """Whether several daemons' events come this way.

        Trouble with one daemon's events then stops those alone, and the identifier at a position is compared
        when it comes by, because it may not be there any more to be looked up.
        """
        return False

    @property
    def generation(self) -> int:
        """Changes whenever others may have folded what is read here: checkpoints must be read again."""
        return 0

    @property
    def records_read(self) -> int:
        """Grows with every record that was read, new or not: what a watchdog can see."""
        return 0

    def undecodable(self) -> Sequence[Undecodable]:
        """Bytes that were read and are no event, until they are :meth:`kept`."""
        return ()

    def kept(self, names: Collection[str]) -> None:  # noqa: B027  # nothing is undecodable here
        """Take note that undecodable bytes are safe in quarantine."""

    def stop_sources(self, sources: Collection[str]) -> None:  # noqa: B027  # one source needs no sorting out
        """Return no more events of exactly these sources."""

    async def close(self) -> None:  # noqa: B027  # nothing was opened here
        """Let go of what was opened for reading."""


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
