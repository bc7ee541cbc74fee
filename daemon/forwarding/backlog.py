"""What waits in the log to be forwarded, and whether that is worth a warning."""

from __future__ import annotations

import shutil
from typing import Final

import msgspec

from daemon.forwarding.marks import MarkFile, Standing, StandingFile
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from schemas.configuration import KafkaTable

DISK_RESERVE_BYTES: Final = 1024 * 1024 * 1024
"""Less free space than this under the log is told. Forwarding frees none: the log keeps its events for ever."""


class Backlog(msgspec.Struct, frozen=True, kw_only=True):
    """The log lies on the disk either way, so a backlog costs no space of its own and is bounded by the disk alone.

    oldest_wall_ns: when the oldest event that waits was written; None when nothing waits.
    standing: None when no forwarder has ever said anything.
    """

    forwarded_seq: int
    events: int
    bytes: int
    oldest_wall_ns: int | None
    free_bytes: int
    standing: Standing | None

    def age_s(self, now_ns: int) -> float | None:
        """Seconds for which the oldest event has waited; None when nothing waits."""
        return None if self.oldest_wall_ns is None else max(0.0, (now_ns - self.oldest_wall_ns) / 1e9)

    def warnings(self, table: KafkaTable) -> tuple[str, ...]:
        """Say what somebody should look at, if anything."""
        found = []
        if self.bytes > table.backlog_warn_bytes:
            found.append(
                f"{self.bytes} bytes wait to be forwarded, more than backlog_warn_bytes "
                f"({table.backlog_warn_bytes}): look whether the brokers take events (`messwerk kafka check`)"
            )
        if self.free_bytes < DISK_RESERVE_BYTES:
            found.append(
                f"{self.free_bytes} bytes are free under the log: make room, or measuring stops when the disk "
                "is full; what waits to be forwarded is safe and is forwarded all the same"
            )
        return tuple(found)


def backlog(paths: DataPaths, reader: SqliteReader) -> Backlog:
    """Look at mark, log and disk. Reads; takes a moment when millions of events wait."""
    seq = MarkFile(paths.forwarded).read().seq
    oldest = reader.read_after(seq, limit=1)
    return Backlog(
        forwarded_seq=seq,
        events=max(0, reader.last_seq() - seq),
        bytes=reader.bytes_after(seq),
        oldest_wall_ns=oldest[0].envelope.wall_ns if oldest else None,
        free_bytes=shutil.disk_usage(paths.log.parent).free,
        standing=StandingFile(paths.forwarding).read(),
    )
