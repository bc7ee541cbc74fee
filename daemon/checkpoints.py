"""When a log is due for a checkpoint by age: a small installation would otherwise wait days for its 1,000th event.

What is published follows the newest checkpoint, and only what a checkpoint covers can be proved to others.
"""

from __future__ import annotations

from typing import Final

from daemon.history import LogHistory
from schemas.events import LogCheckpointed

DAY_NS: Final = 86_400 * 1_000_000_000


def checkpoint_due_ns(log: LogHistory) -> int | None:
    """Wall time at which the log is due: a day after its newest checkpoint, or its first event; None when empty."""
    newest = log.tail(1, kind=LogCheckpointed.TYPE) or log.read_after(0, limit=1)
    return newest[0].envelope.wall_ns + DAY_NS if newest else None
