"""Sealed segments in a directory, read as the one log that they are."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from uuid import UUID

from daemon.log.browsable import BrowsableLog
from daemon.log.published import Published
from daemon.log.segments.file import SegmentFile, segment_files
from daemon.log.verify import Check, Verified
from schemas.errors import LogDamagedError, LogError
from schemas.log import StoredEvent

Progress = Callable[[int], None]
"""Called with the count of events dealt with since its last call."""


class Chain:
    """Segments that follow one another from the first event on, and the files whose place others have taken."""

    def __init__(self, segments: Sequence[SegmentFile], superseded: Sequence[Path]) -> None:
        self.segments = tuple(segments)
        self.superseded = tuple(superseded)

    @property
    def last_seq(self) -> int:
        """Position of the last event; 0 for an empty chain."""
        return self.segments[-1].header.last_seq if self.segments else 0

    def finished(self) -> Chain:
        """Return the chain up to its last finished month; what follows is sealed anew."""
        kept = list(self.segments)
        while kept and not kept[-1].header.finished:
            kept.pop()
        return Chain(kept, self.superseded)


def chain_of(directory: Path, names: Collection[str] | None = None) -> Chain:
    """Put the segments of a directory, or those named, in order.

    Raises :class:`LogDamagedError` that names the positions that are missing, or the segment that does not follow.
    """
    found = [SegmentFile(path) for path in segment_files(directory) if names is None or path.name in names]
    for segment in found:
        if segment.header.name != segment.path.name:
            raise LogDamagedError(
                f"segment {segment.path} calls itself {segment.header.name}; give it its name back",
                seq=segment.header.first_seq,
            )
    # Of two that begin at the same event a finished month wins, and otherwise the longer one.
    found.sort(key=lambda each: (each.header.first_seq, not each.header.finished, -each.header.last_seq))
    chain: list[SegmentFile] = []
    superseded: list[Path] = []
    end = 0
    for segment in found:
        header = segment.header
        if header.last_seq <= end or (header.first_seq <= end and not header.finished):
            superseded.append(segment.path)
            continue
        if header.first_seq != end + 1:
            raise LogDamagedError(_break(directory, chain, segment, end), seq=min(end + 1, header.first_seq))
        if chain:
            _require_link(chain[-1], segment)
        chain.append(segment)
        end = header.last_seq
    return Chain(chain, superseded)


def _break(directory: Path, chain: Sequence[SegmentFile], segment: SegmentFile, end: int) -> str:
    first = segment.header.first_seq
    before = f" behind {chain[-1].path.name}" if chain else ""
    if first <= end:
        return f"{directory}: {segment.path.name} begins inside the segment before it; one of both is foreign here"
    return (
        f"{directory}: the segment with events {end + 1} to {first - 1} is missing{before}, the next is "
        f"{segment.path.name}; restore the file from a copy"
    )


def _require_link(earlier: SegmentFile, later: SegmentFile) -> None:
    if later.header.source != earlier.header.source:
        raise LogDamagedError(
            f"segment {later.path} is of source {later.header.source!r}, those before it of "
            f"{earlier.header.source!r}: a directory holds one source's log",
            seq=later.header.first_seq,
        )
    if later.header.before != earlier.header.after:
        raise LogDamagedError(
            f"segment {later.path} does not follow from {earlier.path.name}: it was made behind other events",
            seq=later.header.first_seq,
        )


class SegmentsReader(BrowsableLog):
    """Reads a directory of segments. Its log is as long as it is when opened; segments never change.

    names: only files of these names, for example those that a manifest lists.
    Raises :class:`LogError` where no segment is, and :class:`LogDamagedError` when one is missing.
    """

    def __init__(self, directory: Path, names: Collection[str] | None = None) -> None:
        self._directory = directory
        self._segments = chain_of(directory, names).segments
        if not self._segments:
            raise LogError(f"no sealed segment in {directory}; `messwerk log seal` writes them")
        self._ends = [segment.header.last_seq for segment in self._segments]
        self._cached: tuple[int, int, list[StoredEvent]] | None = None
        self._closed = False
        self._mutex = threading.Lock()

    @property
    def source(self) -> str:
        """See :class:`schemas.log.LogReader`."""
        return self._segments[0].header.source

    @property
    def path(self) -> Path:
        """See :class:`BrowsableLog`: the directory."""
        return self._directory

    @property
    def segments(self) -> tuple[SegmentFile, ...]:
        """The files, in order."""
        return self._segments

    def read_after(self, seq: int, *, limit: int) -> Sequence[StoredEvent]:
        """See :class:`schemas.log.LogReader`."""
        found: list[StoredEvent] = []
        for events in self._blocks_from(seq + 1):
            begin = max(0, seq + 1 - events[0].envelope.seq)
            found += events[begin : begin + limit - len(found)]
            if len(found) >= limit:
                break
        return found

    def last_seq(self) -> int:
        """See :class:`schemas.log.LogReader`."""
        self._ensure_open()
        return self._ends[-1]

    def get(self, seq: int) -> StoredEvent | None:
        """See :class:`BrowsableLog`."""
        found = self.read_after(seq - 1, limit=1) if seq > 0 else ()
        return found[0] if found else None

    def find(self, identifier: UUID) -> StoredEvent | None:
        """See :class:`BrowsableLog`. Identifiers grow with positions, so it is found by halving."""
        low, high = 1, self.last_seq()
        while low <= high:
            middle = (low + high) // 2
            stored = self.get(middle)
            assert stored is not None
            if stored.envelope.id == identifier:
                return stored
            low, high = (middle + 1, high) if stored.envelope.id < identifier else (low, middle - 1)
        return None

    def of_type(self, kind: str, *, after: int = 0, limit: int) -> Sequence[StoredEvent]:
        """See :class:`BrowsableLog`. Segments without that type are not read."""
        found: list[StoredEvent] = []
        for events in self._blocks_from(after + 1, kind):
            found += [each for each in events if each.envelope.type == kind and each.envelope.seq > after]
            if len(found) >= limit:
                break
        return found[:limit]

    def tail(self, limit: int, *, kind: str | None = None) -> Sequence[StoredEvent]:
        """See :class:`BrowsableLog`."""
        self._ensure_open()
        found: deque[StoredEvent] = deque()
        for place in range(len(self._segments) - 1, -1, -1):
            header = self._segments[place].header
            if kind is not None and kind not in header.types:
                continue
            for index in range(len(header.blocks) - 1, -1, -1):
                if len(found) >= limit:
                    break
                found.extendleft(
                    each for each in reversed(self._block(place, index)) if kind in (None, each.envelope.type)
                )
        return list(found)[max(0, len(found) - limit) :]

    def verify(self, progress: Progress | None = None, published: Sequence[Published] = ()) -> Verified:
        """Verify as :func:`daemon.log.verify.verify` does, and each file's hash, and each header's counts and root.

        Raises :class:`LogDamagedError`, which names the file and the first position that cannot be relied on: of a
        damaged frame its first event, of a damaged header the segment's.
        """
        check = Check(self.source, published=published)
        for segment in self._segments:
            segment.check(progress, check)  # before the hash of the whole file: it knows positions
            segment.check_hash()
        return check.result()

    def close(self) -> None:
        """See :class:`schemas.log.LogReader`."""
        with self._mutex:
            self._closed = True
            self._cached = None

    def _blocks_from(self, seq: int, kind: str | None = None) -> Iterator[list[StoredEvent]]:
        self._ensure_open()
        for place in range(bisect_right(self._ends, seq - 1), len(self._segments)):
            header = self._segments[place].header
            if kind is not None and kind not in header.types:
                continue
            first = bisect_right(header.blocks, seq, key=lambda block: block.first_seq) - 1
            for index in range(max(0, first), len(header.blocks)):
                yield self._block(place, index)

    def _block(self, place: int, index: int) -> list[StoredEvent]:
        with self._mutex:
            if self._closed:
                raise LogError(f"the reader of {self._directory} is closed")
            if self._cached is None or self._cached[:2] != (place, index):
                self._cached = (place, index, self._segments[place].block(index))
            return self._cached[2]

    def _ensure_open(self) -> None:
        if self._closed:
            raise LogError(f"the reader of {self._directory} is closed")
