"""OpenAI chat completions, and what their relatives make of them."""

from __future__ import annotations

from typing import Any

import msgspec

from daemon.reference.quirks.contract import Counts, Mark
from daemon.reference.quirks.words import COMMENT, EVENT_STREAM, MODEL, PING, PLAIN, Refusal, event, told

DONE = b"data: [DONE]\n\n"
_HEAD: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion.chunk",
    "created": 1_796_000_000,
    "model": MODEL,
}
_ERRORS = {
    "overloaded": {"message": "Overloaded", "type": "overloaded_error", "code": None},
    "failure": {"message": "The server had an error", "type": "server_error", "code": None},
    "rate limit": {"message": "Slow down", "type": "rate_limit_error", "code": "rate_limit_exceeded"},
    "stream_options": {"message": "Unknown parameter: stream_options", "type": "invalid_request_error", "code": None},
}


def chunk(choices: list[dict[str, Any]] | msgspec.UnsetType | None, **fields: Any) -> bytes:
    """Make a chunk; ``UNSET`` leaves ``choices`` out."""
    return event({**_HEAD, **({} if choices is msgspec.UNSET else {"choices": choices}), **fields})


def delta(finish: str | None = None, **fields: Any) -> bytes:
    """Make a chunk whose only choice has these fields in its delta."""
    return chunk([{"index": 0, "delta": fields, "finish_reason": finish}])


def counters(counts: Counts) -> dict[str, Any]:
    """Word usage: cached tokens are part of the prompt, reasoning of the completion."""
    both = (counts.input, counts.output)
    usage = told(prompt_tokens=counts.input, completion_tokens=counts.output)
    if counts.input is not None and counts.output is not None:
        usage["total_tokens"] = sum(part or 0 for part in both)
    of_input = told(cached_tokens=counts.cached, cache_write_tokens=counts.written)
    of_output = told(reasoning_tokens=counts.reasoning)
    return (
        usage
        | ({"prompt_tokens_details": of_input} if of_input else {})
        | ({"completion_tokens_details": of_output} if of_output else {})
    )


def usage(counts: Counts) -> bytes:
    """Make a chunk with usage and empty choices."""
    return chunk([], usage=counters(counts))


def error(which: str) -> bytes:
    """Make an error inside the stream."""
    return event({"error": _ERRORS[which]})


STOP = delta("stop")

_MARKS: dict[Mark, bytes] = {
    "opening": delta(role="assistant", content=""),
    "empty": delta(role="assistant", content=""),
    "null": delta(role="assistant", content=None),
    "absent": delta(role="assistant"),
    "announcement": delta(reasoning_details=[{"type": "reasoning.encrypted", "data": "QUJD", "index": 0}]),
    "signature": delta(reasoning_details=[{"type": "reasoning.encrypted", "data": "REVG", "index": 0}]),
    "ping": PING,
    "comment": COMMENT,
    "finish": STOP + usage(PLAIN),
    "limit": delta("length") + usage(PLAIN),
    "end": DONE,
    "overloaded": error("overloaded"),
    "failure": error("failure"),
}


class ChatVoice:
    """A :class:`daemon.reference.quirks.words.Voice`."""

    media_type = EVENT_STREAM
    reason = "stop"
    limit_reason = "length"
    opened: Counts | None = None

    def mark(self, mark: Mark) -> bytes:
        """See the contract."""
        return _MARKS[mark]

    def say(self, text: str) -> bytes:
        """See the contract."""
        return delta(content=text)

    def think(self, text: str) -> bytes:
        """See the contract."""
        return delta(reasoning_content=text)

    def call(self, text: str) -> bytes:
        """See the contract."""
        return delta(tool_calls=[{"index": 0, "id": "call_1", "type": "function", "function": {"arguments": text}}])

    def close(self, counts: Counts | None) -> bytes:
        """See the contract."""
        return STOP + (b"" if counts is None else usage(counts)) + DONE

    def whole(self, text: str) -> bytes:
        """See the contract."""
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        body = {**_HEAD, "object": "chat.completion", "choices": [choice], "usage": counters(PLAIN)}
        return msgspec.json.encode(body)

    def refusal(self, why: Refusal) -> bytes:
        """See the contract."""
        return msgspec.json.encode({"error": _ERRORS[why]})
