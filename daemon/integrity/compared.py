"""One metric of two accounts over a window: what was compared, before any correction. And how long it lasts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

import msgspec

from daemon.integrity.pairs import Metric

_T = TypeVar("_T")


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """One metric of two accounts over a window, before the correction.

    runs, pairs: how many had the metric from both accounts.
    ratio: median of the runs' ratios; of a share, the quotient of the shares of requests that did not so end.
        Null when there is none, or when one of those shares is zero.
    location, low, high: Hodges-Lehmann ratio and its confidence interval; null for shares.
    primary, other: of a share, each account's share; else null.
    passes_threshold: whether the ratio passes the practical threshold; null when nothing is known.
    lasts: whether it does so, in the same direction, in each part of the window; null when a part has no run.
    p_value: null when there were too few runs to test, or when the metric is only described.
    attainable: the least p-value that so many discordant runs can have; null where that is no question.
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
    attainable: float | None = None


def lasts(values: Sequence[_T], direction: Callable[[Sequence[_T]], int], parts: int) -> bool | None:
    """Whether every part, of as equal sizes as can be, has the same direction and has one."""
    if len(values) < parts:
        return None
    bounds = [len(values) * part // parts for part in range(parts + 1)]
    directions = {direction(values[start:end]) for start, end in pairwise(bounds)}
    return len(directions) == 1 and 0 not in directions
