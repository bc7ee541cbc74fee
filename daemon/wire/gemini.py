"""The ``gemini`` dialect: Google's ``streamGenerateContent``, as server-sent events or as one JSON array.

Words requests; reading responses is :mod:`daemon.wire.gemini_chunks`. ``base_url`` may end with a version
(``https://generativelanguage.googleapis.com/v1beta``) or leave it out; then ``/v1beta`` is put in. Server-sent
events are asked for, unless the base URL's query already says ``alt``. Nothing here touches a socket.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit, urlunsplit

import msgspec

from daemon.wire.addresses import below_version
from daemon.wire.contract import Ask, StreamParser, WireRequest
from daemon.wire.gemini_chunks import GeminiReader
from daemon.wire.gemini_failures import gemini_failure
from daemon.wire.parameters import override_parameters, request_headers
from daemon.wire.streaming import SseStreamParser
from schemas.catalogue import DialectName, EndpointFacts
from schemas.errors import ConfigurationError
from schemas.events.attempts import Failure

_HEADERS = (("content-type", "application/json"),)
_COLLECTIONS = ("models/", "tunedModels/")


class Gemini:
    """A :class:`daemon.wire.contract.Dialect`."""

    @property
    def name(self) -> DialectName:
        """See :class:`daemon.wire.contract.Dialect`."""
        return "gemini"

    def request(self, endpoint: EndpointFacts, ask: Ask) -> WireRequest:
        """Word an ask: contents and a ``generationConfig``; the endpoint's overrides come last.

        Their names lead into the object: ``generationConfig.thinkingConfig.includeThoughts``. Usage is sent
        without being asked for. A schema goes as ``responseJsonSchema``, because ``responseSchema`` is another
        language and refuses ordinary schemas. Raises :class:`ConfigurationError` when a provider is pinned.
        """
        if endpoint.pinned_provider is not None:
            raise ConfigurationError(f'endpoint "{endpoint.name}": the dialect "gemini" cannot pin a provider')
        generation: dict[str, Any] = {}
        if ask.max_output_tokens is not None:
            generation["maxOutputTokens"] = ask.max_output_tokens
        if ask.temperature is not None:
            generation["temperature"] = ask.temperature
        if ask.top_p is not None:
            generation["topP"] = ask.top_p
        if ask.json_schema is not None:
            generation["responseMimeType"] = "application/json"
            generation["responseJsonSchema"] = dict(ask.json_schema)
        parameters: dict[str, Any] = {"generationConfig": generation}
        override_parameters(parameters, endpoint, ask, content="contents")
        return WireRequest(
            url=_stream_url(endpoint),
            headers=request_headers(_HEADERS, endpoint),
            body=msgspec.json.encode({"contents": [_content(ask)], **parameters}),
            parameters=parameters,
        )

    def authorise(self, key: str) -> tuple[tuple[str, str], ...]:
        """See :class:`daemon.wire.contract.Dialect`."""
        return (("x-goog-api-key", key),)

    def parser(self, content_type: str) -> StreamParser:
        """See :class:`daemon.wire.contract.Dialect`."""
        return SseStreamParser(GeminiReader(), content_type, arrays=True, marked=False)

    def failure(self, status: int, headers: Sequence[tuple[str, str]], body: bytes, now_wall_ns: int) -> Failure:
        """See :class:`daemon.wire.contract.Dialect`."""
        return gemini_failure(status, headers, body, now_wall_ns)


def _stream_url(endpoint: EndpointFacts) -> str:
    collection = "" if endpoint.model.startswith(_COLLECTIONS) else "models/"
    path = f"/{collection}{quote(endpoint.model)}:streamGenerateContent"
    parts = urlsplit(below_version(endpoint.base_url, "v1beta", path))
    if "alt" in parse_qs(parts.query):
        return urlunsplit(parts)
    return urlunsplit(parts._replace(query="&".join(part for part in (parts.query, "alt=sse") if part)))


def _content(ask: Ask) -> dict[str, Any]:
    images = [{"inlineData": {"mimeType": image.media_type, "data": image.base64()}} for image in ask.images]
    return {"role": "user", "parts": [{"text": ask.text}, *images]}
