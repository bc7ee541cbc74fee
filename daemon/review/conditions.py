"""A condition of a run file as an event says it, and back. Pure."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from daemon.judging.review.javascript_json import javascript_json, read_json
from daemon.judging.review.reading import convert
from schemas.events.review import ReviewCondition, ReviewSettings, ReviewSource
from schemas.review.manifest import Manifest
from schemas.review.run import Condition, ExecutionSettings, RetryPolicy

T = TypeVar("T")


def recorded_condition(condition: Condition, manifest: Manifest) -> ReviewCondition:
    """Say a condition as an event, with what the manifest knows of its sources and scope."""
    sources = {source.source_id: source for source in manifest.sources}
    rule_ids = next(each.rule_ids for each in manifest.cohorts if each.cohort_id == condition.cohort_id)
    settings = condition.execution_settings
    return ReviewCondition(
        condition=condition.condition_id,
        candidate=condition.candidate_id,
        cohort=condition.cohort_id,
        rule_ids=rule_ids,
        strategy="bundled" if condition.strategy_id == "bundled" else "single",
        sources=tuple(
            ReviewSource(id=name, language=sources[name].language, sha256=sources[name].source_sha256)
            for name in condition.source_ids
        ),
        repetitions=condition.repetitions,
        provider=condition.provider,
        requested_model=condition.requested_model_id,
        effective_model=condition.effective_model_id,
        parameters_json=javascript_json(condition.parameters),
        parameters_sha256=condition.parameters_sha256,
        settings=ReviewSettings(
            adapter_version=settings.adapter_version,
            runtime_version=settings.runtime_version,
            reasoning_json=javascript_json(settings.reasoning),
            max_output_tokens=settings.max_output_tokens,
            concurrency=settings.concurrency,
            maximum_attempts=settings.retry_policy.maximum_attempts,
            cache_mode=settings.cache_mode,
            ordering=settings.ordering,
            order_seed=settings.order_seed,
            provider_batch=settings.provider_batch,
        ),
    )


def condition_of(recorded: ReviewCondition) -> Condition:
    """Return the condition as the run file has it."""
    settings = recorded.settings
    return Condition(
        condition_id=recorded.condition,
        candidate_id=recorded.candidate,
        cohort_id=recorded.cohort,
        strategy_id=recorded.strategy,
        source_ids=tuple(source.id for source in recorded.sources),
        repetitions=recorded.repetitions,
        provider=recorded.provider,
        requested_model_id=recorded.requested_model,
        effective_model_id=recorded.effective_model,
        parameters=convert(read_json(recorded.parameters_json), dict),
        parameters_sha256=recorded.parameters_sha256,
        execution_settings=ExecutionSettings(
            adapter_version=settings.adapter_version,
            runtime_version=settings.runtime_version,
            reasoning=convert(read_json(settings.reasoning_json), object),
            max_output_tokens=settings.max_output_tokens,
            concurrency=settings.concurrency,
            retry_policy=RetryPolicy(maximum_attempts=settings.maximum_attempts),
            cache_mode=settings.cache_mode,
            ordering=settings.ordering,
            order_seed=settings.order_seed,
            provider_batch=settings.provider_batch,
        ),
    )


def difference(now: Condition, then: Condition) -> str | None:
    """Tell in what a condition differs from what was declared under its name; None where it does not.

    Sources and repetitions have no order.
    """
    for field in msgspec.structs.fields(Condition):
        new, old = getattr(now, field.name), getattr(then, field.name)
        same = sorted(new) == sorted(old) if isinstance(new, tuple) else new == old
        if not same:
            return f"another {field.encode_name} ({old!r}, now {new!r}); what was declared is never changed"
    return None


def alike(value: msgspec.Struct, kind: type[T]) -> T:
    """Return what has the same fields in another type: what files and events call alike."""
    return msgspec.convert(value, kind, from_attributes=True)
