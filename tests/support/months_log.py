"""A log over several months, with checkpoints on the way, for sealing and backup."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from daemon.log import LogFile
from schemas.clocks import ManualClock
from schemas.events import CalibrationCompleted, FirstToken, decode_event
from schemas.jsonview import envelope_from_json

DECEMBER_NS = int(datetime(2026, 12, 3, tzinfo=UTC).timestamp()) * 10**9
CALIBRATION = Path(__file__).resolve().parents[2] / "schemas" / "examples" / "calibration-completed.v1.json"


def wall_ns(text: str) -> int:
    """Nanoseconds of a moment such as 2026-10-05T12:00."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 10**9


def token(number: int = 1) -> FirstToken:
    """Make a small event."""
    return FirstToken(attempt=UUID(int=7), channel="answer", elapsed_us=number)


def calibration() -> CalibrationCompleted:
    """Make an event of a rare type."""
    event = decode_event(envelope_from_json(CALIBRATION.read_bytes()))
    assert isinstance(event, CalibrationCompleted)
    return event


def append_at(path: Path, *moments: str, checkpoint_every: int = 4, source: str = "here") -> None:
    """Append a small event at each moment."""
    clock = ManualClock(0)
    log = LogFile(path, source=source, clock=clock, checkpoint_every=checkpoint_every)
    for number, moment in enumerate(moments):
        clock.step_wall(wall_ns(moment) - clock.wall_ns())
        log.append(token(number))
    log.close()


def write_months(path: Path, source: str = "here") -> int:
    """Write September to November, with a calibration in October; return the last position."""
    clock = ManualClock(wall_ns("2026-09-20T00:00"))
    log = LogFile(path, source=source, clock=clock, checkpoint_every=4)
    for number in range(20):
        log.append(calibration() if number == 9 else token(number))
        clock.step_wall(84 * 3_600 * 10**9)
    log.checkpoint()
    last = log.last_seq
    log.close()
    return last
