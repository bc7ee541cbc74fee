"""Bringing a log of the embedded form into Kafka later: verified first, resumed and repeated without harm.

No mark is kept: the topic says how far it got, so the same file can be brought in again and adds nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from daemon.forwarding.forwarder import Forwarder
from daemon.forwarding.resuming import Mark
from daemon.forwarding.sink import Sink
from schemas.clocks import Clock
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


async def bring_in(reader: LogReader, sink: Sink, clock: Clock, progress: Callable[[int], None]) -> None:
    """Ship everything that the topic lacks. Verify the log before. ``progress`` hears each position reached."""
    forwarder = Forwarder(reader, sink, NoMark(), clock=clock, pause=asyncio.sleep)
    await forwarder.ship_all(reader.last_seq(), progress)
