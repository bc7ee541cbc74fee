"""How each dialect says the same things: the parts that a played stream is put together from.

One voice a way of streaming; Gemini has two. What a stream of these parts must come to is the tests' business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from played_streams import DONE, STOP, Played, c, delta, event, play, r, usage

from schemas.catalogue import DialectName


class Voice(msgspec.Struct, frozen=True, kw_only=True):
    """A dialect's words.

    opening: comes first and holds no token. empties: chunks without a token, each for itself. thoughts: says
    that there is reasoning, without a token. finish: reason to end, with usage of 7 input and 3 output tokens
    where the dialect joins them. limit: the same at the length limit. end: the end mark, empty if there is none.
    error: an error inside the stream, of a server that is overloaded.
    """

    name: str
    dialect: DialectName
    opening: bytes
    reasoning: Callable[[str], bytes]
    answer: Callable[[str], bytes]
    tool: Callable[[str], bytes]
    empties: tuple[bytes, ...]
    thoughts: bytes
    finish: bytes
    limit: bytes
    end: bytes
    error: bytes
    reason: str
    limit_reason: str

    def play(self, *reads: tuple[float, bytes], **more: Any) -> Played:
        """Play reads as this dialect, the opening in front at 1 ms."""
        return play((1, self.opening), *reads, spoken=self.dialect, **more)

    def stream(self, *parts: bytes) -> bytes:
        """Put a whole stream together."""
        return b"".join((self.opening, *parts, self.finish, self.end))


def named(kind: str, **fields: Any) -> bytes:
    """Make an event with its type as its name and in its data, as Anthropic and OpenAI Responses write it."""
    return b"event: " + kind.encode() + b"\n" + event({"type": kind, **fields})


def element(value: object) -> bytes:
    """Make an element of a JSON array as Google writes it, the comma before it."""
    return b"\r\n,\r\n" + msgspec.json.format(msgspec.json.encode(value), indent=2)


def responses_end(status: str, **fields: Any) -> bytes:
    """Make the last event of an OpenAI response."""
    told: dict[str, Any] = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    return named(f"response.{status}", response={"id": "resp_1", "status": status, "usage": told, **fields})


def block_delta(kind: str, **fields: Any) -> bytes:
    """Make a delta of an Anthropic block."""
    return named("content_block_delta", index=0, delta={"type": kind, **fields})


def stopped(reason: str | None, **counters: Any) -> bytes:
    """Make Anthropic's message_delta."""
    return named("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage=counters)


def candidate(*parts: dict[str, Any], finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """Make a chunk of generated content, as Gemini words it."""
    first: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    return {"candidates": [first if finish is None else {**first, "finishReason": finish}], **fields}


USED = {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10}
OVERLOADED = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
SNAPSHOT: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "model": "m-1",
    "status": "in_progress",
    "error": None,
    "output": [],
}

CHAT = Voice(
    name="openai-chat",
    dialect="openai-chat",
    opening=delta(role="assistant", content=""),
    reasoning=r,
    answer=c,
    tool=lambda text: delta(tool_calls=[{"index": 0, "function": {"arguments": text}}]),
    empties=(b": ping\n\n", delta(content=""), delta(content=None), delta(), event({"choices": []})),
    thoughts=delta(reasoning_details=[{"type": "reasoning.encrypted", "data": "QUJD"}]),
    finish=STOP + usage(prompt_tokens=7, completion_tokens=3, total_tokens=10),
    limit=delta(finish="length"),
    end=DONE,
    error=event({"error": {"message": "Overloaded", "type": "overloaded_error"}}),
    reason="stop",
    limit_reason="length",
)

RESPONSES = Voice(
    name="openai-responses",
    dialect="openai-responses",
    opening=named("response.created", response=SNAPSHOT),
    reasoning=lambda text: named(
        "response.reasoning_summary_text.delta", item_id="rs_1", summary_index=0, delta=text
    ),
    answer=lambda text: named(
        "response.output_text.delta", item_id="msg_1", content_index=0, delta=text, logprobs=[]
    ),
    tool=lambda text: named("response.function_call_arguments.delta", item_id="fc_1", delta=text),
    empties=(
        b": ping\n\n",
        named("response.in_progress", response=SNAPSHOT),
        named("response.output_item.added", item={"type": "message", "content": []}),
        named("response.content_part.added", part={"type": "output_text", "text": ""}),
        named("response.output_text.delta", delta=""),
        named("response.output_text.delta", delta=None),
        named("response.output_text.done", text="said before"),
        named("response.output_item.done", item={"type": "message", "content": [{"text": "said before"}]}),
        named("response.something_new", delta="of tomorrow"),
        named("keepalive", sequence_number=3),
    ),
    thoughts=named("response.output_item.added", item={"type": "reasoning", "summary": []}),
    finish=b"",
    limit=b"",
    end=responses_end("completed"),
    error=named("error", code="server_is_overloaded", message="Overloaded", param=None),
    reason="completed",
    limit_reason="max_output_tokens",
)

ANTHROPIC = Voice(
    name="anthropic-messages",
    dialect="anthropic-messages",
    opening=named(
        "message_start",
        message={"id": "msg_1", "model": "m-1", "content": [], "usage": {"input_tokens": 7, "output_tokens": 1}},
    ),
    reasoning=lambda text: block_delta("thinking_delta", thinking=text),
    answer=lambda text: block_delta("text_delta", text=text),
    tool=lambda text: block_delta("input_json_delta", partial_json=text),
    empties=(
        b": ping\n\n",
        named("ping"),
        named("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        named("content_block_start", index=0, content_block={"type": "thinking", "thinking": "", "signature": ""}),
        block_delta("signature_delta", signature="QUJD"),
        block_delta("citations_delta", citation={"cited_text": "said before"}),
        block_delta("text_delta", text=""),
        block_delta("delta_of_tomorrow", text="x"),
        named("content_block_stop", index=0),
        named("event_of_tomorrow", text="x"),
    ),
    thoughts=named("content_block_start", index=0, content_block={"type": "redacted_thinking", "data": "QUJD"}),
    finish=stopped("end_turn", output_tokens=3),
    limit=stopped("max_tokens", output_tokens=3),
    end=named("message_stop"),
    error=named("error", error={"type": "overloaded_error", "message": "Overloaded"}),
    reason="end_turn",
    limit_reason="max_tokens",
)

GEMINI = Voice(
    name="gemini",
    dialect="gemini",
    opening=event({"responseId": "r-1", "modelVersion": "m-1"}),
    reasoning=lambda text: event(candidate({"text": text, "thought": True})),
    answer=lambda text: event(candidate({"text": text})),
    tool=lambda text: event(candidate({"functionCall": {"name": text}})),
    empties=(
        b": ping\n\n",
        event(candidate()),
        event(candidate({"text": ""})),
        event(candidate({"text": "", "thoughtSignature": "QUJD"})),
        event({"candidates": [{"content": {"role": "model"}}]}),
        event({"candidates": []}),
        event({"candidates": None, "usageMetadata": {"promptTokenCount": 7}}),
        event({}),
    ),
    thoughts=event(candidate({"text": "", "thought": True})),
    finish=event(candidate(finish="STOP", usageMetadata=USED)),
    limit=event(candidate(finish="MAX_TOKENS", usageMetadata=USED)),
    end=b"",
    error=event(OVERLOADED),
    reason="STOP",
    limit_reason="MAX_TOKENS",
)

GEMINI_ARRAY = Voice(
    name="gemini, JSON array",
    dialect="gemini",
    opening=b'[{\n "responseId": "r-1", "modelVersion": "m-1"\n}',
    reasoning=lambda text: element(candidate({"text": text, "thought": True})),
    answer=lambda text: element(candidate({"text": text})),
    tool=lambda text: element(candidate({"functionCall": {"name": text}})),
    empties=(
        b"\r\n",
        element(candidate()),
        element(candidate({"text": ""})),
        element({"candidates": [{"content": {"role": "model"}}]}),
        element({"usageMetadata": {"promptTokenCount": 7}}),
        element({}),
    ),
    thoughts=element(candidate({"text": "", "thought": True})),
    finish=element(candidate(finish="STOP", usageMetadata=USED)),
    limit=element(candidate(finish="MAX_TOKENS", usageMetadata=USED)),
    end=b"\r\n]\r\n",
    error=element(OVERLOADED),
    reason="STOP",
    limit_reason="MAX_TOKENS",
)

VOICES = (CHAT, RESPONSES, ANTHROPIC, GEMINI, GEMINI_ARRAY)
EVENT_STREAMS = (CHAT, RESPONSES, ANTHROPIC, GEMINI)
