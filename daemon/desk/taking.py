"""Taking what waits in the inbox into the log, once each, whatever dies in between."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final, Protocol

import structlog

from daemon.desk.inbox import Inbox, Slip, UnfitSlipError
from daemon.history import LogHistory, stored_of_type
from schemas.events import Event, encode_event
from schemas.log import LogWriter, StoredEvent

PERIOD_S: Final = 0.5

_log = structlog.get_logger(__name__)


class RecordedEvents(LogHistory, Protocol):
    """The log that is written, for looking up what it has already."""

    def last_seq(self) -> int:
        """Return the newest position."""


def recorded(log: RecordedEvents, slip: Slip, event: Event) -> StoredEvent | None:
    """Return the event of a slip where the log has it, None before that."""
    wanted = bytes(encode_event(event))
    later = stored_of_type(log, slip.type, after=slip.after)
    return next((stored for stored in later if bytes(stored.envelope.data) == wanted), None)


async def take_in(inbox: Inbox, log: LogWriter, history: RecordedEvents, given_up: set[Path] | None = None) -> int:
    """Append everything that waits, oldest first, and return how many events that were.

    What is no event for this log is set aside, and told. given_up: files that can be neither taken nor set aside,
    so that each is told once. Raises :class:`schemas.errors.LogError` when the log refuses; the file stays then.
    """
    given_up = set() if given_up is None else given_up
    taken = 0
    for path in inbox.waiting():
        if path in given_up:
            continue
        try:
            slip = inbox.read(path)
            event = slip.event()
            _require_own(slip, log, history)
        except UnfitSlipError as problem:
            _set_aside(inbox, path, str(problem), given_up)
            continue
        if recorded(history, slip, event) is None:
            await log.append(event)
            taken += 1
            _log.info("taken in what a person recorded", type=slip.type, file=path.name)
        try:
            inbox.remove(path)
        except OSError as problem:
            given_up.add(path)
            _log.error("an event is in the log, and its file cannot be removed", path=str(path), reason=str(problem))
    return taken


async def keep_taking(inbox: Inbox, log: LogWriter, history: RecordedEvents, period_s: float = PERIOD_S) -> None:
    """Take in what comes, until cancelled or until the log has failed."""
    inbox.open()
    given_up: set[Path] = set()
    while log.failed is None:
        # Pauses first: a daemon's own start comes before what persons add to it.
        await asyncio.sleep(period_s)
        if await asyncio.to_thread(inbox.waiting):
            await take_in(inbox, log, history, given_up)


def _require_own(slip: Slip, log: LogWriter, history: RecordedEvents) -> None:
    if slip.source != log.source or slip.after > history.last_seq():
        raise UnfitSlipError(
            f"it was meant for what follows event {slip.after} of the log of {slip.source!r}; this is the log of "
            f"{log.source!r} with {history.last_seq()} events: record it at the right data directory"
        )


def _set_aside(inbox: Inbox, path: Path, reason: str, given_up: set[Path]) -> None:
    try:
        inbox.set_aside(path, reason)
    except OSError as problem:
        given_up.add(path)
        reason = f"{reason}; and it cannot be moved: {problem.strerror}"
    _log.error("a file of the inbox was not taken in", path=str(path), set_aside=str(inbox.refused), reason=reason)
