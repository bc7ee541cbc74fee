"""Gemini's ``streamGenerateContent``: the same chunks as server-sent events, or as elements of one JSON array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from daemon.reference.quirks.contract import Counts, Mark
from daemon.reference.quirks.words import COMMENT, EVENT_STREAM, MODEL, PING, PLAIN, Refusal, event, told

_IDENTITY = {"responseId": "r-1", "modelVersion": MODEL}
_ERRORS = {
    "overloaded": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"},
    "failure": {"code": 500, "message": "An internal error has occurred.", "status": "INTERNAL"},
    "rate limit": {"code": 429, "message": "Resource has been exhausted.", "status": "RESOURCE_EXHAUSTED"},
}


def element(value: object) -> bytes:
    """Make an element of a JSON array as Google writes it, the comma before it."""
    return b"\r\n,\r\n" + msgspec.json.format(msgspec.json.encode(value), indent=2)


def candidate(*parts: dict[str, Any], finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """Make a chunk of generated content."""
    first: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    return {"candidates": [first if finish is None else {**first, "finishReason": finish}], **fields}


def counters(counts: Counts) -> dict[str, Any]:
    """Word usage: candidates are what is output beside the thoughts; what was cached is part of the prompt."""
    output = None if counts.output is None else counts.output - (counts.reasoning or 0)
    usage = told(
        promptTokenCount=counts.input,
        cachedContentTokenCount=counts.cached,
        candidatesTokenCount=output,
        thoughtsTokenCount=counts.reasoning,
    )
    if counts.input is not None and counts.output is not None:
        usage["totalTokenCount"] = counts.input + counts.output
    return usage


_CHUNKS: dict[Mark, dict[str, Any]] = {
    "empty": candidate({"text": ""}),
    "null": {"candidates": [{"content": {"role": "model", "parts": None}, "index": 0}]},
    "absent": {"candidates": [{"content": {"role": "model"}, "index": 0}]},
    "announcement": candidate({"text": "", "thought": True}),
    "signature": candidate({"text": "", "thoughtSignature": "QUJD"}),
    "finish": candidate(finish="STOP", usageMetadata=counters(PLAIN)),
    "limit": candidate(finish="MAX_TOKENS", usageMetadata=counters(PLAIN)),
    "overloaded": {"error": _ERRORS["overloaded"]},
    "failure": {"error": _ERRORS["failure"]},
}


class GeminiVoice:
    """A :class:`daemon.reference.quirks.words.Voice` over server-sent events."""

    media_type = EVENT_STREAM
    reason = "STOP"
    limit_reason = "MAX_TOKENS"
    opened: Counts | None = None
    _write: Callable[[object], bytes] = staticmethod(event)
    _others: dict[Mark, bytes] = {"opening": event(_IDENTITY), "ping": PING, "comment": COMMENT, "end": b""}  # noqa: RUF012  # never changed

    def mark(self, mark: Mark) -> bytes:
        """See the contract."""
        return self._others[mark] if mark in self._others else self._write(_CHUNKS[mark])

    def say(self, text: str) -> bytes:
        """See the contract."""
        return self._write(candidate({"text": text}))

    def think(self, text: str) -> bytes:
        """See the contract."""
        return self._write(candidate({"text": text, "thought": True}))

    def call(self, text: str) -> bytes:
        """See the contract."""
        return self._write(candidate({"functionCall": {"name": text}}))

    def close(self, counts: Counts | None) -> bytes:
        """See the contract."""
        usage = {} if counts is None else {"usageMetadata": counters(counts)}
        return self._write(candidate(finish=self.reason, **usage)) + self._others["end"]

    def whole(self, text: str) -> bytes:
        """See the contract."""
        body = {**candidate({"text": text}, finish=self.reason), "usageMetadata": counters(PLAIN), **_IDENTITY}
        return msgspec.json.encode(body)

    def refusal(self, why: Refusal) -> bytes:
        """See the contract."""
        return msgspec.json.encode({"error": _ERRORS[why]})


class GeminiArrayVoice(GeminiVoice):
    """The same as elements of one JSON array, which must begin with the opening."""

    media_type = "application/json; charset=UTF-8"
    _write = staticmethod(element)
    _others: dict[Mark, bytes] = {  # noqa: RUF012  # never changed
        "opening": b"[" + msgspec.json.format(msgspec.json.encode(_IDENTITY), indent=2),
        "ping": b"\r\n",
        "comment": b"\r\n",
        "end": b"\r\n]",
    }

    def refusal(self, why: Refusal) -> bytes:
        """See the contract; an array holds the error."""
        return b"[" + super().refusal(why) + b"\n]\n"
