"""What an endpoint's configuration changes of a request, the same way in every dialect: parameters and headers.

Which parameters a dialect sends by itself, and which header carries its key, is that dialect's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from daemon.wire.contract import Ask
from schemas.catalogue import EndpointFacts

OUTPUT_LIMIT = "$max_output_tokens"
"""As the value of an override: the workload's own output limit, under the override's name.

A server that knows the limit by another name is told so with two overrides: ``max_tokens`` with ``"$none"``,
and its own name with ``"$max_output_tokens"``.
"""

NOTHING = "$none"
"""As the value of an override: leave the parameter out, as null does; TOML has no null."""


def override_parameters(parameters: dict[str, Any], endpoint: EndpointFacts, ask: Ask, *, content: str) -> None:
    """Apply an endpoint's overrides, in their order; they come last and may change everything but ``content``.

    A name with dots reaches into objects: ``generationConfig.temperature``. Objects on the way are made where
    there is none. Null or ``"$none"`` removes the parameter, and ``"$max_output_tokens"`` stands for the ask's
    output limit.
    """
    for override in endpoint.overrides:
        *way, name = override.name.split(".")
        if [*way, name][0] == content:
            continue
        value = ask.max_output_tokens if override.value == OUTPUT_LIMIT else override.value
        if value is None or value == NOTHING:
            _remove(parameters, way, name)
        else:
            _descend(parameters, way)[name] = value


def pinned_provider(endpoint: EndpointFacts) -> dict[str, Any]:
    """Routing of OpenRouter: this provider and no other; empty where none is pinned."""
    if endpoint.pinned_provider is None:
        return {}
    return {"provider": {"only": [endpoint.pinned_provider], "allow_fallbacks": False}}


def request_headers(own: Sequence[tuple[str, str]], endpoint: EndpointFacts) -> tuple[tuple[str, str], ...]:
    """Return a dialect's own headers with the endpoint's: an equal name replaces, another one is added."""
    headers = () if endpoint.headers is msgspec.UNSET else endpoint.headers
    given = {header.name.lower(): header.value for header in headers}
    kept = tuple((name, given.pop(name, value)) for name, value in own)
    return (*kept, *given.items())


def key_headers(own: Sequence[tuple[str, str]], key: str, endpoint: EndpointFacts) -> tuple[tuple[str, str], ...]:
    """Return the headers that carry a key: a dialect's own, or the one that the endpoint names, with the bare key."""
    return tuple(own) if endpoint.key_header is msgspec.UNSET else ((endpoint.key_header.lower(), key),)


def _descend(parameters: dict[str, Any], way: Sequence[str]) -> dict[str, Any]:
    """Return the object at the end of the way. Objects on it are copied: they may belong to the ask."""
    for step in way:
        inner = parameters.get(step)
        parameters[step] = dict(inner) if isinstance(inner, dict) else {}
        parameters = parameters[step]
    return parameters


def _remove(parameters: dict[str, Any], way: Sequence[str], name: str) -> None:
    node: object = parameters
    for step in way:
        node = node.get(step) if isinstance(node, dict) else None
    if isinstance(node, dict) and name in node:
        del _descend(parameters, way)[name]
