"""What a person plans to measure, and the condition that is declared of it before anything is sent. Pure.

Parameters are those that the endpoint's dialect puts beside the text, the asking for usage left out; a plan's own
come last. The seed of the order is drawn once and kept by the record.
"""

from __future__ import annotations

import platform
from collections.abc import Collection, Iterator, Mapping
from importlib.metadata import version
from typing import Annotated, Any, Final

import msgspec

from daemon.judging.review.javascript_json import javascript_sha256
from daemon.runs.planning import Order, ask_for
from daemon.wire.contract import Ask
from daemon.wire.registry import dialect
from schemas.catalogue import EndpointFacts, ParameterOverride
from schemas.errors import ConfigurationError
from schemas.review.kinds import CacheMode, Name, Number, Ordering, StrategyId, WireStruct
from schemas.review.manifest import Manifest
from schemas.review.run import Condition, ExecutionSettings, RetryPolicy
from schemas.review.sources import Text

REVIEW_LIMIT_TOKENS: Final = 8_000
"""Output limit of a request, the same for all models so that their settings are comparable."""

_REASONING: Final = ("reasoning", "reasoning_effort", "thinking", "thinkingConfig")
"""Parameters that hold a reasoning setting, in one dialect or another."""


_TEXT: Final = frozenset({"messages", "input", "contents"})
"""Where the dialects have what is asked: no parameter."""


class ConditionPlan(WireStruct, frozen=True, kw_only=True):
    """One condition to be measured, as its file says it.

    sourceIds, repetitions: null for all of the manifest. endpoint: null for that of the command. effectiveModelId:
    the model that must answer; null for whichever answers first. parameters: in addition to the endpoint's, by name.
    maximumAttempts: at one request. orderSeed: null for a fresh one.
    """

    condition_id: Name
    candidate_id: Name
    cohort_id: Name
    strategy_id: StrategyId
    source_ids: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1)] | None = None
    repetitions: Annotated[tuple[Number, ...], msgspec.Meta(min_length=1)] | None = None
    endpoint: Text | None = None
    effective_model_id: Text | None = None
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    max_output_tokens: Number = REVIEW_LIMIT_TOKENS
    maximum_attempts: Number = 2
    cache_mode: CacheMode = "cold"
    ordering: Ordering = "randomized"
    order_seed: Text | None = None


def planned_endpoint(plan: ConditionPlan, endpoint: EndpointFacts) -> EndpointFacts:
    """Return the endpoint as the plan asks it: its own overrides, then the plan's parameters."""
    own = tuple(
        ParameterOverride(name=name, value=value, source=f"condition {plan.condition_id}")
        for name, value in plan.parameters.items()
    )
    return msgspec.structs.replace(endpoint, overrides=(*endpoint.overrides, *own))


def planned_ask(plan: ConditionPlan, order: Order) -> Ask:
    """Word a request by the methodology's parameters, with the plan's output limit."""
    return msgspec.structs.replace(ask_for(order), max_output_tokens=plan.max_output_tokens)


def declared(plan: ConditionPlan, manifest: Manifest, order: Order, order_seed: str) -> Condition:
    """Declare a plan as a condition. order: any one of its requests, to the endpoint as planned.

    The effective model is the plan's, or for now the one that is asked for. Raises
    :class:`schemas.errors.ConfigurationError` for a name that the manifest does not have, and for parameters that
    name another model or the text.
    """
    sources = plan.source_ids or tuple(source.source_id for source in manifest.sources)
    repetitions = plan.repetitions or manifest.repetitions
    for field, values, known in _names(plan, manifest, sources, repetitions):
        unknown = [str(value) for value in values if value not in known]
        if unknown:
            raise ConfigurationError(
                f"condition {plan.condition_id}, {field}: the manifest has no {', '.join(unknown)}; it has "
                f"{', '.join(map(str, known))}"
            )
        if len(set(values)) != len(values):
            raise ConfigurationError(f"condition {plan.condition_id}, {field}: one is named twice; name each once")
    endpoint = order.endpoint
    ask = msgspec.structs.replace(planned_ask(plan, order), ask_usage=False)
    parameters = dict(dialect(endpoint.dialect).request(endpoint, ask).parameters)
    _check_parameters(plan, parameters, endpoint)
    return Condition(
        condition_id=plan.condition_id,
        candidate_id=plan.candidate_id,
        cohort_id=plan.cohort_id,
        strategy_id=plan.strategy_id,
        source_ids=sources,
        repetitions=repetitions,
        provider=endpoint.provider,
        requested_model_id=endpoint.model,
        effective_model_id=plan.effective_model_id or endpoint.model,
        parameters=parameters,
        parameters_sha256=javascript_sha256(parameters),
        execution_settings=ExecutionSettings(
            adapter_version=f"messwerk {version('messwerk')}",
            runtime_version=f"Python {platform.python_version()}",
            reasoning=_reasoning(parameters),
            max_output_tokens=plan.max_output_tokens,
            concurrency=1,
            retry_policy=RetryPolicy(maximum_attempts=plan.maximum_attempts),
            cache_mode=plan.cache_mode,
            ordering=plan.ordering,
            order_seed=order_seed,
            provider_batch=False,
        ),
    )


def _check_parameters(plan: ConditionPlan, parameters: Mapping[str, Any], endpoint: EndpointFacts) -> None:
    for name in plan.parameters:
        if name.partition(".")[0] in _TEXT:
            raise ConfigurationError(
                f"condition {plan.condition_id}, parameters, {name}: the text is the frozen prompt; leave it out"
            )
    model = parameters.get("model", endpoint.model)
    if model != endpoint.model:
        raise ConfigurationError(
            f"condition {plan.condition_id} asks for the model {model!r}, and its endpoint is for "
            f"{endpoint.model!r}; give each model an endpoint of its own, and a condition"
        )


def _reasoning(parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what was set of reasoning; None where nothing is sent about it."""
    inner = parameters.get("generationConfig")
    every = {**parameters, **(inner if isinstance(inner, Mapping) else {})}
    return {name: every[name] for name in _REASONING if name in every} or None


def _names(
    plan: ConditionPlan, manifest: Manifest, sources: tuple[str, ...], repetitions: tuple[int, ...]
) -> Iterator[tuple[str, tuple[str | int, ...], Collection[str | int]]]:
    yield "candidateId", (plan.candidate_id,), [each.candidate_id for each in manifest.candidates]
    yield "cohortId", (plan.cohort_id,), [each.cohort_id for each in manifest.cohorts]
    yield "strategyId", (plan.strategy_id,), manifest.strategies
    yield "sourceIds", sources, [each.source_id for each in manifest.sources]
    yield "repetitions", repetitions, manifest.repetitions
