"""Recording an event from a command: through the inbox, whoever writes the log, and not done before it is there."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import Final

import msgspec

from daemon.desk.inbox import DeskError, Inbox, Slip, require_fit
from daemon.desk.taking import recorded, take_in
from daemon.log.inline import InlineLog
from daemon.log.reader import SqliteReader
from daemon.paths import DataPaths
from schemas.clocks import Clock
from schemas.errors import LogLockedError
from schemas.events import Event
from schemas.ids import UuidFactory
from schemas.log import StoredEvent

PATIENCE_S: Final = 30.0
_LOOK_S: Final = 0.1
_LOOKS_A_TRY: Final = 10
"""Looks between two tries to get the lock: a daemon that starts meanwhile should not find it taken."""


async def record(paths: DataPaths, event: Event, clock: Clock, *, patience_s: float = PATIENCE_S) -> StoredEvent:
    """Record an event and return it as it is in the log.

    With nobody writing the log, this process takes in what waits, this event last. Raises :class:`DeskError` when
    it cannot be written, is refused, or has not been taken in after ``patience_s``: then it still waits.
    """
    require_fit(event)
    inbox = Inbox(paths.inbox)
    with closing(SqliteReader(paths.log)) as reader:
        slip = Slip(
            source=reader.source,
            after=reader.last_seq(),
            type=event.TYPE,
            version=event.VERSION,
            data=msgspec.Raw(msgspec.json.encode(event)),
        )
        path = inbox.put(UuidFactory(clock)(), slip)
        holder = ""
        for look in range(max(1, round(patience_s / _LOOK_S))):
            if look % _LOOKS_A_TRY == 0:
                holder = await _take_in_oneself(paths, inbox, reader, clock)
            stored = recorded(reader, slip, event)
            if stored is not None:
                return stored
            refusal = inbox.refusal(path)
            if refusal is not None:
                raise DeskError(f"not recorded: {refusal}; the file lies at {inbox.refused / path.name}")
            await asyncio.sleep(_LOOK_S)
    raise DeskError(
        f"not in the log after {patience_s:.0f} s, and not lost: it waits at {path} and is taken in as soon as a "
        f"daemon looks there ({holder}); see what that process does, or delete the file to take it back"
    )


async def _take_in_oneself(paths: DataPaths, inbox: Inbox, reader: SqliteReader, clock: Clock) -> str:
    """Take in what waits if nobody holds the log; else say who does."""
    try:
        log = InlineLog(paths.log, source=reader.source, clock=clock)
    except LogLockedError as problem:
        return str(problem)
    try:
        await take_in(inbox, log, reader)
    finally:
        await log.close()
    return "nobody writes this log"
