"""The format of a sealed segment: a file that says what it holds, and then holds it.

``MESSWERK SEGMENT 1``, a line of JSON (:class:`SegmentHeader`), then zstd frames one after the other, each with a
checksum. A frame holds events as their stored bytes, each after its length (four bytes, little-endian). Beside the
file lies one of the same name and ``.sha256``, as ``sha256sum -c`` reads it. No I/O here.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
import zstandard

from schemas.chain import Frontier

MAGIC: Final = b"MESSWERK SEGMENT 1\n"
SUFFIX: Final = ".segment"
HASH_SUFFIX: Final = ".sha256"
BLOCK_BYTES: Final = 1024 * 1024
"""A frame is closed when its plain content reaches this; what finding one event has to decompress."""

_LEVEL: Final = 9
_LENGTH: Final = struct.Struct("<I")
_NAME: Final = re.compile(r"(\d{4}-\d{2})\.(\d{12})-(\d{12})(?:\.unfinished)?\.segment")


class BadSegmentError(ValueError):
    """Bytes that are no segment; the caller knows the file and says so."""


class TreeState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Merkle tree (RFC 6962) at one size, as hexadecimal: its root, and the subtrees to continue from."""

    size: int
    root: str
    subtrees: tuple[str, ...]

    def frontier(self) -> Frontier:
        """Return the tree to continue from. Raises :class:`BadSegmentError` when it contradicts itself."""
        try:
            frontier = Frontier(self.size, [bytes.fromhex(each) for each in self.subtrees])
        except ValueError as problem:
            raise BadSegmentError(f"its header's tree is none: {problem}") from problem
        if frontier.root().hex() != self.root:
            raise BadSegmentError("its header's root does not follow from its subtrees")
        return frontier


def tree_state(frontier: Frontier) -> TreeState:
    """Return how a tree stands."""
    return TreeState(
        size=frontier.size,
        root=frontier.root().hex(),
        subtrees=tuple(each.hex() for each in frontier.subtrees),
    )


class Block(msgspec.Struct, frozen=True, array_like=True):
    """One frame: its first position, how many events, where it begins behind the header, its sizes in bytes."""

    first_seq: int
    events: int
    offset: int
    stored_bytes: int
    plain_bytes: int


class SegmentHeader(msgspec.Struct, frozen=True, kw_only=True):
    """What a segment holds.

    month: UTC, as "2026-10". finished: the month was over; otherwise a later segment takes this one's place.
    first_wall_ns, last_wall_ns: wall times of its first and last event, which a clock's step can put in any order.
    before, after: the log's tree up to the first event and up to the last; they chain the segments.
    checkpoint: position of the newest ``log-checkpointed`` in it; None without one.
    """

    source: str
    month: str
    finished: bool
    first_seq: int
    last_seq: int
    first_wall_ns: int
    last_wall_ns: int
    types: dict[str, int]
    checkpoint: int | None
    before: TreeState
    after: TreeState
    plain_bytes: int
    blocks: tuple[Block, ...]

    @property
    def events(self) -> int:
        """How many events it holds."""
        return self.last_seq - self.first_seq + 1

    @property
    def name(self) -> str:
        """Return the file's name; names sort as positions do within a month."""
        return segment_name(self.month, self.first_seq, self.last_seq, finished=self.finished)


_header_encoder = msgspec.json.Encoder()
_header_decoder = msgspec.json.Decoder(SegmentHeader)


def encode_header(header: SegmentHeader) -> bytes:
    """Return the bytes in front of the frames."""
    return MAGIC + _header_encoder.encode(header) + b"\n"


def decode_header(line: bytes) -> SegmentHeader:
    """Read the line behind the magic. Raises :class:`BadSegmentError`, also when it contradicts itself."""
    try:
        header = _header_decoder.decode(line)
    except msgspec.MsgspecError as problem:
        raise BadSegmentError(f"its header cannot be read: {problem}") from problem
    expected = header.first_seq
    for block in header.blocks:
        if block.first_seq != expected or block.events < 1:
            raise BadSegmentError(f"its header leaves out event {expected}")
        expected += block.events
    sizes = (header.before.size + 1, header.after.size + 1)
    if expected != header.last_seq + 1 or sizes != (header.first_seq, expected):
        raise BadSegmentError("its header contradicts itself about positions")
    return header


def segment_name(month: str, first_seq: int, last_seq: int, *, finished: bool) -> str:
    """Name the file of a segment. No two of one log that differ have the same name, so none is ever overwritten."""
    return f"{month}.{first_seq:012d}-{last_seq:012d}{'' if finished else '.unfinished'}{SUFFIX}"


def span_in_name(name: str) -> tuple[str, int, int] | None:
    """Month, first and last position that a segment's name says; None for another file's."""
    found = _NAME.fullmatch(name)
    return None if found is None else (found[1], int(found[2]), int(found[3]))


def pack(events: Iterable[bytes]) -> bytes:
    """Frame events for one block, uncompressed."""
    return b"".join(part for raw in events for part in (_LENGTH.pack(len(raw)), raw))


def unpack(plain: bytes) -> Iterator[bytes]:
    """Yield the events of a block. Raises :class:`BadSegmentError` when lengths do not add up."""
    position = 0
    while position < len(plain):
        begin = position + _LENGTH.size
        if begin > len(plain):
            raise BadSegmentError("a length is cut off")
        (length,) = _LENGTH.unpack_from(plain, position)
        position = begin + length
        if position > len(plain):
            raise BadSegmentError("an event is cut off")
        yield plain[begin:position]


def compress(plain: bytes) -> bytes:
    """Make one zstd frame, with its size and a checksum in it."""
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(plain)


def decompress(stored: bytes, plain_bytes: int) -> bytes:
    """Undo :func:`compress`. Raises :class:`BadSegmentError`."""
    try:
        if zstandard.frame_content_size(stored) != plain_bytes:
            raise BadSegmentError("a frame has another size than its header says")
        return zstandard.ZstdDecompressor().decompress(stored)
    except zstandard.ZstdError as problem:
        raise BadSegmentError(f"a frame does not decompress: {problem}") from problem
