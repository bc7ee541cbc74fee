"""Replies to private documents: on this machine alone, readable by nobody but the daemon's user, never in the log.

A reply lies under the keyed hash by which the log names it. Folder 0700, files 0600, written beside and renamed, so
that a reply is there whole or not at all. No retention of its own: totals are scored again from here.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from daemon.log.layout import sync_directory
from schemas.errors import LogError

_NAME = re.compile(r"[0-9a-f]{64}")


class PrivateStore:
    """Replies below one directory, which is made on first use."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, name: str, text: str) -> None:
        """Keep a reply; durable on return. Raises :class:`LogError`."""
        path = self._path(name)
        try:
            self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._root.chmod(0o700)
            handle, temporary = tempfile.mkstemp(dir=self._root, prefix=".new-")  # made 0600
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(text.encode("utf-8", "surrogatepass"))
                    file.flush()
                    os.fsync(file.fileno())
                Path(temporary).replace(path)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
            sync_directory(self._root)
        except OSError as problem:
            raise LogError(
                f"cannot keep a reply to a private document below {self._root}: {problem.strerror}; "
                "free space or check the disk"
            ) from problem

    def get(self, name: str) -> str | None:
        """Return a reply; None where it is not kept here."""
        try:
            return self._path(name).read_bytes().decode("utf-8", "surrogatepass")
        except FileNotFoundError:
            return None

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise LogError(f"{name!r} is no keyed hash: expected 64 hex digits")
        return self._root / name
