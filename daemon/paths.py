"""Where things lie below the data directory; the one place that knows the names."""

from __future__ import annotations

from pathlib import Path

import msgspec


class DataPaths(msgspec.Struct, frozen=True):
    """Files and folders of one installation. ``root`` belongs to one source."""

    root: Path

    @property
    def log(self) -> Path:
        """The event log's SQLite file."""
        return self.root / "log" / "events.sqlite3"

    @property
    def blobs(self) -> Path:
        """Content-addressed bodies."""
        return self.root / "log" / "blobs"

    @property
    def private(self) -> Path:
        """Replies to private documents: readable by the daemon's user alone, and never shipped anywhere."""
        return self.root / "private"

    @property
    def forwarded(self) -> Path:
        """How far the log is forwarded to Kafka."""
        return self.root / "log" / "forwarded.json"

    @property
    def forwarding(self) -> Path:
        """How forwarding fares, for people."""
        return self.root / "log" / "forwarding.json"

    @property
    def alive(self) -> Path:
        """The daemon's last sign of life."""
        return self.root / "log" / "alive.json"

    @property
    def inbox(self) -> Path:
        """What persons recorded and the log does not have yet."""
        return self.root / "inbox"

    @property
    def sealed(self) -> Path:
        """Sealed months of the log."""
        return self.root / "log" / "segments"

    @property
    def tables(self) -> Path:
        """The ClickHouse child's directory: disposable, rebuilt from the log."""
        return self.root / "tables"
