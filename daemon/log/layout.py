"""The log's file format: tables, triggers, how connections are opened, and how a file is recognised.

Appending is :mod:`daemon.log.sqlite`, reading is :mod:`daemon.log.reader`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import quote

from schemas.errors import LogDamagedError, LogError

APPLICATION_ID = 0x4D455357
"""``MESW`` in the file's header: what ``file`` and SQLite can tell a Messwerk log by."""

FORMAT_VERSION = 1
"""``user_version`` of the file: the shape of its tables. Events have versions of their own."""

BUSY_TIMEOUT_S = 5.0

# Besides refusing UPDATE and DELETE, the insert trigger holds positions contiguous. It also closes the door
# that INSERT OR REPLACE would open: a replace deletes without firing delete triggers.
_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE events (seq INTEGER PRIMARY KEY, type TEXT NOT NULL, id BLOB NOT NULL, raw BLOB NOT NULL) STRICT;
CREATE INDEX events_by_id ON events (id);
CREATE INDEX events_by_type ON events (type, seq);
CREATE TRIGGER events_in_order BEFORE INSERT ON events
    WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM events)
    BEGIN SELECT RAISE(ABORT, 'the event log is append-only: positions are contiguous'); END;
CREATE TRIGGER events_no_update BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'the event log is append-only: no updates'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'the event log is append-only: no deletions'); END;
CREATE TRIGGER meta_no_update BEFORE UPDATE ON meta
    BEGIN SELECT RAISE(ABORT, 'a log keeps its source'); END;
CREATE TRIGGER meta_no_delete BEFORE DELETE ON meta
    BEGIN SELECT RAISE(ABORT, 'a log keeps its source'); END;
"""

# Each event's leaf hash, in the same transaction as the event: it lets verification name the one event that is
# no longer what was appended, also before a checkpoint covers it, and an end that was cut off. Apart from the
# events because nothing but verification reads it.
_LEAVES = """
CREATE TABLE leaves (seq INTEGER PRIMARY KEY, hash BLOB NOT NULL) STRICT;
CREATE TRIGGER leaves_in_order BEFORE INSERT ON leaves
    WHEN NEW.seq <= (SELECT coalesce(max(seq), 0) FROM leaves)
    BEGIN SELECT RAISE(ABORT, 'the event log is append-only: hashes follow one another'); END;
CREATE TRIGGER leaves_no_update BEFORE UPDATE ON leaves
    BEGIN SELECT RAISE(ABORT, 'the event log is append-only: no updates'); END;
CREATE TRIGGER leaves_no_delete BEFORE DELETE ON leaves
    BEGIN SELECT RAISE(ABORT, 'the event log is append-only: no deletions'); END;
"""

Row = tuple[int, str, bytes, bytes]
"""Position, type, id and the envelope's bytes."""


def insert(connection: sqlite3.Connection, rows: Sequence[Row], leaves: Sequence[bytes]) -> None:
    """Store events, each with its leaf hash, in the transaction that is open."""
    connection.executemany("INSERT INTO events (seq, type, id, raw) VALUES (?, ?, ?, ?)", rows)
    hashes = [(row[0], leaf) for row, leaf in zip(rows, leaves, strict=True)]
    connection.executemany("INSERT INTO leaves (seq, hash) VALUES (?, ?)", hashes)


def keeps_leaves(connection: sqlite3.Connection) -> bool:
    """Tell whether the file has leaf hashes; one that was begun without them gets them from its next writer on."""
    return connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'leaves'").fetchone() is not None


def connect_writer(path: Path, source: str) -> sqlite3.Connection:
    """Open the log of ``source`` for writing, creating it when absent. Hold the writer's lock before calling this.

    This connection is the only one that writes **and** the only one that checkpoints: SQLite before 3.51.3
    can corrupt a WAL when one connection commits while another one resets the WAL after a checkpoint.
    Raises :class:`LogError` for a file that is not this source's log, and leaves it as it was.
    """
    try:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=BUSY_TIMEOUT_S)
    except sqlite3.Error as problem:
        raise LogError(f"cannot open the log {path} for writing: {problem}") from problem
    try:
        if _is_empty(connection):
            _configure(connection)
            _create(connection, path, source)
        _require(source, recognise(connection, path), path)
        _configure(connection)
        if not keeps_leaves(connection):
            connection.executescript(f"BEGIN IMMEDIATE; {_LEAVES} COMMIT;")
    except sqlite3.Error as problem:
        connection.close()
        raise LogError(f"cannot open the log {path} for writing: {problem}") from problem
    except BaseException:
        connection.close()
        raise
    return connection


