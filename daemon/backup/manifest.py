"""What a backup says of itself: ``manifest.json``, the last thing that is written and the first that is read."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from daemon.log.layout import sync_directory
from schemas.errors import MesswerkError

FORMAT: Final = 1
NAME: Final = "manifest.json"
SEGMENTS: Final = "log/segments"
BLOBS: Final = "log/blobs"
CONFIGURATION: Final = "configuration"
INBOX: Final = "inbox"
SCRAP: Final = ".new-"
"""Begins the name of a file that is being written."""

_PLACES: Final = (SEGMENTS, BLOBS, CONFIGURATION, INBOX)
_CHUNK_BYTES: Final = 1024 * 1024


class BackupError(MesswerkError):
    """A backup could not be made or put back."""


class BackupDamagedError(BackupError):
    """A backup is not what it was when it was made. The message names every file that is wrong."""


class KeptFile(msgspec.Struct, frozen=True):
    """A file of the backup, by its path in it."""

    path: str
    bytes: int
    sha256: str


class Skipped(msgspec.Struct, frozen=True):
    """Something in the configuration's directory that was left out, and why."""

    path: str
    reason: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that belongs to a backup.

    made_ns: wall clock. events, root: of the log (RFC 6962, hexadecimal). build: which Messwerk made it.
    """

    format: int
    build: str
    made_ns: int
    source: str
    events: int
    root: str
    files: tuple[KeptFile, ...]
    skipped: tuple[Skipped, ...] = ()

    def below(self, place: str) -> tuple[KeptFile, ...]:
        """Files in one of the backup's parts."""
        return tuple(file for file in self.files if file.path.startswith(place + "/"))


def write_manifest(backup: Path, manifest: Manifest) -> None:
    """Put the manifest in place of the one before it, durably."""
    write_durably(backup / NAME, msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")


def read_manifest(backup: Path) -> Manifest:
    """Read it. Raises :class:`BackupError` where no backup is, :class:`BackupDamagedError` for a damaged manifest."""
    path = backup / NAME
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError as problem:
        raise BackupError(
            f"no backup at {backup}: there is no {NAME}; `messwerk backup DIR` writes it last of all"
        ) from problem
    except OSError as problem:
        raise BackupError(f"cannot read {path}: {problem.strerror}") from problem
    except msgspec.MsgspecError as problem:
        raise BackupDamagedError(f"{path} cannot be read: {problem}; use another copy of the backup") from problem
    if manifest.format != FORMAT:
        raise BackupError(
            f"{path} is of format {manifest.format}, this build reads format {FORMAT}: use the Messwerk that made "
            "it, or a newer one"
        )
    for file in manifest.files:
        parts = PurePosixPath(file.path).parts
        if ".." in parts or not any(file.path.startswith(f"{place}/") for place in _PLACES):
            raise BackupDamagedError(f"{path} names {file.path!r}, which no backup holds; use another copy")
    return manifest


def hashed(path: Path) -> tuple[int, str]:
    """Size in bytes and SHA-256 of a file."""
    found, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            found.update(chunk)
            size += len(chunk)
    return size, found.hexdigest()


def write_durably(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, and have it survive a power cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scrap = path.with_name(SCRAP + path.name)
    try:
        with scrap.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        scrap.replace(path)
    except BaseException:
        scrap.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)
