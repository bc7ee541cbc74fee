"""Checking a whole log: every position, every event, every checkpoint's root, from nothing but the stored bytes.

Reading and printing are the callers' business; here is what must hold, in the order in which it is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import msgspec

from schemas.chain import Frontier, leaf_hash
from schemas.envelope import Envelope
from schemas.errors import DecodeError, LogDamagedError, UnknownVersionError
from schemas.events import LogCheckpointed, decode_event
from schemas.log import LogReader, StoredEvent

_BATCH = 1000


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """What a sound log turned out to be.

    root: RFC 6962 root over all of its events; the same bytes give the same root anywhere.
    uncovered: events after the last checkpoint; they are intact as events, but no recorded root covers them.
    unknown: events of types or versions that this build does not know; hashed like all others, not decoded.
    """

    source: str
    size: int
    root: bytes
    checkpoints: int
    uncovered: int
    unknown: int


def verify(reader: LogReader, progress: Callable[[int], None] | None = None) -> Verified:
    """Recompute everything. Raises :class:`LogDamagedError` with the first wrong position.

    A byte that was changed and still decodes shows at the next checkpoint; the error then names the first
    position of the smallest span of events that must hold the change.
    progress: called with the count of events checked since its last call.
    """
    check = Check(reader.source)
    while events := reader.read_after(check.size, limit=_BATCH):
        for stored in events:
            check.take(stored)
        if progress is not None:
            progress(len(events))
    return check.result()


class Check:
    """The state of a verification between two events.

    begin: the tree over what lies before the first event that is taken; nothing for a whole log.
    """

    def __init__(self, source: str, begin: Frontier | None = None) -> None:
        self._source = source
        self._frontier = Frontier() if begin is None else Frontier(begin.size, begin.subtrees)
        self._last_id = UUID(int=0)
        self._checkpointed = 0
        self._checkpoints = 0
        self._unknown = 0

    @property
    def size(self) -> int:
        """Position up to which everything was checked."""
        return self._frontier.size

    @property
    def frontier(self) -> Frontier:
        """The tree over everything so far."""
        return self._frontier

    @property
    def checkpointed(self) -> int:
        """Position of the newest checkpoint taken; 0 without one."""
        return self._checkpointed

    def take(self, stored: StoredEvent) -> None:
        """Check the next event. Raises :class:`LogDamagedError`."""
        envelope = stored.envelope
        seq = self._frontier.size + 1
        if envelope.seq != seq or envelope.source != self._source:
            raise LogDamagedError(
                f"event {seq} of {self._source!r}: found event {envelope.seq} of {envelope.source!r} in its place",
                seq=seq,
            )
        if envelope.id <= self._last_id:
            raise LogDamagedError(f"event {seq}: its id {envelope.id} does not follow {self._last_id}", seq=seq)
        self._last_id = envelope.id
        try:
            event = decode_event(envelope)
        except UnknownVersionError:  # not damage: hashed like every other event, read by a later build
            event = None
        except DecodeError as problem:
            raise LogDamagedError(str(problem), seq=seq) from problem
        if event is None:
            self._unknown += 1
        elif isinstance(event, LogCheckpointed):
            self._compare(envelope, event)
        self._frontier.add(leaf_hash(stored.raw))

    def result(self) -> Verified:
        """Return what was found so far."""
        return Verified(
            source=self._source,
            size=self._frontier.size,
            root=self._frontier.root(),
            checkpoints=self._checkpoints,
            uncovered=self._frontier.size - self._checkpointed,
            unknown=self._unknown,
        )

    def _compare(self, envelope: Envelope, told: LogCheckpointed) -> None:
        found = self._frontier
        if told.size != found.size:
            raise LogDamagedError(
                f"event {envelope.seq}: a checkpoint over {told.size} events stands after {found.size}",
                seq=envelope.seq,
            )
        if len(told.subtrees) != told.size.bit_count() or Frontier(told.size, told.subtrees).root() != told.root:
            raise LogDamagedError(
                f"event {envelope.seq}: the checkpoint's root does not follow from its subtrees", seq=envelope.seq
            )
        if told.root != found.root() or told.subtrees != found.subtrees:
            first, last = _suspects(found, told)
            # What an earlier checkpoint covered was right then, and is the same bytes now.
            first = max(first, self._checkpointed)
            raise LogDamagedError(
                f"events {first} to {last}: not the bytes that checkpoint {envelope.seq} recorded "
                f"(root {told.root.hex()}, computed {found.root().hex()})",
                seq=first,
            )
        self._checkpointed = envelope.seq
        self._checkpoints += 1


def _suspects(found: Frontier, told: LogCheckpointed) -> tuple[int, int]:
    """First and last position of the first complete subtree that differs (one of them must)."""
    bits = [bit for bit in range(found.size.bit_length() - 1, -1, -1) if found.size >> bit & 1]
    end = 0
    for bit, ours, theirs in zip(bits, found.subtrees, told.subtrees, strict=True):
        start, end = end + 1, end + (1 << bit)
        if ours != theirs:
            return start, end
    return 1, found.size
