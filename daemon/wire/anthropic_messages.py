"""The ``anthropic-messages`` dialect: Anthropic's Messages API and the services that speak it.

Words requests; reading responses is :mod:`daemon.wire.anthropic_messages_events`. ``base_url`` may end with a
version (``https://api.anthropic.com/v1``) or leave it out as Anthropic's own clients do; then ``/v1`` is put in.
Nothing here touches a socket.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from daemon.wire.addresses import below_version
from daemon.wire.anthropic_messages_events import MessagesReader
from daemon.wire.contract import Ask, StreamParser, WireRequest
from daemon.wire.failures import failure_from_response
from daemon.wire.parameters import override_parameters, pinned_provider, request_headers
from daemon.wire.streaming import SseStreamParser
from schemas.catalogue import DialectName, EndpointFacts
from schemas.events.attempts import Failure

DEFAULT_MAX_TOKENS = 4096
"""Sent where the ask has no limit, because the dialect insists on one; every model takes as many."""

_HEADERS = (
    ("content-type", "application/json"),
    ("accept", "text/event-stream"),
    ("anthropic-version", "2023-06-01"),
)


class AnthropicMessages:
    """A :class:`daemon.wire.contract.Dialect`."""

    @property
    def name(self) -> DialectName:
        """See :class:`daemon.wire.contract.Dialect`."""
        return "anthropic-messages"

    def request(self, endpoint: EndpointFacts, ask: Ask) -> WireRequest:
        """Word an ask: model, messages, streaming, limits; the endpoint's overrides come last.

        Usage is sent without being asked for. Thinking is an override, ``thinking``; with it the service
        refuses any temperature but 1, so it goes with another one that leaves ``temperature`` out.
        """
        limit = DEFAULT_MAX_TOKENS if ask.max_output_tokens is None else ask.max_output_tokens
        parameters: dict[str, Any] = {"model": endpoint.model, "stream": True, "max_tokens": limit}
        if ask.temperature is not None:
            parameters["temperature"] = ask.temperature
        if ask.top_p is not None:
            parameters["top_p"] = ask.top_p
        if ask.json_schema is not None:
            parameters["output_config"] = {"format": {"type": "json_schema", "schema": dict(ask.json_schema)}}
        parameters |= pinned_provider(endpoint)
        override_parameters(parameters, endpoint, ask, content="messages")
        return WireRequest(
            url=below_version(endpoint.base_url, "v1", "/messages"),
            headers=request_headers(_HEADERS, endpoint),
            body=msgspec.json.encode({"model": parameters.get("model"), "messages": [_message(ask)], **parameters}),
            parameters=parameters,
        )

    def authorise(self, key: str) -> tuple[tuple[str, str], ...]:
        """See :class:`daemon.wire.contract.Dialect`."""
        return (("x-api-key", key),)

    def parser(self, content_type: str) -> StreamParser:
        """See :class:`daemon.wire.contract.Dialect`."""
        return SseStreamParser(MessagesReader(), content_type)

    def failure(self, status: int, headers: Sequence[tuple[str, str]], body: bytes, now_wall_ns: int) -> Failure:
        """See :class:`daemon.wire.contract.Dialect`."""
        return failure_from_response(status, headers, body, now_wall_ns)


def _message(ask: Ask) -> dict[str, Any]:
    images = [
        {"type": "image", "source": {"type": "base64", "media_type": image.media_type, "data": image.base64()}}
        for image in ask.images
    ]
    return {"role": "user", "content": [{"type": "text", "text": ask.text}, *images]}
