"""OpenAI Responses: items that are added, grow by deltas and are done; the last event repeats all of them."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from daemon.reference.quirks.contract import Counts, Mark
from daemon.reference.quirks.words import COMMENT, EVENT_STREAM, MODEL, PLAIN, Refusal, named, told

SNAPSHOT: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1_796_000_000,
    "model": MODEL,
    "status": "in_progress",
    "error": None,
    "incomplete_details": None,
    "output": [],
}
_ERRORS = {
    "overloaded": {"code": "server_is_overloaded", "message": "Overloaded", "param": None},
    "failure": {"code": "server_error", "message": "The server had an error", "param": None},
    "rate limit": {"code": "rate_limit_exceeded", "message": "Slow down", "param": None},
}
_Item = Literal["message", "reasoning", "function_call"]


def counters(counts: Counts) -> dict[str, Any]:
    """Word usage: cached tokens are part of the input, reasoning of the output."""
    usage = told(input_tokens=counts.input, output_tokens=counts.output)
    if counts.input is not None and counts.output is not None:
        usage["total_tokens"] = counts.input + counts.output
    of_input = told(cached_tokens=counts.cached, cache_write_tokens=counts.written)
    of_output = told(reasoning_tokens=counts.reasoning)
    return (
        usage
        | ({"input_tokens_details": of_input} if of_input else {})
        | ({"output_tokens_details": of_output} if of_output else {})
    )


def last(status: str, **fields: Any) -> bytes:
    """Make the event that ends a response, with usage of 7 and 3 tokens unless told otherwise."""
    return named(f"response.{status}", response={**SNAPSHOT, "status": status, "usage": counters(PLAIN), **fields})


def text_delta(**fields: Any) -> bytes:
    """Make a delta of the answer."""
    return named("response.output_text.delta", item_id="item_0", output_index=0, content_index=0, **fields)


def _said(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


_PARTS: dict[_Item, tuple[str, dict[str, int], dict[str, Any]]] = {
    "message": ("response.content_part.added", {"content_index": 0}, _said("")),
    "reasoning": (
        "response.reasoning_summary_part.added",
        {"summary_index": 0},
        {"type": "summary_text", "text": ""},
    ),
}
"""What begins with an item's first text: the name of the event, where, and the empty part."""

_MARKS: dict[Mark, bytes] = {
    "opening": named("response.created", response=SNAPSHOT) + named("response.in_progress", response=SNAPSHOT),
    "empty": text_delta(delta=""),
    "null": text_delta(delta=None),
    "absent": text_delta(),
    "ping": named("keepalive", sequence_number=0),
    "comment": COMMENT,
    "finish": b"",
    "overloaded": named("error", **_ERRORS["overloaded"]),
    "failure": named("error", **_ERRORS["failure"]),
}


class ResponsesVoice:
    """A :class:`daemon.reference.quirks.words.Voice`."""

    media_type = EVENT_STREAM
    reason = "completed"
    limit_reason = "max_output_tokens"
    opened: Counts | None = None

    def __init__(self) -> None:
        self._items: list[dict[str, Any]] = []
        self._kind: _Item | None = None
        self._text = ""

    def mark(self, mark: Mark) -> bytes:
        """See the contract."""
        match mark:
            case "announcement":
                return self._within("reasoning")
            case "signature":
                return self._within("reasoning") + self._done(encrypted_content="QUJD")
            case "limit":
                return self._done() + self._last("incomplete", incomplete_details={"reason": self.limit_reason})
            case "end":
                return self._done() + self._last("completed")
            case _:
                return _MARKS[mark]

    def say(self, text: str) -> bytes:
        """See the contract."""
        return self._grow("message", text, "response.output_text.delta", content_index=0, logprobs=[])

    def think(self, text: str) -> bytes:
        """See the contract."""
        return self._grow("reasoning", text, "response.reasoning_summary_text.delta", summary_index=0)

    def call(self, text: str) -> bytes:
        """See the contract."""
        return self._grow("function_call", text, "response.function_call_arguments.delta")

    def close(self, counts: Counts | None) -> bytes:
        """See the contract."""
        return self._done() + self._last("completed", usage=None if counts is None else counters(counts))

    def whole(self, text: str) -> bytes:
        """See the contract."""
        item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        body = {**SNAPSHOT, "status": "completed", "output": [item], "usage": counters(PLAIN)}
        return msgspec.json.encode(body)

    def refusal(self, why: Refusal) -> bytes:
        """See the contract."""
        return msgspec.json.encode({"error": {"type": why, **_ERRORS[why]}})

    def _last(self, status: str, **fields: Any) -> bytes:
        return last(status, output=self._items, **fields)

    def _grow(self, kind: _Item, text: str, event: str, **fields: Any) -> bytes:
        before = self._within(kind)
        place = {"item_id": f"item_{len(self._items)}", "output_index": len(self._items)}
        if not self._text and kind in _PARTS:
            begun, index, part = _PARTS[kind]
            before += named(begun, **place, **index, part=part)
        self._text += text
        return before + named(event, **place, delta=text, **fields)

    def _within(self, kind: _Item) -> bytes:
        """Begin an item of this kind, unless one is under way."""
        if self._kind == kind:
            return b""
        before = self._done()
        self._kind = kind
        index = len(self._items)
        return before + named("response.output_item.added", output_index=index, item=self._item("in_progress"))

    def _done(self, **fields: Any) -> bytes:
        """End the item that is under way, if there is one; what it said is said again with it."""
        if self._kind is None:
            return b""
        index, item = len(self._items), {**self._item("completed"), **fields}
        self._items.append(item)
        said = b""
        if self._kind == "message":
            place = {"item_id": f"item_{index}", "output_index": index, "content_index": 0}
            said = named("response.output_text.done", **place, text=self._text, logprobs=[])
            said += named("response.content_part.done", **place, part=_said(self._text))
        self._kind, self._text = None, ""
        return said + named("response.output_item.done", output_index=index, item=item)

    def _item(self, status: str) -> dict[str, Any]:
        common = {"id": f"item_{len(self._items)}", "type": self._kind, "status": status}
        match self._kind:
            case "message":
                return {**common, "role": "assistant", "content": [_said(self._text)] if self._text else []}
            case "function_call":
                return {**common, "call_id": "call_1", "name": "", "arguments": self._text}
            case _:
                summary = [{"type": "summary_text", "text": self._text}] if self._text else []
                return {**common, "summary": summary}
