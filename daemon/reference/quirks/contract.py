"""What a quirk is: steps in no dialect, the forms in which they can be said, and the right value of each.

Times are milliseconds from the request's start. Everything here is data; making bytes of it is
:mod:`daemon.reference.quirks.rendering`.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

import msgspec

from schemas.events.attempts import AttemptStatus, FailureClass

Form = Literal["openai-chat", "openai-responses", "anthropic-messages", "gemini", "gemini-array"]
"""A way of streaming: one a dialect, but for Gemini, which streams server-sent events and JSON arrays."""

Kind = Literal["first-token", "reasoning", "tokens", "framing", "odd-chunks", "usage", "errors", "refusals", "ends"]

Outcome = Literal["ok", "empty", "truncated", "rate-limited", "failed"]
"""What availability counts it as; ``ok`` alone has figures."""

Mark = Literal[
    "opening",
    "empty",
    "null",
    "absent",
    "announcement",
    "signature",
    "ping",
    "comment",
    "finish",
    "limit",
    "end",
    "overloaded",
    "failure",
]
"""What every dialect can say, each in its own bytes.

``opening``: comes first, without a token. ``empty``, ``null``, ``absent``: a chunk whose text is so.
``announcement``: there is reasoning, and none is shown. ``signature``: the proof of hidden reasoning, no text.
``ping``: the dialect's own, or a comment. ``finish``, ``limit``: why the answer is over, with usage where the dialect
joins them. ``end``: the end mark, nothing where there is none. ``overloaded``, ``failure``: an error of an
overloaded server, and of one that broke.
"""

Writing = Literal[
    "as it is",
    "no space",
    "CRLF",
    "CR",
    "CRLF in two reads",
    "byte by byte",
    "seven bytes a read",
    "comments",
    "other fields",
    "byte order mark",
]
"""How the same stream is written down and cut into writes."""

Ending = Literal["complete", "cut", "open"]
"""``complete``: as HTTP says. ``cut``: the connection is dropped. ``open``: nothing more, and nobody closes."""

Turn = Literal["in turn", "refuses usage"]
"""``in turn``: the n-th request gets the n-th take, then from the first again. ``refuses usage``: a request with
``stream_options`` gets the first, any other the second."""


class Say(msgspec.Struct, frozen=True):
    """A piece of the answer."""

    text: str


class Think(msgspec.Struct, frozen=True):
    """A piece of shown reasoning."""

    text: str


class Call(msgspec.Struct, frozen=True):
    """A piece of a tool call."""

    text: str


class Damaged(msgspec.Struct, frozen=True):
    """A piece of the answer with these bytes in the place of its ``@``."""

    text: str
    by: bytes


class Endless(msgspec.Struct, frozen=True):
    """A line that begins so and goes on for that many bytes; data, so that nobody holds them before they are sent."""

    head: bytes
    more_bytes: int


class Counts(msgspec.Struct, frozen=True):
    """Usage under one set of names: output includes reasoning, input what was cached. None: not told."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    written: int | None = None
    reasoning: int | None = None


class Close(msgspec.Struct, frozen=True):
    """The reason to finish, usage with these counts (none at all for None), and the end mark."""

    counts: Counts | None


Part = Say | Think | Call | Damaged | Endless | Close | bytes | Mark


class At(msgspec.Struct, frozen=True):
    """Everything that is written at one moment."""

    ms: float
    parts: tuple[Part, ...]


class Right(msgspec.Struct, frozen=True, kw_only=True):
    """The right value of one attempt, all of it: what is not named is as unremarkable as the defaults.

    ttft_ms, ttfat_ms, end_ms: None where the attempt has no figures. over_ms: when a client knows that it is over.
    tokens_per_s: None with the reason beside it. answer_tokens, reasoning_tokens: ``o200k_base``, over the whole
    text; ``chunks`` are those that carry text, on any channel. finish_reason: the provider's own word; ``natural``
    and ``length`` stand for each dialect's.
    """

    status: AttemptStatus = "response"
    outcome: Outcome = "ok"
    failure: FailureClass | None = None
    retry_after_s: float | None = None
    ttft_ms: float | None = None
    ttfat_ms: float | None = None
    end_ms: float | None = None
    over_ms: float
    tokens_per_s: float | None = None
    speed_note: str = ""
    answer: str | None = None
    answer_tokens: int = 0
    reasoning: str | None = None
    reasoning_tokens: int = 0
    chunks: int
    reasoning_announced: bool = False
    reasoning_hidden: bool | None = None
    finish_reason: str | None = None
    usage: Counts | None = None
    cost_usd: Decimal | None = None
    flags: tuple[str, ...] = ()


class Take(msgspec.Struct, frozen=True, kw_only=True):
    """One response to one request: status, headers, steps, how it ends, and what is right.

    content_type: None for the form's own. head_ms: when status and headers are written. retry_after: value of the
    header; ``in 2 s`` stands for the HTTP date two seconds ahead.
    """

    right: Right
    steps: tuple[At, ...]
    status: int = 200
    content_type: str | None = None
    head_ms: float = 1.0
    retry_after: str | None = None
    writing: Writing = "as it is"
    ending: Ending = "complete"


class Quirk(msgspec.Struct, frozen=True, kw_only=True):
    """One behaviour. ``behaviour`` and ``right`` are sentences; ``takes`` has every form in which it occurs."""

    name: str
    kind: Kind
    behaviour: str
    right: str
    takes: Mapping[Form, tuple[Take, ...]]
    turn: Turn = "in turn"
