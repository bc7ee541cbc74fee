"""Checkpoints of logs, apart from the many events between them: size and Merkle root, for whoever asks how far."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Annotated, ClassVar

from projections.contract import EachByItself, Entry, Insertion
from projections.tables import Column, Table, TimedRow
from projections.times import utc
from schemas.events import Event, LogCheckpointed


class LogCheckpointRow(TimedRow, frozen=True, kw_only=True):
    """``seq`` is the position of the checkpoint itself, ``size`` the count of events under its root."""

    size: Annotated[int, Column("UInt64", "events under the root")]
    root: Annotated[str, Column("String", "Merkle root (RFC 6962), base64")]


LOG_CHECKPOINTS = Table(
    name="log_checkpoints",
    row=LogCheckpointRow,
    order_by=("source", "seq"),
    comment="size and Merkle root of each log, as its daemon recorded them",
)


class LogCheckpoints(EachByItself):
    """See the module."""

    name: ClassVar[str] = "log-checkpoints"
    tables: ClassVar[tuple[Table, ...]] = (LOG_CHECKPOINTS,)
    reads: ClassVar[tuple[type[Event], ...]] = (LogCheckpointed,)

    def rows(self, entry: Entry) -> Iterator[Insertion]:
        """See :class:`EachByItself`."""
        if isinstance(entry.event, LogCheckpointed):
            yield Insertion(LOG_CHECKPOINTS, _row(entry, entry.event))


def _row(entry: Entry, event: LogCheckpointed) -> LogCheckpointRow:
    return LogCheckpointRow(
        source=entry.envelope.source,
        seq=entry.envelope.seq,
        time=utc(entry.envelope.wall_ns),
        size=event.size,
        root=b64encode(event.root).decode("ascii"),
    )
