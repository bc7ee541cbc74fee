"""What people and imports ask of a log beyond reading it in order, whether it is a SQLite file or sealed segments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from schemas.log import LogReader, StoredEvent


class BrowsableLog(LogReader):
    """A log in which single events can be found. It is also a :class:`daemon.history.LogHistory`."""

    @property
    @abstractmethod
    def path(self) -> Path:
        """The file or directory that is read."""

    @abstractmethod
    def get(self, seq: int) -> StoredEvent | None:
        """Return the event at a position."""

    @abstractmethod
    def find(self, identifier: UUID) -> StoredEvent | None:
        """Return the event with this id."""

    @abstractmethod
    def of_type(self, kind: str, *, after: int = 0, limit: int) -> Sequence[StoredEvent]:
        """Return up to ``limit`` events of one type with positions greater than ``after``, in order."""

    @abstractmethod
    def tail(self, limit: int, *, kind: str | None = None) -> Sequence[StoredEvent]:
        """Return the newest ``limit`` events, of one type if named, oldest first."""
