"""Metrics that are shares: of each account's requests, how many are of a kind. A sign test over the runs. Pure.

Every kind is defined so that exchanging the two accounts of a pair exchanges its two answers and changes nothing
else. Then, whatever the requests of a run have in common, either account is as likely to have more of the kind in
a run in which they differ, which is all that the test needs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import Final, NamedTuple

from daemon.integrity.compared import Compared, lasts
from daemon.integrity.pairs import Measured, Metric, Pair
from daemon.integrity.parameters import IntegrityParameters
from daemon.integrity.quantities import log_ratios
from daemon.integrity.statistics import mcnemar

Kinds = Callable[[Pair], tuple[bool, bool] | None]
"""Whether the primary's and the other's request of a pair are of the kind; None where that is not known of both."""


class _Run(NamedTuple):
    size: int
    primary: int
    other: int


def _told(kind: Callable[[Measured], bool | None]) -> Kinds:
    def kinds(pair: Pair) -> tuple[bool, bool] | None:
        primary, other = kind(pair.primary), kind(pair.other)
        return None if primary is None or other is None else (primary, other)

    return kinds


def _unusual(name: Callable[[Measured], str | None], pairs: Iterable[Pair]) -> Kinds:
    """Of the kind is what is not called as most of both accounts' requests are; of equals, the first by name."""
    counts = Counter(each for pair in pairs for each in (name(pair.primary), name(pair.other)) if each is not None)
    usual = min(counts, key=lambda each: (-counts[each], each), default=None)

    def kind(measured: Measured) -> bool | None:
        own = name(measured)
        return None if own is None else own != usual

    return _told(kind)


def _counted_more(pair: Pair) -> tuple[bool, bool] | None:
    primary, other = pair.primary.input_tokens, pair.other.input_tokens
    return None if primary is None or other is None else (primary > other, other > primary)


def _disagrees(pair: Pair) -> tuple[bool, bool] | None:
    """Exchanging the primary account with the second control exchanges the two."""
    if pair.controls_agree is None or pair.answers_agree is None:
        return None
    return not pair.controls_agree, not pair.answers_agree


_OF_ONE: Final[dict[Metric, Callable[[Measured], bool | None]]] = {
    "error-share": lambda m: m.outcome == "failed",
    "rate-limited-share": lambda m: m.outcome == "rate-limited",
    "context-refused-share": lambda m: m.context_refused,
    "wrong-answer-share": lambda m: None if m.right is None else not m.right,
}
_NAMES: Final[dict[Metric, Callable[[Measured], str | None]]] = {
    "returned-model": lambda m: m.returned_model,
    "fingerprint": lambda m: m.fingerprint,
}
_OF_BOTH: Final[dict[Metric, Kinds]] = {"input-tokens": _counted_more, "answer-disagreement": _disagrees}

_DESCRIBED: Final[frozenset[Metric]] = frozenset({"fingerprint"})
"""Metrics without a test. Machines have fingerprints, and an account may stay with one for days."""


def compare_share(metric: Metric, by_run: Sequence[Sequence[Pair]], parameters: IntegrityParameters) -> Compared:
    """Compare one share over the pairs of runs that are in order of time."""
    kinds = _kinds(metric, by_run)
    runs = []
    for pairs in by_run:
        known = [found for pair in pairs if (found := kinds(pair)) is not None]
        if known:
            runs.append(_Run(len(known), sum(p for p, _ in known), sum(o for _, o in known)))
    if not runs:
        return (
            _without_baseline(by_run) if metric == "answer-disagreement" else Compared(metric=metric, runs=0, pairs=0)
        )
    counted = sum(run.size for run in runs)
    primary, other = sum(run.primary for run in runs), sum(run.other for run in runs)
    factor = 1 + parameters.practical_threshold

    def direction(part: Sequence[_Run]) -> int:
        # of 1 % and 2 % failed the quotient is two and nobody minds; what a developer notices is what is left
        ours, theirs = sum(run.size - run.primary for run in part), sum(run.size - run.other for run in part)
        return (theirs > ours and theirs >= factor * ours) - (ours > theirs and ours >= factor * theirs)

    spared, others = counted - primary, counted - other
    more, less = sum(run.other > run.primary for run in runs), sum(run.primary > run.other for run in runs)
    tested = len(runs) >= parameters.min_runs and metric not in _DESCRIBED
    return Compared(
        metric=metric,
        runs=len(runs),
        pairs=counted,
        ratio=_token_ratio(by_run) if metric == "input-tokens" else others / spared if spared and others else None,
        primary=primary / counted,
        other=other / counted,
        passes_threshold=direction(runs) != 0,
        lasts=None if metric in _DESCRIBED else lasts(runs, direction, parameters.parts),
        p_value=mcnemar(less, more) if tested else None,
        attainable=mcnemar(0, less + more) if tested else None,
    )


def _kinds(metric: Metric, by_run: Sequence[Sequence[Pair]]) -> Kinds:
    if metric in _OF_ONE:
        return _told(_OF_ONE[metric])
    if metric in _NAMES:
        return _unusual(_NAMES[metric], (pair for pairs in by_run for pair in pairs))
    return _OF_BOTH[metric]


def _token_ratio(by_run: Sequence[Sequence[Pair]]) -> float | None:
    per_run = [log_ratios(lambda m: m.input_tokens, pairs) for pairs in by_run]
    middle = [median(ratios) for ratios in per_run if ratios]
    return math.exp(median(middle)) if middle else None


def _without_baseline(by_run: Sequence[Sequence[Pair]]) -> Compared:
    """State how often answers disagree where no further account tells how often they would anyway."""
    per_run = [[pair.answers_agree for pair in pairs if pair.answers_agree is not None] for pairs in by_run]
    known = [agree for run in per_run for agree in run]
    return Compared(
        metric="answer-disagreement",
        runs=sum(bool(run) for run in per_run),
        pairs=len(known),
        other=known.count(False) / len(known) if known else None,
    )
