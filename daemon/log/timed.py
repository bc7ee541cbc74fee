"""A log that tells telemetry how long appends take; everything else is the log it wraps."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from daemon.log.group_commit import GroupCommitLog
from schemas.envelope import Envelope
from schemas.errors import LogError
from schemas.events import Event
from schemas.log import LogWriter


class TimedLog(LogWriter):
    """Calls ``told(duration_s, events)`` after each durable append."""

    def __init__(self, log: GroupCommitLog, told: Callable[[float, int], None]) -> None:
        self._log = log
        self._told = told

    @property
    def source(self) -> str:
        """See :class:`LogWriter`."""
        return self._log.source

    @property
    def failed(self) -> LogError | None:
        """What made the log unusable; None while it works."""
        return self._log.failed

    async def append(self, *events: Event) -> Sequence[Envelope]:
        """See :class:`LogWriter`."""
        begin_s = time.perf_counter()
        envelopes = await self._log.append(*events)
        self._told(time.perf_counter() - begin_s, len(envelopes))
        return envelopes

    async def checkpoint(self) -> Envelope | None:
        """See :class:`LogWriter`."""
        return await self._log.checkpoint()

    async def close(self) -> None:
        """See :class:`LogWriter`."""
        await self._log.close()
