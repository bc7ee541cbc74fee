"""What a form of streaming must be able to say, and the pieces that several of them share. Pure."""

from __future__ import annotations

from typing import Any, Literal, Protocol

import msgspec

from daemon.reference.quirks.contract import Counts, Mark

MODEL = "m-1"
COMMENT = b": OPENROUTER PROCESSING\n\n"
PING = b": ping\n\n"
EVENT_STREAM = "text/event-stream"
PLAIN = Counts(7, 3)
"""Usage that every ordinary stream of the collection ends with."""

Refusal = Literal["overloaded", "rate limit", "stream_options"]
"""What an error body says in place of a stream."""


class Voice(Protocol):
    """Says one response; what has been said so far decides which frames a piece needs around it.

    ``opened`` is the usage that the opening tells; ``reason`` and ``limit_reason`` are the words for an answer that
    ended by itself and at its limit.
    """

    media_type: str
    reason: str
    limit_reason: str
    opened: Counts | None

    def mark(self, mark: Mark) -> bytes:
        """Say what is no text."""

    def say(self, text: str) -> bytes:
        """Say a piece of the answer."""

    def think(self, text: str) -> bytes:
        """Say a piece of reasoning."""

    def call(self, text: str) -> bytes:
        """Say a piece of a tool call."""

    def close(self, counts: Counts | None) -> bytes:
        """Say reason, usage and end."""

    def whole(self, text: str) -> bytes:
        """Say everything at once, as one JSON body."""

    def refusal(self, why: Refusal) -> bytes:
        """Say an error, as one JSON body."""


def event(value: object) -> bytes:
    """Make one server-sent event with JSON data."""
    return b"data: " + msgspec.json.encode(value) + b"\n\n"


def named(kind: str, **fields: Any) -> bytes:
    """Make an event with its type as its name and in its data, as Anthropic and OpenAI Responses write it."""
    return b"event: " + kind.encode() + b"\n" + event({"type": kind, **fields})


def told(**counters: int | None) -> dict[str, Any]:
    """Leave out the counters that are not told."""
    return {name: value for name, value in counters.items() if value is not None}
