"""Checking a whole log: every position, every event, every checkpoint's root, from nothing but the stored bytes.

Reading and printing are the callers' business; here is what must hold, in the order in which it is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

import msgspec

from daemon.log.published import Published
from schemas.chain import Frontier, leaf_hash
from schemas.envelope import Envelope
from schemas.errors import DecodeError, LogDamagedError, LogError, UnknownVersionError
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


def verify(
    reader: LogReader, progress: Callable[[int], None] | None = None, published: Sequence[Published] = ()
) -> Verified:
    """Recompute everything. Raises :class:`LogDamagedError` with the first wrong position.

    A changed byte shows by the leaf hash that was stored beside its event. Where none is kept, or the hash was
    changed with it, it shows at the next checkpoint; the error then names the first position of the smallest span
    of events that must hold the change.
    progress: called with the count of events checked since its last call. published: checkpoints that the log must
    extend.
    """
    check = Check(reader.source, published=published)
    while events := _next(reader, check.size):
        leaves = reader.leaves_after(check.size, limit=len(events))
        for stored in events:
            check.take(stored, leaves.get(stored.envelope.seq))
        if progress is not None:
            progress(len(events))
    return check.result()


def _next(reader: LogReader, after: int) -> Sequence[StoredEvent]:
    limit = _BATCH
    while True:
        try:
            events = reader.read_after(after, limit=limit)
        except LogDamagedError:
            if limit == 1:
                raise
            limit //= 2  # what lies before the damage may be wrong as well, and is looked at first
            continue
        if events or not reader.leaves_after(after, limit=1):
            return events
        # A writer may have appended between the two looks.
        events = reader.read_after(after, limit=1)
        if not events:
            raise LogDamagedError(
                f"event {after + 1} is missing: the log was cut off there, and more hashes were stored", seq=after + 1
            )
        return events


class Check:
    """The state of a verification between two events.

    begin: the tree over what lies before the first event that is taken; nothing for a whole log.
    published: checkpoints that were kept elsewhere; each must be met on the way.
    """

    def __init__(self, source: str, begin: Frontier | None = None, *, published: Sequence[Published] = ()) -> None:
        self._source = source
        self._frontier = Frontier() if begin is None else Frontier(begin.size, begin.subtrees)
        self._last_id = UUID(int=0)
        self._checkpointed = 0
        self._checkpoints = 0
        self._unknown = 0
        self._hashed = False
        self._published = sorted(published, key=lambda each: each.size, reverse=True)
        self._agreed = 0
        for each in published:
            if each.source not in (None, source):
                raise LogError(
                    f"the checkpoint over {each.size} events is of source {each.source!r}, not of {source!r}"
                )

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

    def take(self, stored: StoredEvent, leaf: bytes | None = None) -> None:
        """Check the next event, against the hash that was stored beside it. Raises :class:`LogDamagedError`."""
        envelope = stored.envelope
        seq = self._frontier.size + 1
        if envelope.seq != seq or envelope.source != self._source:
            raise LogDamagedError(
                f"event {seq} of {self._source!r}: found event {envelope.seq} of {envelope.source!r} in its place",
                seq=seq,
            )
        computed = leaf_hash(stored.raw)
        if leaf != computed and (self._hashed or leaf is not None):
            raise LogDamagedError(
                f"event {seq}: not the bytes that were appended, by the hash stored with it"
                if leaf is not None
                else f"event {seq}: the hash that was stored with it is gone",
                seq=seq,
            )
        self._hashed = leaf is not None
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
        self._frontier.add(computed)
        while self._published and self._published[-1].size == seq:
            self._meet(self._published.pop())

    def result(self) -> Verified:
        """Return what was found. Raises :class:`LogDamagedError` when the log ends before a published checkpoint."""
        if self._published:
            missing = self._published[-1]
            raise LogDamagedError(
                f"the log ends at {self.size} and does not reach the published checkpoint over {missing.size} events",
                seq=self.size + 1,
            )
        return Verified(
            source=self._source,
            size=self._frontier.size,
            root=self._frontier.root(),
            checkpoints=self._checkpoints,
            uncovered=self._frontier.size - self._checkpointed,
            unknown=self._unknown,
        )

    def _meet(self, told: Published) -> None:
        if told.root == self._frontier.root():
            self._agreed = told.size
            return
        first, last = _suspects(self._frontier, told.subtrees) if told.subtrees else (1, told.size)
        # What an earlier published checkpoint covers was right.
        first = max(first, self._agreed + 1)
        raise LogDamagedError(
            f"events {first} to {last}: not the log of the published checkpoint over {told.size} events "
            f"(root {told.root.hex()}, computed {self._frontier.root().hex()})",
            seq=first,
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
            first, last = _suspects(found, told.subtrees)
            # What an earlier checkpoint covered was right then, and is the same bytes now.
            first = max(first, self._checkpointed)
            raise LogDamagedError(
                f"events {first} to {last}: not the bytes that checkpoint {envelope.seq} recorded "
                f"(root {told.root.hex()}, computed {found.root().hex()})",
                seq=first,
            )
        self._checkpointed = envelope.seq
        self._checkpoints += 1


def _suspects(found: Frontier, told: Sequence[bytes]) -> tuple[int, int]:
    """First and last position of the first complete subtree that differs (one of them must)."""
    bits = [bit for bit in range(found.size.bit_length() - 1, -1, -1) if found.size >> bit & 1]
    end = 0
    for bit, ours, theirs in zip(bits, found.subtrees, told, strict=True):
        start, end = end + 1, end + (1 << bit)
        if ours != theirs:
            return start, end
    return 1, found.size
