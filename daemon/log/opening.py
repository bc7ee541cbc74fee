"""Opening and verifying a log wherever it lies: a SQLite file, sealed segments, a data directory, a backup."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from daemon.log.browsable import BrowsableLog
from daemon.log.published import Published
from daemon.log.reader import SqliteReader
from daemon.log.segments.file import segment_files
from daemon.log.segments.reader import SegmentsReader
from daemon.log.verify import Verified, verify
from daemon.paths import DataPaths
from schemas.errors import LogError


def open_log_at(given: Path) -> BrowsableLog:
    """Open what ``given`` names: a log's file or its directory, a data directory, a directory of segments, a backup.

    A data directory's log is its SQLite file, which has every event, sealed or not. Raises :class:`LogError`.
    """
    paths = DataPaths(given)
    for file in (given, paths.log, given / paths.log.name):
        if file.is_file():
            return SqliteReader(file)
    for directory in (given, paths.sealed):
        if segment_files(directory):
            return SegmentsReader(directory)
    raise LogError(
        f"no log at {given}: name a log's file, a data directory that holds log/events.sqlite3, a directory of "
        "sealed segments, or a backup"
    )


def verify_log(
    reader: BrowsableLog, progress: Callable[[int], None] | None = None, published: Sequence[Published] = ()
) -> Verified:
    """Verify all that this kind of log has to be verified by. Raises :class:`schemas.errors.LogDamagedError`."""
    if isinstance(reader, SegmentsReader):
        return reader.verify(progress, published)
    return verify(reader, progress, published)
