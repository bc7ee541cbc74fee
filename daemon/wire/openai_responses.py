"""The ``openai-responses`` dialect: OpenAI's Responses API and the servers that took it over.

Words requests; reading responses is :mod:`daemon.wire.openai_responses_events`. ``base_url`` has the version in
it, as for ``openai-chat``: ``https://api.openai.com/v1``. Nothing here touches a socket.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from daemon.wire.addresses import below
from daemon.wire.contract import Ask, StreamParser, WireRequest
from daemon.wire.failures import failure_from_response
from daemon.wire.openai_responses_events import ResponsesReader
from daemon.wire.parameters import override_parameters, pinned_provider, request_headers
from daemon.wire.streaming import SseStreamParser
from schemas.catalogue import DialectName, EndpointFacts
from schemas.events.attempts import Failure

_HEADERS = (("content-type", "application/json"), ("accept", "text/event-stream"))


class OpenAiResponses:
    """A :class:`daemon.wire.contract.Dialect`."""

    @property
    def name(self) -> DialectName:
        """See :class:`daemon.wire.contract.Dialect`."""
        return "openai-responses"

    def request(self, endpoint: EndpointFacts, ask: Ask) -> WireRequest:
        """Word an ask: model, input, streaming, limits; the endpoint's overrides come last.

        ``store`` is false, since the service would otherwise keep what is asked and answered; usage is sent
        without being asked for. Reasoning settings are overrides: ``reasoning.effort``, ``reasoning.summary``.
        """
        parameters: dict[str, Any] = {"model": endpoint.model, "stream": True, "store": False}
        if ask.max_output_tokens is not None:
            parameters["max_output_tokens"] = ask.max_output_tokens
        if ask.temperature is not None:
            parameters["temperature"] = ask.temperature
        if ask.top_p is not None:
            parameters["top_p"] = ask.top_p
        if ask.json_schema is not None:
            schema = {"type": "json_schema", "name": "answer", "strict": True, "schema": dict(ask.json_schema)}
            parameters["text"] = {"format": schema}
        parameters |= pinned_provider(endpoint)
        override_parameters(parameters, endpoint, ask, content="input")
        return WireRequest(
            url=below(endpoint.base_url, "/responses"),
            headers=request_headers(_HEADERS, endpoint),
            body=msgspec.json.encode({"model": parameters.get("model"), "input": [_message(ask)], **parameters}),
            parameters=parameters,
        )

    def authorise(self, key: str) -> tuple[tuple[str, str], ...]:
        """See :class:`daemon.wire.contract.Dialect`."""
        return (("authorization", f"Bearer {key}"),)

    def parser(self, content_type: str) -> StreamParser:
        """See :class:`daemon.wire.contract.Dialect`."""
        return SseStreamParser(ResponsesReader(), content_type)

    def failure(self, status: int, headers: Sequence[tuple[str, str]], body: bytes, now_wall_ns: int) -> Failure:
        """See :class:`daemon.wire.contract.Dialect`."""
        return failure_from_response(status, headers, body, now_wall_ns)


def _message(ask: Ask) -> dict[str, Any]:
    images = [{"type": "input_image", "image_url": image.data_url()} for image in ask.images]
    return {"role": "user", "content": [{"type": "input_text", "text": ask.text}, *images]}
