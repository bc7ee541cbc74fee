"""What a reference endpoint needs to know of a request's body. Pure; hostile bodies become a named refusal."""

from __future__ import annotations

from typing import Any

import msgspec

from daemon.reference.prefixes import CHARACTERS_PER_TOKEN, prefix_hashes
from schemas.errors import MesswerkError

_TOKENS_PER_IMAGE = 1_105
_DEFAULT_OUTPUT_TOKENS = 1_200


class RefusedRequestError(MesswerkError):
    """The body is no chat-completions request that a reference endpoint can play; answered with status 400."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Size of the input by the reference endpoints' own reckoning, its beginnings, and what may come back."""

    input_tokens: int
    prefix: tuple[bytes, ...] = ()
    images: int
    max_output_tokens: int
    include_usage: bool


class _StreamOptions(msgspec.Struct):
    include_usage: bool = False


class _Message(msgspec.Struct):
    content: str | list[dict[str, Any]] | None = None


class _Body(msgspec.Struct):
    messages: list[_Message]
    stream: bool = False
    stream_options: _StreamOptions | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None


_decoder = msgspec.json.Decoder(_Body)


def read_body(body: bytes) -> Asked:
    """Read a chat-completions body. Raises :class:`RefusedRequestError` with a text fit for the client."""
    try:
        wanted = _decoder.decode(body)
    except msgspec.MsgspecError as problem:
        raise RefusedRequestError(f"not a chat-completions request: {problem}") from problem
    if not wanted.stream:
        raise RefusedRequestError("reference endpoints only stream; set stream to true")
    budget = wanted.max_completion_tokens or wanted.max_tokens or _DEFAULT_OUTPUT_TOKENS
    if budget < 1:
        raise RefusedRequestError(f"the output budget must be at least 1 token, not {budget}")
    images = 0
    texts = []
    for message in wanted.messages:
        for part in _parts(message):
            if part.get("type") == "image_url":
                images += 1
            else:
                texts.append(str(part.get("text", "")))
    text = "".join(texts)
    return Asked(
        input_tokens=max(1, round(len(text) / CHARACTERS_PER_TOKEN)) + images * _TOKENS_PER_IMAGE,
        prefix=prefix_hashes(text),
        images=images,
        max_output_tokens=budget,
        include_usage=wanted.stream_options is not None and wanted.stream_options.include_usage,
    )


def _parts(message: _Message) -> list[dict[str, Any]]:
    if message.content is None:
        return []
    return [{"type": "text", "text": message.content}] if isinstance(message.content, str) else message.content
