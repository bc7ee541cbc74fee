"""The ``openai-chat`` dialect: chat completions as OpenAI defined them and most providers speak them.

Words requests; reading responses is :mod:`daemon.wire.openai_chat_chunks`. Nothing here touches a socket.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec

from daemon.wire.addresses import below
from daemon.wire.contract import Ask, StreamParser, WireRequest
from daemon.wire.failures import failure_from_response
from daemon.wire.openai_chat_chunks import ChatReader
from daemon.wire.parameters import override_parameters, pinned_provider, request_headers
from daemon.wire.streaming import SseStreamParser
from schemas.catalogue import DialectName, EndpointFacts
from schemas.events.attempts import Failure

_HEADERS = (("content-type", "application/json"), ("accept", "text/event-stream"))


class OpenAiChat:
    """A :class:`daemon.wire.contract.Dialect`."""

    @property
    def name(self) -> DialectName:
        """See :class:`daemon.wire.contract.Dialect`."""
        return "openai-chat"

    def request(self, endpoint: EndpointFacts, ask: Ask) -> WireRequest:
        """Word an ask: model, messages, streaming, limits; the endpoint's overrides come last.

        They may change everything but the messages; how is :mod:`daemon.wire.parameters`.
        """
        parameters: dict[str, Any] = {"model": endpoint.model, "stream": True}
        if ask.ask_usage:
            parameters["stream_options"] = {"include_usage": True}
        if ask.max_output_tokens is not None:
            parameters[_limit_name(endpoint.base_url)] = ask.max_output_tokens
        if ask.temperature is not None:
            parameters["temperature"] = ask.temperature
        if ask.top_p is not None:
            parameters["top_p"] = ask.top_p
        if ask.json_schema is not None:
            parameters["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": dict(ask.json_schema)},
            }
        parameters |= pinned_provider(endpoint)
        override_parameters(parameters, endpoint, ask, content="messages")
        body = {"model": parameters.get("model"), "messages": [_message(ask)], **parameters}
        return WireRequest(
            url=below(endpoint.base_url, "/chat/completions"),
            headers=request_headers(_HEADERS, endpoint),
            body=msgspec.json.encode(body),
            parameters=parameters,
        )

    def authorise(self, key: str) -> tuple[tuple[str, str], ...]:
        """See :class:`daemon.wire.contract.Dialect`."""
        return (("authorization", f"Bearer {key}"),)

    def parser(self, content_type: str) -> StreamParser:
        """See :class:`daemon.wire.contract.Dialect`."""
        return SseStreamParser(ChatReader(), content_type)

    def failure(self, status: int, headers: Sequence[tuple[str, str]], body: bytes, now_wall_ns: int) -> Failure:
        """See :class:`daemon.wire.contract.Dialect`."""
        return failure_from_response(status, headers, body, now_wall_ns)


def _limit_name(base_url: str) -> str:
    """OpenAI calls the limit ``max_completion_tokens`` and its reasoning models refuse the older name.

    Everyone else understands ``max_tokens``, and not all of them the newer one.
    """
    host = urlsplit(base_url).hostname or ""
    return "max_completion_tokens" if host == "api.openai.com" else "max_tokens"


def _message(ask: Ask) -> dict[str, Any]:
    if not ask.images:
        return {"role": "user", "content": ask.text}
    images = [{"type": "image_url", "image_url": {"url": image.data_url()}} for image in ask.images]
    return {"role": "user", "content": [{"type": "text", "text": ask.text}, *images]}
