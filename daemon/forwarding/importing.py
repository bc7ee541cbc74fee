"""Bringing a log of the embedded form into Kafka later: verified first, resumed and repeated without harm.

No mark is kept: the topic says how far it got, so the same file can be brought in again and adds nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from daemon.forwarding.forwarder import Forwarder
from daemon.forwarding.resuming import Mark
from daemon.forwarding.sink import Sink
from daemon.paths import DataPaths
from schemas.clocks import Clock
from schemas.errors import LogError
from schemas.log import LogReader


class NoMark:
    """Keeps the mark of one import in memory."""

    def __init__(self) -> None:
        self._mark = Mark()

    def read(self) -> Mark:
        """See :class:`daemon.forwarding.forwarder.Marks`."""
        return self._mark

    def write(self, mark: Mark) -> None:
        """See :class:`daemon.forwarding.forwarder.Marks`."""
        self._mark = mark


def find_log(given: Path) -> Path:
    """Return the log's file, given it, its directory, or the data directory. Raises :class:`LogError`."""
    candidates = (given, DataPaths(given).log, given / DataPaths(given).log.name)
    found = next((each for each in candidates if each.is_file()), None)
    if found is None:
        raise LogError(f"no log at {given}: name a log's file, or the data directory that holds log/events.sqlite3")
    return found


async def bring_in(reader: LogReader, sink: Sink, clock: Clock, progress: Callable[[int], None]) -> None:
    """Ship everything that the topic lacks. Verify the log before. ``progress`` hears each position reached."""
    forwarder = Forwarder(reader, sink, NoMark(), clock=clock, pause=asyncio.sleep)
    await forwarder.ship_all(reader.last_seq(), progress)
