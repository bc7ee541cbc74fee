"""The ``openai-chat`` dialect: chat completions as OpenAI defined them and most providers speak them.

Words requests; reading responses is :mod:`daemon.wire.openai_chat_chunks`. Nothing here touches a socket.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import msgspec

from daemon.wire.contract import Ask, StreamParser, WireRequest
from daemon.wire.failures import failure_from_response
from daemon.wire.openai_chat_chunks import ChatReader
from daemon.wire.streaming import SseStreamParser
from schemas.catalogue import DialectName, EndpointFacts
from schemas.events.attempts import Failure

OUTPUT_LIMIT = "$max_output_tokens"
"""As the value of an override: the workload's own output limit, under the override's name.

A server that knows the limit by another name is told so with two overrides: ``max_tokens`` with ``"$none"``,
and its own name with ``"$max_output_tokens"``.
"""

NOTHING = "$none"
"""As the value of an override: leave the parameter out, as null does; TOML has no null."""

_HEADERS = (("content-type", "application/json"), ("accept", "text/event-stream"))


class OpenAiChat:
    """A :class:`daemon.wire.contract.Dialect`."""

    @property
    def name(self) -> DialectName:
        """See :class:`daemon.wire.contract.Dialect`."""
        return "openai-chat"

    def request(self, endpoint: EndpointFacts, ask: Ask) -> WireRequest:
        """Word an ask: model, messages, streaming, limits; the endpoint's overrides come last.

        An override's null (or ``"$none"``) removes the parameter, and ``"$max_output_tokens"`` stands for the
        ask's output limit. The overrides may change everything but the messages.
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
        if endpoint.pinned_provider is not None:
            parameters["provider"] = {"only": [endpoint.pinned_provider], "allow_fallbacks": False}
        for override in endpoint.overrides:
            value = ask.max_output_tokens if override.value == OUTPUT_LIMIT else override.value
            if value is None or value == NOTHING:
                parameters.pop(override.name, None)
            elif override.name != "messages":
                parameters[override.name] = value
        body = {"model": parameters.get("model"), "messages": [_message(ask)], **parameters}
        return WireRequest(
            url=_completions_url(endpoint.base_url),
            headers=_HEADERS,
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


def _completions_url(base_url: str) -> str:
    """``base_url`` with ``/chat/completions`` behind its path; a query (Azure's ``api-version``) stays."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + "/chat/completions"))


def _message(ask: Ask) -> dict[str, Any]:
    if not ask.images:
        return {"role": "user", "content": ask.text}
    parts: list[dict[str, Any]] = [{"type": "text", "text": ask.text}]
    for image in ask.images:
        url = f"data:{image.media_type};base64,{base64.b64encode(image.data).decode('ascii')}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return {"role": "user", "content": parts}
