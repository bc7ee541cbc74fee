"""The synchronous core of the log: one open file, the right to write it, and appending in transactions.

:class:`LogFile` stamps envelopes, keeps the Merkle frontier and adds checkpoints. It knows no event loop;
:mod:`daemon.log.inline` and :mod:`daemon.log.group_commit` are the two ways to use it from asyncio.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import UUID

import msgspec

from daemon.log import layout
from daemon.log.lock import WriterLock
from daemon.log.reader import SqliteReader
from schemas.chain import Frontier, leaf_hash
from schemas.clocks import Clock
from schemas.envelope import Envelope, encode_envelope
from schemas.errors import LogDamagedError, LogError, LogFullError
from schemas.events import Event, LogCheckpointed, decode_event, encode_event
from schemas.ids import UuidFactory

CHECKPOINT_EVERY = 1000
"""Events between two automatic ``log-checkpointed`` events."""

_READ_BATCH = 1000


class Draft(msgspec.Struct, frozen=True):
    """An event that was encoded and timed when it was handed over, and has no position yet."""

    type: str
    v: int
    wall_ns: int
    mono_ns: int
    data: msgspec.Raw


class LogFile:
    """A log opened for writing; opening creates it when absent.

    Not thread-safe: one thread at a time may use it, though not always the same one. After the first failed
    write ``failed`` holds the error, and every later call raises it again.
    """

    def __init__(
        self,
        path: Path,
        *,
        source: str,
        clock: Clock,
        checkpoint_every: int = CHECKPOINT_EVERY,
        random_bytes: Callable[[int], bytes] = os.urandom,
    ) -> None:
        if not source:
            raise LogError(f"the log {path} needs the name of its source; set source in messwerk.toml, [daemon]")
        self.failed: LogError | None = None
        self._path = path
        self._source = source
        self._clock = clock
        self._checkpoint_every = checkpoint_every
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = WriterLock(path)
        except OSError as problem:
            raise LogError(
                f"cannot open the log {path} for writing: {problem.strerror}; check its directory and the space there"
            ) from problem
        try:
            self._connection = layout.connect_writer(path, source)
        except BaseException:
            self._lock.release()
            raise
        try:
            self._frontier, self._checkpointed = self._resume()
            self._acknowledged = self._frontier.size
            self._ids = UuidFactory(clock, random_bytes, after=self._last_id())
        except BaseException:
            self.close()
            raise

    @property
    def path(self) -> Path:
        """The SQLite file."""
        return self._path

    @property
    def source(self) -> str:
        """Name under which this log's events travel."""
        return self._source

    @property
    def last_seq(self) -> int:
        """Position of the newest event in the current transaction or before it; 0 for an empty log."""
        return self._frontier.size

    @property
    def acknowledged_seq(self) -> int:
        """Position up to which everything is durable."""
        return self._acknowledged

    def draft(self, event: Event) -> Draft:
        """Encode an event and note the time. Safe to call from any thread."""
        return Draft(event.TYPE, event.VERSION, self._clock.wall_ns(), self._clock.mono_ns(), encode_event(event))

    def stage(self, drafts: Sequence[Draft]) -> Sequence[Envelope]:
        """Give drafts their positions inside the open transaction, opening one if needed.

        Nothing is durable, nor visible to readers, before :meth:`commit`.
        """
        self.ensure_usable()
        try:
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            envelopes = self._insert(drafts)
            if self._frontier.size - self._checkpointed >= self._checkpoint_every:
                self._insert_checkpoint()
        except (sqlite3.Error, OSError) as problem:
            raise self._fail(problem) from problem
        return envelopes

    def commit(self) -> None:
        """Make everything staged durable: one fsync for all of it."""
        self.ensure_usable()
        try:
            if self._connection.in_transaction:
                self._connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as problem:
            raise self._fail(problem) from problem
        self._acknowledged = self._frontier.size

    def append(self, *events: Event) -> Sequence[Envelope]:
        """Stage and commit in one step."""
        envelopes = self.stage([self.draft(event) for event in events])
        self.commit()
        return envelopes

    def checkpoint(self) -> Envelope | None:
        """Append a ``log-checkpointed`` over the log so far; None when nothing came after the last one."""
        self.ensure_usable()
        if self._frontier.size == self._checkpointed:
            return None
        try:
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            envelope = self._insert_checkpoint()
        except (sqlite3.Error, OSError) as problem:
            raise self._fail(problem) from problem
        self.commit()
        return envelope

    def close(self) -> None:
        """Release file and lock; what was staged and not committed is gone. Calling it again does nothing."""
        self._connection.close()
        self._lock.release()
        if self.failed is None:
            self.failed = LogError(f"the log {self._path} is closed")

    def ensure_usable(self) -> None:
        """Raise what made this log unusable, if anything did."""
        if self.failed is not None:
            raise told_again(self.failed)

    def _insert(self, drafts: Sequence[Draft]) -> list[Envelope]:
        envelopes = []
        rows: list[layout.Row] = []
        leaves = []
        for draft in drafts:
            envelope = Envelope(
                id=self._ids(),
                type=draft.type,
                v=draft.v,
                source=self._source,
                boot=self._clock.boot,
                seq=self._frontier.size + 1,
                wall_ns=draft.wall_ns,
                mono_ns=draft.mono_ns,
                data=draft.data,
            )
            raw = encode_envelope(envelope)
            leaves.append(leaf_hash(raw))
            self._frontier.add(leaves[-1])
            envelopes.append(envelope)
            rows.append((envelope.seq, envelope.type, envelope.id.bytes, raw))
        layout.insert(self._connection, rows, leaves)
        return envelopes

    def _insert_checkpoint(self) -> Envelope:
        # The checkpoint covers the events before it; it is itself a leaf, and the next one covers it.
        frontier = self._frontier
        event = LogCheckpointed(size=frontier.size, root=frontier.root(), subtrees=frontier.subtrees)
        (envelope,) = self._insert([self.draft(event)])
        self._checkpointed = envelope.seq
        return envelope

    def _fail(self, problem: Exception) -> LogFullError:
        safe = f"the {self._acknowledged} events acknowledged up to seq {self._acknowledged} are safe"
        code = getattr(problem, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_FULL:
            message = f"{self._path}: disk full; measuring stops; {safe}; free space and restart"
        else:
            # A commit whose fsync failed may have reached the disk all the same. The next start reads the
            # tail and goes on from what is there; nobody may assume either way before that.
            name = getattr(problem, "sqlite_errorname", type(problem).__name__)
            message = (
                f"{self._path}: cannot write ({problem}, {name}); measuring stops; {safe}; what was being "
                f"appended after it may or may not be there: check the disk, restart, and see `messwerk log tail`"
            )
        self.failed = LogFullError(message)
        try:
            self._connection.rollback()
        except sqlite3.Error as second:
            self.failed.add_note(f"rolling back failed too: {second}")
        return self.failed

    def _resume(self) -> tuple[Frontier, int]:
        """Frontier over everything stored, hashing only what follows the last checkpoint; and its position."""
        reader = SqliteReader(self._path, connection=self._connection)
        newest = reader.tail(1, kind=LogCheckpointed.TYPE)
        frontier, checkpointed = Frontier(), 0
        if newest:
            checkpointed = newest[0].envelope.seq
            frontier = self._frontier_of(newest[0].envelope)
        while events := reader.read_after(frontier.size, limit=_READ_BATCH):
            for stored in events:
                frontier.add(leaf_hash(stored.raw))
        return frontier, checkpointed

    def _frontier_of(self, checkpoint: Envelope) -> Frontier:
        event = decode_event(checkpoint)
        if isinstance(event, LogCheckpointed) and event.size.bit_count() == len(event.subtrees):
            frontier = Frontier(event.size, event.subtrees)
            if frontier.size == checkpoint.seq - 1 and frontier.root() == event.root:
                return frontier
        raise LogDamagedError(
            f"{self._path}: checkpoint {checkpoint.seq} contradicts itself; run `messwerk log verify`",
            seq=checkpoint.seq,
        )

    def _last_id(self) -> UUID | None:
        row = self._connection.execute("SELECT id FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        return None if row is None else UUID(bytes=row[0])


def told_again(error: LogError) -> LogError:
    """Make another exception of the same kind and words; a shared one would collect every raiser's traceback."""
    again = type(error)(*error.args)
    again.__cause__ = error
    return again
