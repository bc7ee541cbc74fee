"""What a dialect's service refuses although each field is right: rules between an endpoint's dialect and the rest.

Pure, and only what is certain: a request that the service always refuses measures nothing, every three hours.
"""

from __future__ import annotations

from typing import Final

from daemon.configuration.problems import Problems
from daemon.configuration.reading import Row
from daemon.wire.parameters import NOTHING
from schemas.catalogue import ParameterOverride
from schemas.configuration import EndpointTable

_GENERATION_PARAMETERS: Final = frozenset(
    {
        "candidateCount",
        "frequencyPenalty",
        "maxOutputTokens",
        "mediaResolution",
        "presencePenalty",
        "responseJsonSchema",
        "responseMimeType",
        "responseModalities",
        "responseSchema",
        "seed",
        "stopSequences",
        "temperature",
        "thinkingConfig",
        "topK",
        "topP",
    }
)
"""Fields of Gemini's ``generationConfig``: where they stand alone, the service knows no such name."""

_OTHER_DIALECTS: Final = {"max_tokens": "maxOutputTokens", "max_output_tokens": "maxOutputTokens", "top_p": "topP"}


def check_dialect_settings(row: Row[EndpointTable], problems: Problems) -> None:
    """Note settings that cannot go together with the endpoint's dialect."""
    if not row.ok("dialect"):
        return
    match row.value.dialect:
        case "anthropic-messages":
            _check_thinking(row, problems)
        case "gemini":
            _check_generation_parameters(row, problems)
            if row.ok("pinned_provider") and row.value.pinned_provider is not None:
                problems.add(
                    row.place,
                    "pinned_provider",
                    'the dialect "gemini" cannot name a provider; remove it, or use a router in one of its dialects',
                )
        case _:
            pass


def _check_thinking(row: Row[EndpointTable], problems: Problems) -> None:
    """Anthropic refuses a temperature other than 1 while a model thinks, and 0.6 or 0 would be sent."""
    if not row.ok("override"):
        return
    overrides = {override.name: override for override in row.value.override}
    thinking = overrides.get("thinking")
    if thinking is None or not isinstance(thinking.value, dict) or thinking.value.get("type") == "disabled":
        return
    temperature = overrides.get("temperature")
    if temperature is None or temperature.value not in (1, NOTHING):
        problems.add(
            row.place,
            "override",
            'with "thinking" the service refuses any temperature but 1; add an [[endpoint.override]] with '
            f'name = "temperature", value = "{NOTHING}" and a source',
        )


def _check_generation_parameters(row: Row[EndpointTable], problems: Problems) -> None:
    if not row.ok("override"):
        return
    for position, override in enumerate(row.value.override, 1):
        inner = _generation_parameter(override)
        if inner is not None:
            problems.add(
                row.place.nested("override", position),
                "name",
                f'the dialect "gemini" has no parameter "{override.name}" there; write "generationConfig.{inner}"',
            )


def _generation_parameter(override: ParameterOverride) -> str | None:
    first, *rest = override.name.split(".")
    if first in _OTHER_DIALECTS and not rest:
        return _OTHER_DIALECTS[first]
    return override.name if first in _GENERATION_PARAMETERS else None
