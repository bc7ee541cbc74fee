"""What a dialect must do: word a request, and turn a response's bytes into observations.

Parsers are pure. They are fed the bytes of one read at a time and return what those bytes completed; the
caller knows when the read happened, so a time is never the parser's business. A parser never raises on
hostile input and never buffers without bound: what cannot be read becomes an :class:`ErrorSeen`.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Protocol

import msgspec

from schemas.catalogue import DialectName, EndpointFacts
from schemas.events.attempts import Failure, UsageReported
from schemas.timeline import Channel

MAX_LINE_BYTES = 4 * 1024 * 1024
"""Longest line or single JSON value that a parser holds before it gives up on the stream."""


class Image(msgspec.Struct, frozen=True):
    """A picture to be sent, already encoded."""

    media_type: str
    data: bytes

    def base64(self) -> str:
        """Its bytes as JSON can carry them."""
        return base64.b64encode(self.data).decode("ascii")

    def data_url(self) -> str:
        """Type and bytes in one ``data:`` URL."""
        return f"data:{self.media_type};base64,{self.base64()}"


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """What to ask, in no dialect. None leaves a parameter out of the request altogether."""

    text: str
    images: tuple[Image, ...] = ()
    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    ask_usage: bool = True
    json_schema: Mapping[str, Any] | None = None


class WireRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request in a dialect, without credential. ``parameters`` is the body without its content."""

    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    parameters: Mapping[str, Any]


class Chunk(msgspec.Struct, frozen=True):
    """Non-empty text that arrived on a channel."""

    channel: Channel
    text: str


class UsageSeen(msgspec.Struct, frozen=True):
    """Usage as reported so far; a later one replaces it, cumulative or not as the dialect has it."""

    usage: UsageReported
    cost_usd: Decimal | None = None


class IdentitySeen(msgspec.Struct, frozen=True, kw_only=True):
    """Who says it answered; None where this chunk did not say."""

    model: str | None = None
    provider: str | None = None
    fingerprint: str | None = None
    response_id: str | None = None


class ReasoningAnnounced(msgspec.Struct, frozen=True):
    """The model says that it reasons, whether or not it shows the text."""


class FinishSeen(msgspec.Struct, frozen=True):
    """The reason why the answer ended, in the provider's own word."""

    reason: str


class FlagSeen(msgspec.Struct, frozen=True):
    """An oddity that decides nothing and belongs beside the figures, for example ``invalid-utf8``."""

    flag: str


class ErrorSeen(msgspec.Struct, frozen=True):
    """An error inside the stream, or bytes that are no stream of this dialect."""

    failure: Failure


class EndSeen(msgspec.Struct, frozen=True):
    """The protocol's own end of the answer; nothing after it matters.

    implied: there is no mark, so it is the end of the bytes that says so, if that was an orderly one.
    """

    implied: bool = False


Observation = Chunk | UsageSeen | IdentitySeen | ReasoningAnnounced | FinishSeen | FlagSeen | ErrorSeen | EndSeen


class StreamParser(Protocol):
    """Reads one streamed response."""

    def feed(self, data: bytes) -> Sequence[Observation]:
        """Return what these bytes completed, in order."""

    def close(self) -> Sequence[Observation]:
        """Return what was still held when the bytes ended."""


class Dialect(Protocol):
    """One wire format."""

    @property
    def name(self) -> DialectName:
        """Its name in the configuration."""

    def request(self, endpoint: EndpointFacts, ask: Ask) -> WireRequest:
        """Word an ask for an endpoint."""

    def authorise(self, key: str) -> tuple[tuple[str, str], ...]:
        """Headers that carry a credential."""

    def parser(self, content_type: str) -> StreamParser:
        """Make a parser for a successful response of this media type."""

    def failure(self, status: int, headers: Sequence[tuple[str, str]], body: bytes, now_wall_ns: int) -> Failure:
        """Class and bounded text of a response that is no stream (``now_wall_ns`` for dates in Retry-After)."""
