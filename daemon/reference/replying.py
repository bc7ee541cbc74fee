"""Chat-completions requests to models that answer with a text they chose: read, answered at once, and billed. Pure.

Input is counted as one token for each four bytes of UTF-8 begun, and a few for the frame of a request.
"""

from __future__ import annotations

import base64
from decimal import Decimal
from typing import Any

import msgspec

from daemon.reference.script import Part, Script
from schemas.timeline import Channel

BYTES_PER_TOKEN = 4
OVERHEAD_TOKENS = 7
HEAD_NS = 20_000_000
_CHUNK_NS = 2_000_000
_CHUNK_CHARACTERS = 48
_MILLION = Decimal(1_000_000)


class UnreadableChatError(ValueError):
    """A body is no chat-completions request."""


class _Part(msgspec.Struct):
    type: str
    text: str = ""
    image_url: dict[str, str] = {}


class _Message(msgspec.Struct):
    content: str | list[_Part]


class Chat(msgspec.Struct):
    """A request, as far as it matters to these models."""

    messages: list[_Message]
    response_format: Any = None

    def content(self) -> tuple[str, list[bytes]]:
        """Return the text of all messages, and the bytes of the images among it."""
        texts, images = [], []
        for message in self.messages:
            for part in [_Part("text", message.content)] if isinstance(message.content, str) else message.content:
                if part.type == "image_url":
                    images.append(base64.b64decode(part.image_url.get("url", "").partition(",")[2]))
                else:
                    texts.append(part.text)
        return "".join(texts), images


class Speaker(msgspec.Struct, frozen=True, kw_only=True):
    """Who answers, as the answer says, and what a million tokens cost there."""

    name: str
    provider: str
    input_usd: Decimal
    output_usd: Decimal


_decoder = msgspec.json.Decoder(Chat)


def read_chat(body: bytes) -> Chat:
    """Read a request; raises :class:`UnreadableChatError`."""
    try:
        return _decoder.decode(body)
    except msgspec.MsgspecError as problem:
        raise UnreadableChatError(f"no chat-completions request: {problem}") from problem


def tokens_of(text: str) -> int:
    """Count input as these models do, in whole tokens."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN) + OVERHEAD_TOKENS


def cost_usd(speaker: Speaker, input_tokens: int, output_tokens: int) -> Decimal:
    """Bill a request."""
    return (speaker.input_usd * input_tokens + speaker.output_usd * output_tokens) / _MILLION


def reply_script(speaker: Speaker, reply: str, input_tokens: int, *, response_id: str, wall_ns: int) -> Script:
    """Write a reply as a stream, with usage and cost at its end."""
    head = {
        "id": response_id,
        "object": "chat.completion.chunk",
        "created": wall_ns // 1_000_000_000,
        "model": speaker.name,
        "provider": speaker.provider,
    }
    output_tokens = tokens_of(reply) - OVERHEAD_TOKENS
    usage = {
        "prompt_tokens": input_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": input_tokens + output_tokens,
        "cost": float(cost_usd(speaker, input_tokens, output_tokens)),
    }
    pieces = [reply[start : start + _CHUNK_CHARACTERS] for start in range(0, len(reply), _CHUNK_CHARACTERS)]
    parts = [
        Part(
            HEAD_NS + _CHUNK_NS * number,
            _event(head | {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}),
            Channel.ANSWER,
        )
        for number, piece in enumerate(pieces)
    ]
    end = head | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    last_ns = HEAD_NS + _CHUNK_NS * len(pieces)
    parts.append(Part(last_ns, _event(end) + _event(head | {"choices": [], "usage": usage}) + b"data: [DONE]\n\n"))
    return Script(
        response_id=response_id,
        status=200,
        headers=(("content-type", "text/event-stream; charset=utf-8"), ("x-request-id", response_id)),
        head_offset_ns=HEAD_NS,
        parts=tuple(parts),
        ending="complete",
        input_tokens=input_tokens,
        output_tokens=output_tokens,
    )


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(data) + b"\n\n"
