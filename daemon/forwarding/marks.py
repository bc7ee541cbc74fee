"""Two small files beside the log: how far it is forwarded, durable; and how forwarding fares, for people.

Losing either loses no event: the topic says what it holds (see ``resuming``).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
import structlog

from daemon.forwarding.resuming import Mark
from daemon.log.layout import sync_directory

ForwardingState = Literal["forwarding", "waiting", "stopped"]

_log = structlog.get_logger(__name__)
_T = TypeVar("_T", bound=msgspec.Struct)


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How forwarding fares. ``reason``: why it waits or stopped; ``since_ns``: wall time of that."""

    state: ForwardingState
    since_ns: int
    reason: str | None = None


class MarkFile:
    """The mark on disk. Written beside, synced and renamed, so it is always one or the other."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> Mark:
        """Return the mark; an empty one when there is none, or none that can be read."""
        return _read(self._path, Mark) or Mark()

    def write(self, mark: Mark) -> None:
        """Make a mark durable. Raises :class:`OSError`."""
        _write(self._path, mark, durable=True)


class StandingFile:
    """The standing on disk, for whoever asks from another process."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> Standing | None:
        """Return what was last told; None before anything was."""
        return _read(self._path, Standing)

    def write(self, standing: Standing) -> None:
        """Replace it. Raises :class:`OSError`."""
        _write(self._path, standing, durable=False)


def _read(path: Path, kind: type[_T]) -> _T | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as problem:
        _log.warning("cannot be read, and is done without: the topic knows, too", path=str(path), reason=str(problem))
        return None


def _write(path: Path, value: msgspec.Struct, *, durable: bool) -> None:
    beside = path.with_name(path.name + ".new")
    with beside.open("wb") as file:
        file.write(msgspec.json.encode(value))
        if durable:
            file.flush()
            os.fsync(file.fileno())
    beside.replace(path)
    if durable:
        sync_directory(path.parent)
