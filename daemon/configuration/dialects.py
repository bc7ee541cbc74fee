"""What a dialect's service refuses although each field is right: rules between an endpoint's dialect and the rest.

Pure, and only what is certain: a request that the service always refuses measures nothing, every three hours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from daemon.configuration.facts import endpoint_facts
from daemon.configuration.problems import Problems
from daemon.configuration.reading import Row
from daemon.runs.planning import REASONING_ALLOWANCE_TOKENS, output_limit_tokens
from daemon.wire.parameters import NOTHING
from daemon.workloads.contract import Workload
from schemas.catalogue import ParameterOverride
from schemas.configuration import EndpointTable, PlanTable

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

_ANY_REQUEST: Final = "every request"

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


def check_thinking_budget(
    row: Row[EndpointTable], plans: Sequence[Row[PlanTable]], workloads: Mapping[str, Workload], problems: Problems
) -> None:
    """Note a thinking budget that is not below the limit which a plan's workload, or an override, sends with it.

    Anthropic counts thinking as output, and refuses a request whose ``max_tokens`` leaves nothing for an answer.
    """
    if not row.ok("dialect", "override", "reasoning", "enabled", "name") or not row.value.enabled:
        return
    if row.value.dialect != "anthropic-messages":
        return
    budget, limits = _thinking_budget(row.value.override), _limits_sent(row.value, plans, workloads)
    if budget is None:
        return
    for what, limit in limits.items():
        if budget >= limit:
            problems.add(
                row.place,
                "override",
                f'the service wants "max_tokens" greater than the budget of "thinking", and {what} is sent with '
                f"max_tokens = {limit} <= budget_tokens = {budget}; lower the budget, or "
                + (
                    'raise the override of "max_tokens"'
                    if what == _ANY_REQUEST
                    else f'set reasoning = "shown" or "hidden", which adds {REASONING_ALLOWANCE_TOKENS} tokens'
                    if row.value.reasoning not in {"shown", "hidden"}
                    else 'override "max_tokens" with more'
                ),
            )
            return


def _thinking_budget(overrides: Sequence[ParameterOverride]) -> int | None:
    """Tokens that overrides let the model think, whether as an object or with dots; None where none are said."""
    parameters: dict[str, Any] = {}
    for override in overrides:
        if override.name == "thinking" and isinstance(override.value, dict):
            parameters |= override.value
        elif override.name.startswith("thinking."):
            parameters[override.name.removeprefix("thinking.")] = override.value
    budget = parameters.get("budget_tokens")
    enabled = parameters.get("type") == "enabled"
    return budget if enabled and isinstance(budget, int) else None


def _limits_sent(
    endpoint: EndpointTable, plans: Sequence[Row[PlanTable]], workloads: Mapping[str, Workload]
) -> dict[str, int]:
    """Return the limits that requests are sent with, by what is sent; the smallest first."""
    override = next((each for each in endpoint.override if each.name == "max_tokens"), None)
    if override is not None and isinstance(override.value, int):
        return {_ANY_REQUEST: override.value}
    facts = endpoint_facts(endpoint)
    asked = {
        row.value.workload: output_limit_tokens(facts, workloads[row.value.workload].max_output_tokens)
        for row in plans
        if row.ok("workload", "enabled", "endpoints")
        and row.value.enabled
        and row.value.workload in workloads
        and (not row.value.endpoints or endpoint.name in row.value.endpoints)
    }
    return {f'"{name}"': limit for name, limit in sorted(asked.items(), key=lambda each: each[1])}


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
