"""Reading a log while its writer appends, from any thread or process; never writing, never checkpointing."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from daemon.log import layout
from daemon.log.browsable import BrowsableLog
from schemas.envelope import decode_envelope
from schemas.errors import DecodeError, LogDamagedError, LogError
from schemas.log import StoredEvent

_COLUMNS = "SELECT seq, type, id, raw FROM events"


class SqliteReader(BrowsableLog):
    """Reads one log file. Each call is one short transaction, so a slow reader never holds the WAL up.

    connection: what to read through instead of a read-only connection; the writer looks at its own log so.
    """

    def __init__(self, path: Path, *, connection: sqlite3.Connection | None = None) -> None:
        self._path = path
        self._connection = layout.connect_reader(path) if connection is None else connection
        self._mutex = threading.Lock()
        try:
            self._source = layout.recognise(self._connection, path)
            self._keeps_leaves = layout.keeps_leaves(self._connection)
        except BaseException:
            self._connection.close()
            raise

    @property
    def source(self) -> str:
        """See :class:`schemas.log.LogReader`."""
        return self._source

    @property
    def path(self) -> Path:
        """See :class:`BrowsableLog`: the SQLite file."""
        return self._path

    def read_after(self, seq: int, *, limit: int) -> Sequence[StoredEvent]:
        """See :class:`schemas.log.LogReader`."""
        rows = self._query(f"{_COLUMNS} WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit), suspect=seq + 1)
        events = []
        for expected, row in enumerate(rows, start=seq + 1):
            if row[0] != expected:
                raise LogDamagedError(
                    f"{self._path}: event {expected} is missing, the next is {row[0]}; restore the file from a copy",
                    seq=expected,
                )
            events.append(self._stored(row))
        return events

    def last_seq(self) -> int:
        """See :class:`schemas.log.LogReader`."""
        rows = self._query(f"{_COLUMNS} ORDER BY seq DESC LIMIT 1", (), suspect=1)
        return rows[0][0] if rows else 0

    def leaves_after(self, seq: int, *, limit: int) -> Mapping[int, bytes]:
        """See :class:`schemas.log.LogReader`."""
        if not self._keeps_leaves:
            return {}
        query = "SELECT seq, hash FROM leaves WHERE seq > ? ORDER BY seq LIMIT ?"
        return dict(self._query(query, (seq, limit), suspect=seq + 1))

    def bytes_after(self, seq: int) -> int:
        """Return how many bytes the events with positions greater than ``seq`` have together."""
        with self._mutex:
            (total,) = self._connection.execute(
                "SELECT coalesce(sum(length(raw)), 0) FROM events WHERE seq > ?", (seq,)
            ).fetchone()
        return int(total)

    def get(self, seq: int) -> StoredEvent | None:
        """See :class:`BrowsableLog`."""
        rows = self._query(f"{_COLUMNS} WHERE seq = ?", (seq,), suspect=seq)
        return self._stored(rows[0]) if rows else None

    def find(self, identifier: UUID) -> StoredEvent | None:
        """See :class:`BrowsableLog`."""
        rows = self._query(f"{_COLUMNS} WHERE id = ? ORDER BY seq LIMIT 1", (identifier.bytes,), suspect=1)
        return self._stored(rows[0]) if rows else None

    def of_type(self, kind: str, *, after: int = 0, limit: int) -> Sequence[StoredEvent]:
        """See :class:`BrowsableLog`."""
        query = f"{_COLUMNS} WHERE type = ? AND seq > ? ORDER BY seq LIMIT ?"
        return [self._stored(row) for row in self._query(query, (kind, after, limit), suspect=after + 1)]

    def tail(self, limit: int, *, kind: str | None = None) -> Sequence[StoredEvent]:
        """See :class:`BrowsableLog`."""
        if kind is None:
            rows = self._query(f"{_COLUMNS} ORDER BY seq DESC LIMIT ?", (limit,), suspect=1)
        else:
            rows = self._query(f"{_COLUMNS} WHERE type = ? ORDER BY seq DESC LIMIT ?", (kind, limit), suspect=1)
        return [self._stored(row) for row in reversed(rows)]

    def close(self) -> None:
        """See :class:`schemas.log.LogReader`."""
        with self._mutex:
            self._connection.close()

    def _query(self, query: str, values: tuple[int | str | bytes, ...], *, suspect: int) -> list[Any]:
        try:
            with self._mutex:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.ProgrammingError as problem:
            raise LogError(f"the reader of {self._path} is closed") from problem
        except sqlite3.OperationalError as problem:
            raise LogError(f"cannot read the log {self._path}: {problem}; try again") from problem
        except sqlite3.DatabaseError as problem:
            raise LogDamagedError(
                f"{self._path}: unreadable at or after event {suspect}: {problem}; restore the file from a copy",
                seq=suspect,
            ) from problem

    def _stored(self, row: layout.Row) -> StoredEvent:
        seq, kind, identifier, raw = row
        try:
            envelope = decode_envelope(raw)
        except DecodeError as problem:
            raise LogDamagedError(f"{self._path}: event {seq}: {problem}", seq=seq) from problem
        told = (envelope.seq, envelope.type, envelope.id.bytes, envelope.source)
        if told != (seq, kind, identifier, self._source):
            raise LogDamagedError(
                f"{self._path}: event {seq} calls itself {envelope.type} {envelope.seq} of {envelope.source!r}; "
                f"the log of {self._source!r} has it as {kind} {seq}",
                seq=seq,
            )
        return StoredEvent(envelope, raw)
