"""The shapes of which the page of one attempt is made, as they are sent to the browser. No logic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from schemas.timeline import TimelineRow


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a table of facts; ``value`` is in ``unit``, times in milliseconds since 1970."""

    title: str
    value: str | float | int | bool | None
    unit: str = "text"
    note: str | None = None


class Phase(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the attempt's time, in microseconds."""

    id: str
    title: str
    us: int


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A moment of the attempt, in microseconds since the request was sent."""

    title: str
    us: int


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """A token count by both ways of counting."""

    title: str
    counted: int | None
    reported: int | None


class Reads(msgspec.Struct, frozen=True, kw_only=True):
    """The timeline as columns; ``channel`` by :class:`schemas.timeline.Channel`."""

    elapsed_us: list[int]
    read_bytes: list[int]
    channel: list[int]
    tokens: list[int]


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """Received text of one channel; ``where`` says why ``text`` is None."""

    channel: str
    text: str | None
    where: str
    sha256: str
    characters: int
    tokens: int
    chunks: int


class EventShown(msgspec.Struct, frozen=True, kw_only=True):
    """One event of the log; ``json`` is text, because JavaScript would round its nanoseconds."""

    type: str
    source: str
    seq: int
    wall_ms: float
    json: str


class FailureShown(msgspec.Struct, frozen=True, kw_only=True):
    """Why there is no complete answer."""

    kind: str
    message: str
    body: str | None


class Received(msgspec.Struct, frozen=True, kw_only=True):
    """What the tables keep of an answer: the rows of its timeline, and its texts where they may be shown."""

    timeline: Sequence[TimelineRow] = ()
    answer: str | None = None
    reasoning: str | None = None


class AttemptView(msgspec.Struct, frozen=True, kw_only=True):
    """Everything on the page of one attempt."""

    id: str
    title: str
    endpoint: str
    simulated: bool
    outcome: str
    outcome_state: str
    failure: FailureShown | None
    figures: list[Fact]
    facts: list[Fact]
    phases: list[Phase]
    marks: list[Mark]
    end_us: int | None
    timeline: Reads
    usage: list[Counted]
    parameters: dict[str, Any]
    texts: list[Text]
    judgments: list[Any]
    events: list[EventShown]
