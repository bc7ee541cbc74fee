"""Sealing: copying a log's finished months into files that never change again, each read back before it counts.

The log itself keeps its events; nothing is ever taken out of it. It may be written meanwhile.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import msgspec

from daemon.log.layout import sync_directory
from daemon.log.lock import alone_in
from daemon.log.segments.file import SegmentFile
from daemon.log.segments.layout import (
    BLOCK_BYTES,
    HASH_SUFFIX,
    Block,
    SegmentHeader,
    compress,
    encode_header,
    pack,
    segment_name,
    tree_state,
)
from daemon.log.segments.months import Span, begin_of_next, month_of, spans
from daemon.log.segments.reader import Chain, Progress, chain_of
from daemon.log.verify import Check
from schemas.chain import Frontier
from schemas.errors import LogDamagedError, LogError
from schemas.log import LogReader, StoredEvent

_BATCH: Final = 1000
_SCRAP: Final = ".new-"
_READ_ONLY: Final = 0o444


class UnfinishedMonthError(LogError):
    """A month was to be sealed that goes on."""


class Sealed(msgspec.Struct, frozen=True):
    """One segment as it lies there now. ``fresh``: written by this call."""

    path: Path
    header: SegmentHeader
    fresh: bool


class Sealing(msgspec.Struct, frozen=True):
    """The whole chain after a call, and files whose place other segments have taken."""

    segments: tuple[Sealed, ...]
    superseded: tuple[Path, ...]


def seal(
    reader: LogReader,
    directory: Path,
    *,
    now_ns: int,
    through: str | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Sealing:
    """Seal every finished month that is not sealed yet, up to ``through``; calling it again changes nothing.

    now_ns: wall clock, which tells what is finished. force: also write what is there of the unfinished month; the
    next call replaces that segment. progress: hears each event twice, when it is written and when it is read back.
    Raises :class:`UnfinishedMonthError`; :class:`LogDamagedError` when log and segments contradict each other, or a
    checkpoint its events; :class:`LogError` when the disk refuses;
    :class:`LogLockedError` while another process seals there. What was sealed before stays as it was.
    """
    this_month = month_of(now_ns)
    if through is not None and through >= this_month and not force:
        raise UnfinishedMonthError(
            f"month {through} is not over before {begin_of_next(through):%Y-%m-%dT%H:%MZ}; seal it then, or take "
            "what is there now with --force"
        )
    _make(directory)
    with alone_in(directory):
        for scrap in directory.glob(f"{_SCRAP}*"):  # of a sealing that was killed
            scrap.unlink()
        whole = chain_of(directory)
        chain = whole.finished()
        _require_same_log(reader, chain)
        wanted = _wanted(reader, chain, this_month, through, force=force)
        frontier = chain.segments[-1].header.after.frontier() if chain.segments else Frontier()
        present = {segment.path.name: segment for segment in whole.segments}
        found = [Sealed(segment.path, segment.header, fresh=False) for segment in chain.segments]
        for span in wanted:
            sealed = _write(reader, directory, span, frontier, present, progress)
            frontier = sealed.header.after.frontier()
            found.append(sealed)
        # What goes on with an unfinished month stays until something takes its place.
        if len(found) == len(chain.segments):
            rest = whole.segments[len(chain.segments) :]
            found += [Sealed(segment.path, segment.header, fresh=False) for segment in rest]
        kept = {sealed.path for sealed in found}
        others = (*whole.superseded, *(segment.path for segment in whole.segments))
        return Sealing(tuple(found), tuple(path for path in others if path not in kept))


def remove_superseded(sealing: Sealing) -> None:
    """Remove segments of unfinished months whose events are all in other segments by now."""
    for path in sealing.superseded:
        path.unlink(missing_ok=True)
        path.with_name(path.name + HASH_SUFFIX).unlink(missing_ok=True)


def _require_same_log(reader: LogReader, chain: Chain) -> None:
    """Compare the last sealed event. All before it are compared by every checkpoint that follows, by their root."""
    if not chain.segments:
        return
    newest = chain.segments[-1]
    if newest.header.source != reader.source:
        raise LogError(
            f"{newest.path.parent} holds segments of source {newest.header.source!r}, not of {reader.source!r}; "
            "seal every log into a directory of its own"
        )
    seq = chain.last_seq
    own = reader.read_after(seq - 1, limit=1)
    sealed = newest.block(len(newest.header.blocks) - 1)[-1]
    if not own or own[0].raw != sealed.raw:
        raise LogDamagedError(
            f"event {seq} is sealed in {newest.path} and is {'another' if own else 'missing'} in the log: one of "
            "both is from another history; nothing was written. `messwerk log verify` tells whether each is sound",
            seq=seq,
        )


def _wanted(reader: LogReader, chain: Chain, this_month: str, through: str | None, *, force: bool) -> list[Span]:
    newest: dict[str, int] = {}
    first_month = chain.segments[-1].header.month if chain.segments else None
    for stored in _events(reader, chain.last_seq, reader.last_seq()):
        month = month_of(stored.envelope.wall_ns)
        first_month = first_month or month
        newest[month] = stored.envelope.seq
    return spans(
        newest,
        sealed_seq=chain.last_seq,
        from_month=first_month or this_month,
        this_month=this_month,
        through=through,
        force=force,
    )


def _events(reader: LogReader, after: int, last: int) -> Iterator[StoredEvent]:
    while after < last:
        batch = reader.read_after(after, limit=min(_BATCH, last - after))
        if not batch:
            raise LogDamagedError(f"the log ends at {after} and not at {last}", seq=after + 1)
        yield from batch
        after = batch[-1].envelope.seq


def _write(
    reader: LogReader,
    directory: Path,
    span: Span,
    before: Frontier,
    present: dict[str, SegmentFile],
    progress: Progress | None,
) -> Sealed:
    name = segment_name(span.month, span.first_seq, span.last_seq, finished=span.finished)
    there = present.get(name)
    if there is not None:
        there.check_hash()
        return Sealed(there.path, there.header, fresh=False)
    path = directory / name
    body, whole = directory / f"{_SCRAP}body-{name}", directory / f"{_SCRAP}{name}"
    try:
        with body.open("w+b") as frames:
            header = _write_frames(frames, reader, span, before, progress)
            frames.seek(0)
            with whole.open("wb") as file:
                file.write(encode_header(header))
                shutil.copyfileobj(frames, file, 1024 * 1024)
                file.flush()
                os.fsync(file.fileno())
        written = SegmentFile(whole)
        written.check(progress)
        _write_durably(path.with_name(name + HASH_SUFFIX), f"{written.sha256()}  {name}\n".encode())
        whole.chmod(_READ_ONLY)
        whole.replace(path)
        sync_directory(directory)
    except OSError as problem:
        raise LogError(f"cannot seal into {directory}: {problem}; free space or check the disk") from problem
    finally:
        for scrap in (body, whole):
            with suppress(OSError):  # the first problem is the one to tell; scraps are overwritten next time
                scrap.unlink(missing_ok=True)
    return Sealed(path, header, fresh=True)


def _write_frames(
    file: IO[bytes], reader: LogReader, span: Span, before: Frontier, progress: Progress | None
) -> SegmentHeader:
    """Write the frames and return what the header says of them. Checks each event and checkpoint on the way."""
    check = Check(reader.source, before)
    types: dict[str, int] = {}
    blocks: list[Block] = []
    gathered: list[bytes] = []
    gathered_bytes = offset = plain_bytes = 0
    first_wall_ns = last_wall_ns = 0

    def close_block() -> None:
        nonlocal gathered, gathered_bytes, offset, plain_bytes
        plain = pack(gathered)
        stored = compress(plain)
        first_seq = check.size - len(gathered) + 1
        blocks.append(Block(first_seq, len(gathered), offset, len(stored), len(plain)))
        file.write(stored)
        offset += len(stored)
        plain_bytes += len(plain)
        if progress is not None:
            progress(len(gathered))
        gathered, gathered_bytes = [], 0

    for stored in _events(reader, span.first_seq - 1, span.last_seq):
        check.take(stored)
        envelope = stored.envelope
        types[envelope.type] = types.get(envelope.type, 0) + 1
        first_wall_ns = first_wall_ns if envelope.seq > span.first_seq else envelope.wall_ns
        last_wall_ns = envelope.wall_ns
        gathered.append(stored.raw)
        gathered_bytes += len(stored.raw)
        if gathered_bytes >= BLOCK_BYTES:
            close_block()
    if gathered:
        close_block()
    file.flush()
    return SegmentHeader(
        source=reader.source,
        month=span.month,
        finished=span.finished,
        first_seq=span.first_seq,
        last_seq=span.last_seq,
        first_wall_ns=first_wall_ns,
        last_wall_ns=last_wall_ns,
        types=dict(sorted(types.items())),
        checkpoint=check.checkpointed or None,
        before=tree_state(before),
        after=tree_state(check.frontier),
        plain_bytes=plain_bytes,
        blocks=tuple(blocks),
    )


def _write_durably(path: Path, content: bytes) -> None:
    scrap = path.with_name(_SCRAP + path.name)
    with scrap.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    scrap.chmod(_READ_ONLY)
    scrap.replace(path)


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise LogError(f"cannot seal into {directory}: {problem.strerror}; name a directory to write to") from problem
