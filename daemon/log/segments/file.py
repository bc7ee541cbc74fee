"""One sealed segment on a disk, for reading: its header, its frames, and whether all of it is what was sealed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final, NoReturn

from daemon.log.segments.layout import (
    HASH_SUFFIX,
    MAGIC,
    SUFFIX,
    BadSegmentError,
    Block,
    SegmentHeader,
    decode_header,
    decompress,
    span_in_name,
    unpack,
)
from daemon.log.verify import Check
from schemas.envelope import decode_envelope
from schemas.errors import DecodeError, LogDamagedError
from schemas.log import StoredEvent

_CHUNK_BYTES: Final = 1024 * 1024
_LONGEST_HEADER_BYTES: Final = 256 * 1024 * 1024


class SegmentFile:
    """A segment whose header was read. Raises :class:`LogDamagedError` for bytes that are none.

    No file stays open between calls.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        named = span_in_name(path.name)
        self._suspect = 1 if named is None else named[1]
        with self._opened() as file:
            if file.read(len(MAGIC)) != MAGIC:
                self._refuse("it does not begin as a segment does")
            line = file.readline(_LONGEST_HEADER_BYTES)
            self._body = file.tell()
        try:
            self.header: SegmentHeader = decode_header(line)
            self.header.before.frontier()
            self.header.after.frontier()
        except BadSegmentError as problem:
            self._refuse(str(problem))
        self._suspect = self.header.first_seq

    @property
    def hash_path(self) -> Path:
        """The file with this one's SHA-256."""
        return self.path.with_name(self.path.name + HASH_SUFFIX)

    def block(self, index: int) -> list[StoredEvent]:
        """Read the events of one frame. Raises :class:`LogDamagedError`."""
        block = self.header.blocks[index]
        with self._opened() as file:
            file.seek(self._body + block.offset)
            stored = file.read(block.stored_bytes)
        if len(stored) != block.stored_bytes:
            self._refuse("it is cut off", block.first_seq)
        try:
            return self._events(block, decompress(stored, block.plain_bytes))
        except BadSegmentError as problem:
            self._refuse(str(problem), block.first_seq)

    def sha256(self) -> str:
        """Compute the file's hash."""
        found = hashlib.sha256()
        with self._opened() as file:
            while chunk := file.read(_CHUNK_BYTES):
                found.update(chunk)
        return found.hexdigest()

    def check_hash(self) -> str:
        """Compare with the hash beside the file, and return it. Raises :class:`LogDamagedError`."""
        try:
            told = self.hash_path.read_text("ascii").split()[0]
        except (OSError, ValueError, IndexError):
            self._refuse(f"there is no hash beside it ({self.hash_path.name})")
        if self.sha256() != told:
            self._refuse("its SHA-256 is not the one beside it")
        return told

    def check(self, progress: Callable[[int], None] | None = None, check: Check | None = None) -> Check:
        """Read everything back: each event, each checkpoint, and that all of it gives the header's tree.

        progress: called with the count of events checked since its last call. check: has taken the segment before.
        Raises :class:`LogDamagedError`.
        """
        header = self.header
        check = Check(header.source, header.before.frontier()) if check is None else check
        types: dict[str, int] = {}
        for index in range(len(header.blocks)):
            events = self.block(index)
            for stored in events:
                check.take(stored)
                types[stored.envelope.type] = types.get(stored.envelope.type, 0) + 1
            if progress is not None:
                progress(len(events))
        if check.frontier.root().hex() != header.after.root:
            self._refuse("its events do not give the root in its header")
        if types != header.types:
            self._refuse("its header counts other events than it holds")
        body_end = self._body + header.blocks[-1].offset + header.blocks[-1].stored_bytes
        if self.path.stat().st_size != body_end:
            self._refuse("something was added behind its end")
        return check

    def _events(self, block: Block, plain: bytes) -> list[StoredEvent]:
        events: list[StoredEvent] = []
        for seq, raw in enumerate(unpack(plain), block.first_seq):
            try:
                envelope = decode_envelope(raw)
            except DecodeError as problem:
                self._refuse(str(problem), seq)
            if (envelope.seq, envelope.source) != (seq, self.header.source):
                self._refuse(f"event {seq} calls itself {envelope.seq} of {envelope.source!r}", seq)
            events.append(StoredEvent(envelope, raw))
        if len(events) != block.events:
            self._refuse(f"{len(events)} events where its header says {block.events}", block.first_seq)
        return events

    def _opened(self) -> BinaryIO:
        try:
            return self.path.open("rb")
        except OSError as problem:
            self._refuse(os.strerror(problem.errno or 0))

    def _refuse(self, why: str, seq: int | None = None) -> NoReturn:
        raise LogDamagedError(
            f"segment {self.path}: {why}; restore the file from a copy", seq=self._suspect if seq is None else seq
        )


def segment_files(directory: Path) -> list[Path]:
    """Return the segments in a directory, in the order of their names; none when there is no directory."""
    return sorted(path for path in directory.glob(f"*{SUFFIX}") if span_in_name(path.name) is not None)
