"""The contract of an event log, whatever lies beneath it.

A log belongs to one source. It has one writer, any number of readers, and positions ``1, 2, 3 …`` without
gaps. What ``append`` has acknowledged survives a crash of the process and of the machine. Implementations
live on the write side; projections and the command line need only what is said here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import msgspec

from schemas.envelope import Envelope
from schemas.errors import LogError
from schemas.events import Event


class StoredEvent(msgspec.Struct, frozen=True, gc=False):
    """An envelope beside the exact bytes that are stored, hashed and shipped."""

    envelope: Envelope
    raw: bytes


class LogReader(ABC):
    """Reads one source's log. Safe to use while the writer appends, from any thread or process."""

    @property
    @abstractmethod
    def source(self) -> str:
        """Name of the daemon that writes this log."""

    @abstractmethod
    def read_after(self, seq: int, *, limit: int) -> Sequence[StoredEvent]:
        """Return up to ``limit`` events with positions greater than ``seq``, in order; empty at the end.

        Raises :class:`schemas.errors.LogDamagedError` on a gap or on bytes that are no envelope.
        """

    @abstractmethod
    def last_seq(self) -> int:
        """Position of the newest event; 0 for an empty log."""

    def leaves_after(self, seq: int, *, limit: int) -> Mapping[int, bytes]:  # noqa: ARG002  # for logs that keep them
        """Return up to ``limit`` leaf hashes that were stored beside events, by position; empty where none are."""
        return {}

    @abstractmethod
    def close(self) -> None:
        """Release files; reading afterwards is an error."""


class LogWriter(ABC):
    """Appends to one source's log. Exactly one per log, enforced by the implementation."""

    @property
    @abstractmethod
    def source(self) -> str:
        """Name under which this log's events travel."""

    @property
    def failed(self) -> LogError | None:
        """What every later append will raise; None while it works. Begin nothing that it could not record."""
        return None

    @abstractmethod
    async def append(self, *events: Event) -> Sequence[Envelope]:
        """Stamp the events, store them in one transaction and return when they are durable.

        All of them are stored or none. Raises :class:`schemas.errors.LogFullError` when the disk refuses;
        after that every later call raises the same, so that nothing goes on unrecorded.
        """

    @abstractmethod
    async def checkpoint(self) -> Envelope | None:
        """Append a ``log-checkpointed`` over the log so far; None when nothing came after the last one."""

    @abstractmethod
    async def close(self) -> None:
        """Finish what was accepted and release the log."""
