"""From pairs of one endpoint's accounts over a window to evidence and a verdict. Pure: no log, no clock.

The unit is the run. Requests of one run share its moment and its load, so ten parallel ones are not ten
observations: a run enters each metric with one value, the median log-ratio of its pairs, or the sign of the
difference between its failures. Ratios are the other account's value over the primary account's: above one, the
other account waits longer; in output speed, below one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Final, Literal, TypeVar
from uuid import UUID

import msgspec

from daemon.integrity.parameters import IntegrityParameters
from daemon.integrity.statistics import corrected_in_families, hodges_lehmann, log_ratio, mcnemar, signed_rank
from schemas.events.integrity import AccountEvidence

Metric = Literal[
    "ttft",
    "ttfat",
    "output-speed",
    "end-to-end",
    "answer-length",
    "error-share",
    "rate-limited-share",
]
Verdict = Literal["material", "not-material", "unknown"]

ALL_WORKLOADS: Final = "all"
"""Stands for a workload's name where the pairs of all workloads were compared together."""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One request of one account. What is unknown, or not valid for its metric, is null.

    ``output_speed`` is in tokens per second, ``answer_tokens`` counts the received answer.
    """

    outcome: Literal["answered", "failed", "rate-limited"]
    ttft_ns: int | None = None
    ttfat_ns: int | None = None
    output_speed: float | None = None
    end_to_end_ns: int | None = None
    answer_tokens: int | None = None


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """The same payload from both accounts at the same moment: same run, same ordinal.

    ``at_ns`` orders the runs in time; any time of the run will do.
    """

    run: UUID
    ordinal: int
    at_ns: int
    primary: Measured
    other: Measured


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """One metric of two accounts over a window, before the correction.

    runs, pairs: how many had the metric from both accounts.
    ratio: median of the runs' ratios; of a share, the quotient of the shares of requests that did not so end.
        Null when there is none, or when one of those shares is zero.
    location, low, high: Hodges-Lehmann ratio and its confidence interval; null for shares.
    primary, other: of a share, each account's share; else null.
    passes_threshold: whether the ratio passes the practical threshold; null when nothing is known.
    lasts: whether it does so, in the same direction, in each part of the window; null when a part has no run.
    p_value: null when there were too few runs to test.
    """

    metric: Metric
    runs: int
    pairs: int
    ratio: float | None = None
    location: float | None = None
    low: float | None = None
    high: float | None = None
    primary: float | None = None
    other: float | None = None
    passes_threshold: bool | None = None
    lasts: bool | None = None
    p_value: float | None = None


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison with its corrected p-value and what follows from both."""

    compared: Compared
    corrected_p_value: float | None
    verdict: Verdict

    def evidence(self) -> AccountEvidence:
        """Return what an event states of it."""
        return AccountEvidence(
            metric=self.compared.metric,
            pairs=self.compared.pairs,
            ratio=self.compared.ratio,
            p_value=self.compared.p_value,
            corrected_p_value=self.corrected_p_value,
        )


_T = TypeVar("_T")

_QUANTITIES: Final[dict[Metric, Callable[[Measured], float | None]]] = {
    "ttft": lambda m: m.ttft_ns,
    "ttfat": lambda m: m.ttfat_ns,
    "output-speed": lambda m: m.output_speed,
    "end-to-end": lambda m: m.end_to_end_ns,
    "answer-length": lambda m: m.answer_tokens,
}
_SHARES: Final[dict[Metric, Literal["failed", "rate-limited"]]] = {
    "error-share": "failed",
    "rate-limited-share": "rate-limited",
}


def compare(pairs: Iterable[Pair], parameters: IntegrityParameters) -> tuple[Compared, ...]:
    """Compare every metric over pairs of one endpoint and window, in a fixed order of metrics."""
    runs: defaultdict[UUID, list[Pair]] = defaultdict(list)
    for pair in sorted(pairs, key=lambda p: (p.at_ns, p.ordinal)):
        runs[pair.run].append(pair)
    by_run = list(runs.values())
    return (
        *(_quantity(metric, value, by_run, parameters) for metric, value in _QUANTITIES.items()),
        *(_share(metric, outcome, by_run, parameters) for metric, outcome in _SHARES.items()),
    )


def compare_workloads(
    pairs: Mapping[str, Sequence[Pair]], parameters: IntegrityParameters
) -> dict[str, tuple[Compared, ...]]:
    """Compare each workload of one endpoint over one window, and all of them together as ``ALL_WORKLOADS``.

    Ratios of different workloads may be pooled because each pair is its own control. Together they show within
    three days what each alone is too short for.
    """
    each = {workload: compare(own, parameters) for workload, own in pairs.items()}
    if len(pairs) > 1:
        each[ALL_WORKLOADS] = compare([pair for own in pairs.values() for pair in own], parameters)
    return each


