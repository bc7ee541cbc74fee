"""A log that commits in the calling thread: for the simulated clock, under which no other thread may run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from daemon.log.sqlite import CHECKPOINT_EVERY, LogFile
from schemas.clocks import Clock
from schemas.envelope import Envelope
from schemas.errors import LogError
from schemas.events import Event
from schemas.log import LogWriter


class InlineLog(LogWriter):
    """Appends synchronously; the event loop stands still for the length of one fsync.

    commit_every: with more than 1, appends are acknowledged **before they are durable** and committed every
        so many events, at :meth:`flush`, :meth:`checkpoint` and :meth:`close`. That breaks the contract's
        promise on purpose, for one use: writing weeks of simulated history quickly. Never measure with it.
    """

    def __init__(
        self,
        path: Path,
        *,
        source: str,
        clock: Clock,
        checkpoint_every: int = CHECKPOINT_EVERY,
        commit_every: int = 1,
    ) -> None:
        self._file = LogFile(path, source=source, clock=clock, checkpoint_every=checkpoint_every)
        self._commit_every = commit_every

    @property
    def source(self) -> str:
        """See :class:`LogWriter`."""
        return self._file.source

    @property
    def failed(self) -> LogError | None:
        """What made this log unusable; None while it works."""
        return self._file.failed

    async def append(self, *events: Event) -> Sequence[Envelope]:
        """See :class:`LogWriter`; see the class for what ``commit_every`` takes away."""
        envelopes = self._file.stage([self._file.draft(event) for event in events])
        if self._file.last_seq - self._file.acknowledged_seq >= self._commit_every:
            self._file.commit()
        return envelopes

    async def flush(self) -> None:
        """Make everything appended so far durable and visible to readers."""
        self._file.commit()

    async def checkpoint(self) -> Envelope | None:
        """Append a ``log-checkpointed`` over the log so far; None when nothing came after the last one."""
        return self._file.checkpoint()

    async def close(self) -> None:
        """See :class:`LogWriter`."""
        try:
            if self._file.failed is None:
                self._file.commit()
        finally:
            self._file.close()
