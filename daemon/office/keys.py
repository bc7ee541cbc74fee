"""The key of the cache: equal keys are equal asks, whenever and by whichever build they were made. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec

from daemon.office.units import Unit
from daemon.runs.planning import output_limit_tokens
from daemon.wire.contract import Ask
from daemon.wire.registry import dialect
from schemas.catalogue import EndpointFacts
from schemas.events.office import AskKind

TEMPERATURE = 0.0


def ask_of(unit: Unit, endpoint: EndpointFacts, *, schema: bool, ask_usage: bool = False) -> Ask:
    """Word a unit for the dialects: temperature 0 for every model, the schema where it is to be sent."""
    return Ask(
        text=unit.prompt.text,
        images=unit.prompt.images,
        max_output_tokens=output_limit_tokens(endpoint, unit.prompt.facts.max_output_tokens),
        temperature=TEMPERATURE,
        ask_usage=ask_usage,
        json_schema=unit.schema if schema else None,
    )


def cache_key(unit: Unit, endpoint: EndpointFacts, kind: AskKind, *, schema: bool, repetition: int = 1) -> str:
    """Hash everything that an answer depends on.

    Parameters are those of the request as the endpoint's dialect and overrides make it, so that one that is left out
    differs from one with a value. Not part of it: the address, credentials, and whether usage was asked for.
    Raises :class:`schemas.errors.ConfigurationError` where the dialect cannot word the endpoint's request.
    """
    return key_of(
        unit, endpoint, kind, parameters_of(unit, endpoint, schema=schema), schema=schema, repetition=repetition
    )


def parameters_of(unit: Unit, endpoint: EndpointFacts, *, schema: bool) -> Mapping[str, Any]:
    """Return the parameters that a request has; they do not depend on what stands in the document."""
    bare = msgspec.structs.replace(ask_of(unit, endpoint, schema=schema), text="", images=())
    return dialect(endpoint.dialect).request(endpoint, bare).parameters


def key_of(
    unit: Unit,
    endpoint: EndpointFacts,
    kind: AskKind,
    parameters: Mapping[str, Any],
    *,
    schema: bool,
    repetition: int = 1,
) -> str:
    """Hash an ask whose parameters are known."""
    asked = unit.asked
    covered = {
        "work": asked.work,
        "language": asked.language,
        "document": asked.id,
        "document_sha256": asked.sha256,
        "data_set": asked.data_set,
        "prompt": unit.prompt_name,
        "prompt_version": unit.prompt_version,
        "prompt_sha256": unit.prompt_sha256,
        "dialect": endpoint.dialect,
        "model": endpoint.model,
        "provider": endpoint.provider,
        "pinned_provider": endpoint.pinned_provider,
        "parameters": parameters,
        "schema_sha256": unit.schema_sha256 if schema else None,
        "kind": kind,
        "repetition": repetition,
    }
    return sha256(msgspec.json.encode(covered, order="deterministic")).hexdigest()
