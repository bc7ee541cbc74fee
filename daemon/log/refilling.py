"""Putting a log back: a new SQLite file with the very events of another reader, checked on the way and read back."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from daemon.log import layout
from daemon.log.lock import WriterLock
from daemon.log.reader import SqliteReader
from daemon.log.verify import Check, Verified, verify
from schemas.chain import leaf_hash
from schemas.errors import LogError
from schemas.log import LogReader

_BATCH: Final = 2000


def refill(path: Path, reader: LogReader, progress: Callable[[int], None] | None = None) -> Verified:
    """Write all of ``reader`` into a new log at ``path``, and return what reading that back gives.

    progress: hears each event twice. Raises :class:`LogDamagedError` when the events do not hold together, and
    :class:`LogError` when something lies at ``path`` or the disk refuses. What is half written then is the caller's.
    """
    if path.exists():
        raise LogError(f"{path} is there already; a log is put back only where none is")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = WriterLock(path)
        try:
            check = _write(path, reader, progress)
        finally:
            lock.release()
        # The writing did not wait for the disk; one sync of the whole does.
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        layout.sync_directory(path.parent)
    except (OSError, sqlite3.Error) as problem:
        raise LogError(f"cannot write the log {path}: {problem}; free space or check the disk") from problem
    with closing(SqliteReader(path)) as written:
        found = verify(written, progress)
    if found.root != check.frontier.root():
        raise LogError(f"{path} does not read back as it was written; check the disk")
    return found


def _write(path: Path, reader: LogReader, progress: Callable[[int], None] | None) -> Check:
    check = Check(reader.source)
    with closing(layout.connect_writer(path, reader.source)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        while batch := reader.read_after(check.size, limit=_BATCH):
            rows: list[layout.Row] = []
            for stored in batch:
                check.take(stored)
                rows.append((stored.envelope.seq, stored.envelope.type, stored.envelope.id.bytes, stored.raw))
            connection.execute("BEGIN IMMEDIATE")
            layout.insert(connection, rows, [leaf_hash(stored.raw) for stored in batch])
            connection.execute("COMMIT")
            if progress is not None:
                progress(len(rows))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return check
