"""Made events in a log of the ordinary kind, a short history of them too, for commands that want one on a disk."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from made_events import MadeLog, endpoint

from daemon.log import InlineLog
from daemon.paths import DataPaths
from schemas.clocks import ManualClock
from schemas.events import decode_event

NOW = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)


async def write_made(made: MadeLog, data: Path) -> None:
    """Write made events into a log of the ordinary kind, each at its own time."""
    clock = ManualClock(made.events[0].envelope.wall_ns)
    log = InlineLog(DataPaths(data).log, source="lab", clock=clock, commit_every=1000)
    for stored in made.events:
        clock.step_wall(stored.envelope.wall_ns - clock.wall_ns())
        event = decode_event(stored.envelope)
        assert event is not None
        await log.append(event)
    await log.close()


async def write_log(data: Path) -> int:
    """Write a short history into a log of the ordinary kind; return how many events it has."""
    made = MadeLog()
    made.open(endpoint(), endpoint("deep", reasoning="hidden"), at=NOW - timedelta(days=3))
    for hours in (9, 6, 3):
        made.run(NOW - timedelta(hours=hours), {}, {"endpoint": "deep", "failure_kind": "overloaded"})
    await write_made(made, data)
    return len(made.events)
