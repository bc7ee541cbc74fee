"""The right to write a log: one holder on this machine, across processes and within one.

A lock file beside the log is held with ``flock``, which the kernel releases when the holder dies, however it
dies. The file itself stays; removing it would let two processes lock two different files of one name.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from schemas.errors import LogLockedError


class WriterLock:
    """Held from construction until :meth:`release`. Raises :class:`LogLockedError` when somebody else holds it."""

    def __init__(self, log: Path) -> None:
        self._path = log.with_name(log.name + ".lock")
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            # Two opens in one process lock against each other too: flock belongs to the open file.
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            holder = self._holder()
            os.close(self._handle)
            raise LogLockedError(
                f"{log} is already being written by {holder}; a log has one writer: stop that one first, "
                "or give this daemon a data directory of its own"
            ) from problem
        try:
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, f"{os.getpid()}\n".encode(), 0)
            os.utime(self._handle)
        except OSError:
            os.close(self._handle)
            raise

    def release(self) -> None:
        """Let another writer in; calling it again does nothing."""
        if self._handle >= 0:
            os.ftruncate(self._handle, 0)
            os.close(self._handle)
            self._handle = -1

    def _holder(self) -> str:
        text = os.pread(self._handle, 32, 0).decode("ascii", errors="replace").strip()
        since = datetime.fromtimestamp(os.fstat(self._handle).st_mtime, UTC)
        return f"process {text or '(just starting)'}, since {since:%Y-%m-%dT%H:%M:%SZ}"


@contextmanager
def alone_in(directory: Path) -> Iterator[None]:
    """Keep others who ask for the same out of a directory. Raises :class:`LogLockedError` when one is in it."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            raise LogLockedError(f"another process writes into {directory}; wait until it has ended") from problem
        yield
    finally:
        os.close(handle)