def judge(endpoints: Sequence[Sequence[Compared]], parameters: IntegrityParameters) -> tuple[tuple[Judged, ...], ...]:
    """Correct and judge all comparisons of one look, in the order given.

    endpoints: for each endpoint everything compared at it, over accounts, workloads, metrics and windows. An
        endpoint whose case stands is left out, since findings already made must not make others easier.

    The correction is over all that was tested, within each endpoint and over the endpoints
    (``corrected_in_families``); what was not tested stays unknown.
    """
    corrected = corrected_in_families([[c.p_value for c in own if c.p_value is not None] for own in endpoints])
    judged = []
    for own, own_corrected in zip(endpoints, corrected, strict=True):
        remaining = iter(own_corrected)
        judged.append(
            tuple(judge_one(c, None if c.p_value is None else next(remaining), parameters) for c in own),
        )
    return tuple(judged)


def judge_one(compared: Compared, corrected_p_value: float | None, parameters: IntegrityParameters) -> Judged:
    """Judge one comparison whose correction is known.

    Material needs all of these: enough runs, a corrected p-value of at most the level, and a ratio that passes
    the practical threshold, over the whole window and in each of its parts.
    """
    verdict: Verdict
    if corrected_p_value is None or compared.lasts is None:
        verdict = "unknown"
    elif corrected_p_value <= parameters.level and compared.passes_threshold and compared.lasts:
        verdict = "material"
    else:
        verdict = "not-material"
    return Judged(compared=compared, corrected_p_value=corrected_p_value, verdict=verdict)


def _quantity(
    metric: Metric,
    value: Callable[[Measured], float | None],
    by_run: Sequence[Sequence[Pair]],
    parameters: IntegrityParameters,
) -> Compared:
    counted, differences = 0, []
    for pairs in by_run:
        ratios = []
        for pair in pairs:
            primary, other = value(pair.primary), value(pair.other)
            # an answer of no tokens, or a time of nothing, has no ratio
            if primary and other:
                ratios.append(log_ratio(other, primary))
        if ratios:
            counted += len(ratios)
            differences.append(median(ratios))
    if not differences:
        return Compared(metric=metric, runs=0, pairs=0)
    threshold = math.log1p(parameters.practical_threshold)

    def direction(part: Sequence[float]) -> int:
        middle = median(part)
        return (middle >= threshold) - (middle <= -threshold)

    location = hodges_lehmann(differences, parameters.confidence).as_ratio()
    middle = median(differences)
    return Compared(
        metric=metric,
        runs=len(differences),
        pairs=counted,
        ratio=math.exp(middle),
        location=location.value,
        low=location.low,
        high=location.high,
        passes_threshold=direction(differences) != 0,
        lasts=_lasts(differences, direction, parameters.parts),
        p_value=signed_rank(differences).p_value if len(differences) >= parameters.min_runs else None,
    )


def _share(
    metric: Metric,
    outcome: Literal["failed", "rate-limited"],
    by_run: Sequence[Sequence[Pair]],
    parameters: IntegrityParameters,
) -> Compared:
    counted = sum(len(pairs) for pairs in by_run)
    if not counted:
        return Compared(metric=metric, runs=0, pairs=0)
    per_run = [
        (sum(p.primary.outcome == outcome for p in pairs), sum(p.other.outcome == outcome for p in pairs))
        for pairs in by_run
    ]
    primary = sum(p for p, _ in per_run)
    other = sum(o for _, o in per_run)
    sizes = [len(pairs) for pairs in by_run]

    def direction(part: Sequence[tuple[int, tuple[int, int]]]) -> int:
        # of 1 % and 2 % failed the quotient is two and nobody minds; what a developer notices is what is left
        size = sum(size for size, _ in part)
        ours, theirs = size - sum(p for _, (p, _) in part), size - sum(o for _, (_, o) in part)
        factor = 1 + parameters.practical_threshold
        return (theirs > ours and theirs >= factor * ours) - (ours > theirs and ours >= factor * theirs)

    sized = list(zip(sizes, per_run, strict=True))
    spared, others = counted - primary, counted - other
    p_value = mcnemar(sum(p > o for p, o in per_run), sum(o > p for p, o in per_run))
    return Compared(
        metric=metric,
        runs=len(by_run),
        pairs=counted,
        ratio=others / spared if spared and others else None,
        primary=primary / counted,
        other=other / counted,
        passes_threshold=direction(sized) != 0,
        lasts=_lasts(sized, direction, parameters.parts),
        p_value=p_value if len(by_run) >= parameters.min_runs else None,
    )


def _lasts(values: Sequence[_T], direction: Callable[[Sequence[_T]], int], parts: int) -> bool | None:
    """Whether every part, of as equal sizes as can be, has the same direction and has one."""
    if len(values) < parts:
        return None
    bounds = [len(values) * part // parts for part in range(parts + 1)]
    directions = {direction(values[start:end]) for start, end in pairwise(bounds)}
    return len(directions) == 1 and 0 not in directions
