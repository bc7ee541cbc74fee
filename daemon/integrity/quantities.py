"""Metrics that are amounts: paired ratios, one a run, under the signed-rank test. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import median
from typing import Final

from daemon.integrity.compared import Compared, lasts
from daemon.integrity.pairs import Measured, Metric, Pair
from daemon.integrity.parameters import IntegrityParameters
from daemon.integrity.statistics import hodges_lehmann, log_ratio, signed_rank

QUANTITIES: Final[dict[Metric, Callable[[Measured], float | None]]] = {
    "ttft": lambda m: m.ttft_ns,
    "ttfat": lambda m: m.ttfat_ns,
    "output-speed": lambda m: m.output_speed,
    "end-to-end": lambda m: m.end_to_end_ns,
    "answer-length": lambda m: m.answer_tokens,
}


def compare_quantity(metric: Metric, by_run: Sequence[Sequence[Pair]], parameters: IntegrityParameters) -> Compared:
    """Compare one amount over the pairs of runs that are in order of time."""
    counted, differences = 0, []
    for pairs in by_run:
        ratios = log_ratios(QUANTITIES[metric], pairs)
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
    return Compared(
        metric=metric,
        runs=len(differences),
        pairs=counted,
        ratio=math.exp(median(differences)),
        location=location.value,
        low=location.low,
        high=location.high,
        passes_threshold=direction(differences) != 0,
        lasts=lasts(differences, direction, parameters.parts),
        p_value=signed_rank(differences).p_value if len(differences) >= parameters.min_runs else None,
    )


def log_ratios(value: Callable[[Measured], float | None], pairs: Sequence[Pair]) -> list[float]:
    """Logarithms of the ratios, other over primary, of pairs that have one."""
    found = []
    for pair in pairs:
        primary, other = value(pair.primary), value(pair.other)
        # an answer of no tokens, or a time of nothing, has no ratio
        if primary and other:
            found.append(log_ratio(other, primary))
    return found
