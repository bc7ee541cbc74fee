"""One attempt's events, read back from the JSON lines that the tables keep of them. Pure.

The lines lack timeline and texts, which lie in a table of their own. An event of a type or version that this
build does not know is still shown, as text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

import msgspec

from schemas.errors import DecodeError
from schemas.events import EVENT_TYPES, AttemptCompleted, Event, JudgmentRecorded, RequestSent, RunPlanned

E = TypeVar("E", bound=Event)


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    type: str
    v: int
    source: str
    seq: int
    wall_ns: int
    data: msgspec.Raw


class LoggedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A line as it is shown, and the event where this build can read it."""

    type: str
    source: str
    seq: int
    wall_ns: int
    json: str
    event: Event | None


class AttemptEvents(msgspec.Struct, frozen=True, kw_only=True):
    """What was recorded of one attempt, oldest first; ``planned`` is its run's plan."""

    completed: AttemptCompleted
    sent: RequestSent | None
    planned: RunPlanned | None
    judgments: tuple[JudgmentRecorded, ...]
    events: tuple[LoggedEvent, ...]


_line: Final = msgspec.json.Decoder(_Line)


def read_event(text: str) -> LoggedEvent:
    """Read one line. Raises :class:`DecodeError`."""
    try:
        line = _line.decode(text)
        kind = EVENT_TYPES.get(line.type)
        known = kind is not None and line.v == kind.VERSION
        event = msgspec.json.decode(line.data, type=kind) if kind is not None and known else None
    except msgspec.MsgspecError as problem:
        raise DecodeError(
            f"a row of the events table is no event: {problem}; `messwerk rebuild` makes it anew"
        ) from problem
    return LoggedEvent(type=line.type, source=line.source, seq=line.seq, wall_ns=line.wall_ns, json=text, event=event)


def gather(lines: Iterable[str]) -> AttemptEvents | None:
    """Events of one attempt from their lines; None without an ``attempt-completed``. Raises :class:`DecodeError`."""
    events = sorted((read_event(line) for line in lines), key=lambda logged: (logged.source, logged.seq))
    completed = _first(events, AttemptCompleted)
    if completed is None:
        return None
    return AttemptEvents(
        completed=completed,
        sent=_first(events, RequestSent),
        planned=_first(events, RunPlanned),
        judgments=tuple(logged.event for logged in events if isinstance(logged.event, JudgmentRecorded)),
        events=tuple(events),
    )


def _first(events: Iterable[LoggedEvent], kind: type[E]) -> E | None:
    return next((logged.event for logged in events if isinstance(logged.event, kind)), None)
