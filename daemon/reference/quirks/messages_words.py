"""Anthropic Messages: blocks that start, grow by deltas and stop, between the start and the stop of a message."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from daemon.reference.quirks.contract import Counts, Mark
from daemon.reference.quirks.words import COMMENT, EVENT_STREAM, MODEL, PLAIN, Refusal, named, told

_ERRORS = {
    "overloaded": {"type": "overloaded_error", "message": "Overloaded"},
    "failure": {"type": "api_error", "message": "Internal server error"},
    "rate limit": {"type": "rate_limit_error", "message": "Slow down"},
}
_Block = Literal["text", "thinking", "tool_use"]
_EMPTY: dict[_Block, dict[str, Any]] = {
    "text": {"type": "text", "text": ""},
    "thinking": {"type": "thinking", "thinking": "", "signature": ""},
    "tool_use": {"type": "tool_use", "id": "toolu_1", "name": "", "input": {}},
}
STOP = named("message_stop")


def start(usage: dict[str, Any] | None) -> bytes:
    """Make the event that begins a message; None leaves its usage out."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": []}
    return named("message_start", message=message if usage is None else {**message, "usage": usage})


def stopped(reason: str | None, counters: dict[str, Any] | None) -> bytes:
    """Make the event that tells reason and usage."""
    told_ = {} if counters is None else {"usage": counters}
    return named("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, **told_)


def block_delta(index: int, kind: str, **fields: Any) -> bytes:
    """Make a delta of a block."""
    return named("content_block_delta", index=index, delta={"type": kind, **fields})


def counters(counts: Counts) -> dict[str, Any]:
    """Word usage: what was cached or written to a cache is apart from the plain input."""
    plain = None if counts.input is None else counts.input - (counts.cached or 0) - (counts.written or 0)
    usage = told(
        input_tokens=plain,
        cache_read_input_tokens=counts.cached,
        cache_creation_input_tokens=counts.written,
        output_tokens=counts.output,
    )
    details = told(thinking_tokens=counts.reasoning)
    return usage | ({"output_tokens_details": details} if details else {})


_NO_TEXT: dict[Mark, dict[str, Any]] = {"empty": {"text": ""}, "null": {"text": None}, "absent": {}}
_MARKS: dict[Mark, bytes] = {
    "opening": start({"input_tokens": 7, "output_tokens": 1}),
    "ping": named("ping"),
    "comment": COMMENT,
    "end": STOP,
    "overloaded": named("error", error=_ERRORS["overloaded"]),
    "failure": named("error", error=_ERRORS["failure"]),
}


class MessagesVoice:
    """A :class:`daemon.reference.quirks.words.Voice`."""

    media_type = EVENT_STREAM
    reason = "end_turn"
    limit_reason = "max_tokens"
    opened: Counts | None = Counts(7, 1)

    def __init__(self) -> None:
        self._index = -1
        self._kind: _Block | None = None

    def mark(self, mark: Mark) -> bytes:
        """See the contract."""
        match mark:
            case "announcement":
                return self._within("thinking")
            case "signature":
                return self._within("thinking") + block_delta(self._index, "signature_delta", signature="QUJD")
            case "empty" | "null" | "absent":
                return self._within("text") + block_delta(self._index, "text_delta", **_NO_TEXT[mark])
            case "finish" | "limit":
                reason = self.reason if mark == "finish" else self.limit_reason
                return self._done() + stopped(reason, counters(PLAIN))
            case _:
                return _MARKS[mark]

    def say(self, text: str) -> bytes:
        """See the contract."""
        return self._within("text") + block_delta(self._index, "text_delta", text=text)

    def think(self, text: str) -> bytes:
        """See the contract."""
        return self._within("thinking") + block_delta(self._index, "thinking_delta", thinking=text)

    def call(self, text: str) -> bytes:
        """See the contract."""
        return self._within("tool_use") + block_delta(self._index, "input_json_delta", partial_json=text)

    def close(self, counts: Counts | None) -> bytes:
        """See the contract."""
        return self._done() + stopped(self.reason, None if counts is None else counters(counts)) + STOP

    def whole(self, text: str) -> bytes:
        """See the contract."""
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "stop_reason": "end_turn"}
        return msgspec.json.encode({**message, "content": [{"type": "text", "text": text}], "usage": counters(PLAIN)})

    def refusal(self, why: Refusal) -> bytes:
        """See the contract."""
        return msgspec.json.encode({"type": "error", "error": _ERRORS[why]})

    def _within(self, kind: _Block) -> bytes:
        """Begin a block of this kind, unless one is under way."""
        if self._kind == kind:
            return b""
        before = self._done()
        self._kind = kind
        self._index += 1
        return before + named("content_block_start", index=self._index, content_block=_EMPTY[kind])

    def _done(self) -> bytes:
        if self._kind is None:
            return b""
        self._kind = None
        return named("content_block_stop", index=self._index)