def connect_reader(path: Path) -> sqlite3.Connection:
    """Open the file for reading only.

    ``mode=ro`` is what keeps a reader from ever checkpointing, also when it happens to be the last
    connection to close (see :func:`connect_writer` for why that matters).
    """
    if not path.exists():
        raise LogError(f"no log at {path}: the daemon writes one when it starts; check --data or data_dir")
    uri = f"file:{quote(str(path.resolve()))}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_TIMEOUT_S)
    connection.execute("PRAGMA query_only = ON")
    # Damaged text is for the reader to compare with the event, which names a position; SQLite's error would not.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    return connection


def laid_out(path: Path) -> bool:
    """Tell whether a writer has made this file into something yet.

    False for no file, and for one whose writer has only begun to lay it out, or died at that: the next
    writer takes such a file as new. True says nothing about what the file is; opening it does.
    """
    if not path.exists():
        return False
    connection = connect_reader(path)
    try:
        return not _is_empty(connection)
    except sqlite3.Error:
        return True
    finally:
        connection.close()


def recognise(connection: sqlite3.Connection, path: Path) -> str:
    """Return the source whose log this is. Raises :class:`LogError` for any other kind of file."""
    try:
        application, version = _header(connection)
        if application != APPLICATION_ID:
            raise LogError(f"{path} is no Messwerk log (application id {application:#x}); nothing was changed")
        if version != FORMAT_VERSION:
            raise LogError(
                f"{path} has log format {version}, this build reads format {FORMAT_VERSION}: use the Messwerk "
                "that wrote it, or a newer one"
            )
        row = connection.execute("SELECT value FROM meta WHERE name = 'source'").fetchone()
    except sqlite3.OperationalError as problem:
        raise LogError(
            f"cannot open the log {path}: {problem}; its directory must exist and be writable, for readers too "
            "(SQLite shares memory through a file there)"
        ) from problem
    except sqlite3.DatabaseError as problem:
        if problem.sqlite_errorcode == sqlite3.SQLITE_CORRUPT:
            seq = _first_unreadable(connection)
            raise LogDamagedError(
                f"{path}: unreadable at or after event {seq}: {problem}; restore the file from a copy", seq=seq
            ) from problem
        raise LogError(f"cannot read the log {path}: {problem}; restore the file from a copy") from problem
    if row is None:
        raise LogError(f"{path} does not say whose log it is; restore the file from a copy")
    source: str = row[0]
    return source


def sync_directory(directory: Path) -> None:
    """Fsync a directory, so that a new or renamed file in it is still there after a power cut."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _first_unreadable(connection: sqlite3.Connection) -> int:
    """Find how far a file can be read that SQLite refuses as a whole, as it does when the end is cut off.

    The connection serves for nothing else afterwards.
    """
    readable = 0
    with suppress(sqlite3.DatabaseError):  # the caller tells; here only how far it went counts
        # Without it SQLite reads nothing of a file that is shorter than its own header says.
        connection.execute("PRAGMA writable_schema = ON")
        for row in connection.execute("SELECT seq, raw FROM events ORDER BY seq"):
            readable = row[0]
    return readable + 1


def _header(connection: sqlite3.Connection) -> tuple[int, int]:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return application, version


def _require(source: str, owner: str, path: Path) -> None:
    if owner != source:
        raise LogError(
            f"{path} is the log of source {owner!r}, not of {source!r}; a log keeps its source: set source back "
            f"to {owner!r} in messwerk.toml, [daemon], or choose another data_dir"
        )


def _is_empty(connection: sqlite3.Connection) -> bool:
    """Tell whether the file holds nothing at all yet, of Messwerk or of anyone else."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    return _header(connection) == (0, 0) and tables == 0


def _configure(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # FULL fsyncs the WAL at every commit: an acknowledged event survives a power cut, not only a crash.
    connection.execute("PRAGMA synchronous = FULL")


def _create(connection: sqlite3.Connection, path: Path, source: str) -> None:
    """Lay out an empty file in one transaction and make its directory entry durable."""
    marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT_VERSION};"
    connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} {_LEAVES} {marks}")
    connection.execute("INSERT INTO meta (name, value) VALUES ('source', ?)", (source,))
    connection.execute("COMMIT")
    sync_directory(path.parent)
    sync_directory(path.parent.parent)
