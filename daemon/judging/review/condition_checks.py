"""Whether a run's conditions name what the manifest has, and their parameters are hashed right."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NoReturn

from daemon.judging.review.javascript_json import javascript_sha256
from schemas.review.manifest import Manifest
from schemas.review.refusals import ReviewRefusedError
from schemas.review.run import Condition, Run


def check_conditions(run: Run, manifest: Manifest, *, file: str) -> None:
    """Refuse conditions with unknown or repeated names, or with another parametersSha256 than that of parameters."""
    seen: set[str] = set()
    for place, condition in enumerate(run.conditions):
        at = f"conditions[{place}]"
        if condition.condition_id in seen:
            raise ReviewRefusedError(
                "unknown-name",
                file=file,
                place=f"{at}.conditionId",
                problem=f"{condition.condition_id!r} is there twice, so it names no single condition",
                todo="give each condition an id of its own",
            )
        seen.add(condition.condition_id)
        _check_names(condition, manifest, file, at)
        expected = javascript_sha256(condition.parameters)
        if condition.parameters_sha256 != expected:
            raise ReviewRefusedError(
                "parameters-hash",
                file=file,
                place=f"{at}.parametersSha256",
                problem=f"JSON.stringify(parameters) has the hash {expected}",
                todo="write the parameters in the order in which they were hashed, or put their hash here",
            )


def _check_names(condition: Condition, manifest: Manifest, file: str, at: str) -> None:
    for field, values, known in _names(condition, manifest):
        for value in values:
            if value not in known:
                _unknown(file, f"{at}.{field}", f"the manifest has no {value!r}")
        if len(set(values)) != len(values):
            _unknown(file, f"{at}.{field}", "one is named twice")


def _names(
    condition: Condition, manifest: Manifest
) -> Iterator[tuple[str, tuple[str | int, ...], Collection[str | int]]]:
    yield "candidateId", (condition.candidate_id,), frozenset(each.candidate_id for each in manifest.candidates)
    yield "cohortId", (condition.cohort_id,), frozenset(each.cohort_id for each in manifest.cohorts)
    yield "strategyId", (condition.strategy_id,), frozenset(manifest.strategies)
    yield "sourceIds", condition.source_ids, frozenset(each.source_id for each in manifest.sources)
    yield "repetitions", condition.repetitions, frozenset(manifest.repetitions)


def _unknown(file: str, place: str, problem: str) -> NoReturn:
    raise ReviewRefusedError(
        "unknown-name",
        file=file,
        place=place,
        problem=problem,
        todo="take the ids from the manifest, each once, or prepare an experiment that has it",
    )
