"""Putting a snapshot in its place: written beside it, then exchanged, so that a reader sees the one or the other."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from dashboards.publication.contract import PublicationError
from dashboards.publication.data_files import FORMAT

_MARK: Final = "figures.json"
_SCRAP: Final = ".messwerk-publish-"
_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2
_CANNOT: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})


def place(files: Mapping[str, bytes], target: Path) -> None:
    """Make ``target`` a directory of exactly these files, or leave it as it was.

    Where the system can exchange two directories in one step (Linux), a reader finds one of them at any moment;
    elsewhere there is none for the moment between two renames. Raises :class:`PublicationError` for a target
    that is something else than an earlier snapshot, and for what the file system refuses.
    """
    target = target.absolute()
    scrap = target.with_name(f"{_SCRAP}{target.name}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone_in(target.parent):
            _fit(target)
            try:
                shutil.rmtree(scrap, ignore_errors=True)  # what a killed call left
                scrap.mkdir()
                for name, content in files.items():
                    _write(scrap / name, content)
                _sync(scrap)
                if target.exists():
                    _exchange(scrap, target)
                else:
                    scrap.rename(target)
            finally:
                shutil.rmtree(scrap, ignore_errors=True)  # the old snapshot, or what could not be placed
            _sync(target.parent)
    except OSError as problem:
        raise PublicationError(
            f"{target} could not be published: {problem}; what was there before still stands. Mend that, and publish "
            "again"
        ) from problem


@contextmanager
def _alone_in(directory: Path) -> Iterator[None]:
    """Wait until no other call puts a snapshot into this directory, and keep others waiting."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _fit(target: Path) -> None:
    if not target.exists():
        return
    if not target.is_dir() or target.is_symlink():
        raise PublicationError(f"{target} is no directory: name a new one, or one of an earlier snapshot")
    if any(target.iterdir()):
        mark = target / _MARK
        head = mark.read_bytes()[:200] if mark.is_file() else b""
        if FORMAT.partition("/")[0].encode() not in head:
            raise PublicationError(
                f"{target} holds something else than a snapshot, which publishing would replace: name an empty "
                "directory or a new one"
            )


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _exchange(fresh: Path, target: Path) -> None:
    """Let both directories change places."""
    exchange = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if exchange is not None:
        if exchange(_AT_FDCWD, os.fsencode(fresh), _AT_FDCWD, os.fsencode(target), _RENAME_EXCHANGE) == 0:
            return
        code = ctypes.get_errno()
        if code not in _CANNOT:
            raise OSError(code, os.strerror(code), str(target))
    between = fresh.with_name(f"{fresh.name}.before")
    shutil.rmtree(between, ignore_errors=True)
    target.rename(between)
    try:
        fresh.rename(target)
    except OSError:
        between.rename(target)
        raise
    between.rename(fresh)
