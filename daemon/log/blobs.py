"""Bodies too large or too private for an event: content-addressed, compressed, with a retention of their own.

A blob's name is the SHA-256 of its plain content, as 64 hex digits. Events point at blobs; blobs know of no
events. Which bodies are stored, and for how long, is the caller's decision.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import zstandard

from daemon.log.layout import sync_directory
from schemas.clocks import Clock
from schemas.errors import LogError

_NAME = re.compile(r"[0-9a-f]{64}")
_SUFFIX = ".zst"
_SCRAP = ".new-"
_LEVEL = 9
_DAY_NS = 86_400 * 1_000_000_000


class BlobMissingError(LogError):
    """No blob of this name: never stored, or removed by retention."""


class BlobDamagedError(LogError):
    """A stored blob is not what its name says."""


class BlobSizes(msgspec.Struct, frozen=True):
    """Count of blobs and the bytes they take on disk."""

    count: int
    stored_bytes: int


class Removal(msgspec.Struct, frozen=True):
    """What a retention run removed, or would remove."""

    names: tuple[str, ...]
    stored_bytes: int


class BlobStore:
    """Blobs below one directory. Any number of processes may use it at once."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self._root = root
        self._clock = clock

    def put(self, data: bytes) -> str:
        """Store and return the blob's name; durable on return. Storing it again makes it young again."""
        name = hashlib.sha256(data).hexdigest()
        path = self._path(name)
        now_ns = self._clock.wall_ns()
        try:
            if not self._intact(name):
                self._write(path, zstandard.ZstdCompressor(level=_LEVEL).compress(data))
            os.utime(path, ns=(now_ns, now_ns))
        except OSError as problem:
            raise LogError(f"cannot store blob {path}: {problem}; free space or check the disk") from problem
        return name

    def get(self, name: str) -> bytes:
        """Return the plain content, verified against its name.

        Raises :class:`BlobMissingError` and :class:`BlobDamagedError`.
        """
        path = self._path(name)
        try:
            data = zstandard.ZstdDecompressor().decompress(path.read_bytes())
        except FileNotFoundError as problem:
            raise BlobMissingError(
                f"no blob {name} below {self._root}: not stored here, or past retention"
            ) from problem
        except zstandard.ZstdError as problem:
            raise BlobDamagedError(f"blob {path} does not decompress: {problem}") from problem
        if hashlib.sha256(data).hexdigest() != name:
            raise BlobDamagedError(f"blob {path} holds other content than its name says")
        return data

    def __contains__(self, name: str) -> bool:
        return self._path(name).is_file()

    def remove_older_than(self, days: int, now_ns: int, *, dry_run: bool = False) -> Removal:
        """Remove blobs last stored more than ``days`` days before ``now_ns`` (wall clock), or only name them.

        Half-written files that a crash left behind go too, once they are a day old.
        """
        if days < 0:
            raise ValueError(f"retention is a count of days, got {days}")
        oldest_ns = now_ns - days * _DAY_NS
        names, stored_bytes = [], 0
        for path, state in self._files():
            if state.st_mtime_ns >= oldest_ns:
                continue
            names.append(path.name.removesuffix(_SUFFIX))
            stored_bytes += state.st_size
            if not dry_run:
                path.unlink(missing_ok=True)
        if not dry_run:
            self._remove_scraps(now_ns - max(days, 1) * _DAY_NS)
        return Removal(tuple(names), stored_bytes)

    def sizes(self) -> BlobSizes:
        """Count what is there."""
        sizes = [state.st_size for _, state in self._files()]
        return BlobSizes(len(sizes), sum(sizes))

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise BlobMissingError(f"{name!r} is no blob's name: expected 64 hex digits")
        return self._root / name[:2] / f"{name}{_SUFFIX}"

    def _intact(self, name: str) -> bool:
        try:
            self.get(name)
        except (BlobMissingError, BlobDamagedError):
            return False
        return True

    def _write(self, path: Path, stored: bytes) -> None:
        """Write beside the target and rename, so that a blob is there whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=_SCRAP)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(stored)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        sync_directory(path.parent)
        sync_directory(self._root)

    def _remove_scraps(self, oldest_ns: int) -> None:
        for path in self._root.glob(f"*/{_SCRAP}*"):
            if path.stat().st_mtime_ns < oldest_ns:
                path.unlink(missing_ok=True)

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        for path in sorted(self._root.glob(f"*/*{_SUFFIX}")):
            if _NAME.fullmatch(path.name.removesuffix(_SUFFIX)):
                yield path, path.stat()
