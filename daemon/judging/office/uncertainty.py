"""How far chance alone could have moved the figures of the office tasks. Pure, and the same figures each time.

Shares of documents get Wilson's interval (``daemon/judging/intervals.py``), because documents are independent. Fields
of one document fail together, so shares of fields are resampled by document, and differences between twins by pair.
Which model is better is compared on the documents that both were asked about. ``projections/queries/resampling.py``
says the same in SQL.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256

import msgspec

from daemon.integrity.statistics import mcnemar
from daemon.judging.intervals import CONFIDENCE, Interval

REPLICATES = 1000
"""So many times everything is resampled; the ends of an interval then move by a few per cent of its length."""

FEWEST_UNITS = 10
"""Resampling fewer documents or pairs tells too little, and there is no interval."""

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB

Counts = tuple[int, int]
"""Right fields and judged fields of one document."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two models over the documents that both answered.

    difference: share of right fields of the first less that of the second, with ``interval`` by document.
    only_first, only_second: documents that only that one left without an error; p_value: McNemar's, exact.
    """

    documents: int
    difference: float | None
    interval: Interval | None
    only_first: int
    only_second: int
    p_value: float


def weight_thresholds() -> tuple[int, ...]:
    """64-bit bounds of a Poisson variable of mean 1: its value is how many of them a random number reaches.

    P(X <= k) = Σ 1/(e i!), i = 0..k; cut off where a 64-bit number no longer tells.
    """
    bounds, term, total = [], math.exp(-1), 0.0
    for k in range(1, 13):
        total += term
        bounds.append(round(total * 2**53) << 11)
        term /= k
    return tuple(bounds)


_THRESHOLDS = weight_thresholds()


@lru_cache(maxsize=4096)
def weights(unit: str, replicates: int = REPLICATES) -> tuple[int, ...]:
    """How often a document or pair is drawn in each replicate: Poisson with mean 1, from its name alone.

    The Poisson bootstrap (Hanley & MacGibbon, Comput. Methods Programs Biomed. 83, 2006, 57-62) draws each unit
    by itself, so neither order nor company changes what is drawn. The numbers are those of splitmix64 (Steele, Lea &
    Flood, OOPSLA 2014), begun at the first eight bytes of the name's SHA-256, little-endian.
    """
    start = int.from_bytes(sha256(unit.encode()).digest()[:8], "little")
    return tuple(_weight(start + replicate * _GOLDEN & _MASK) for replicate in range(1, replicates + 1))


def _weight(state: int) -> int:
    mixed = (state ^ state >> 30) * _FIRST & _MASK
    mixed = (mixed ^ mixed >> 27) * _SECOND & _MASK
    mixed ^= mixed >> 31
    return sum(mixed >= bound for bound in _THRESHOLDS)


def share_interval(documents: Mapping[str, Counts], confidence: float = CONFIDENCE) -> Interval | None:
    """Percentile interval of the share of right fields, resampled by document.

    None of fewer than ``FEWEST_UNITS``, and where nothing differs, such as without any mistake.

    documents: name of each to its counts.
    """
    return _percentiles(_shares(documents), len(documents), confidence)


def difference_interval(
    units: Mapping[str, tuple[Counts, Counts]], confidence: float = CONFIDENCE
) -> Interval | None:
    """Percentile interval of the first share of right fields less the second, resampled by unit.

    units: a pair's name to the counts of its two documents, or a document's name to those of two models. What
    belongs together is drawn together. None of fewer than ``FEWEST_UNITS``, and where nothing differs.
    """
    firsts = _shares({name: first for name, (first, _) in units.items()})
    seconds = _shares({name: second for name, (_, second) in units.items()})
    differences = [
        None if one is None or other is None else one - other for one, other in zip(firsts, seconds, strict=True)
    ]
    return _percentiles(differences, len(units), confidence)


def compared(documents: Mapping[str, tuple[Counts, Counts]]) -> Comparison:
    """Compare two models over the documents that both answered.

    Whether a document is free of errors is compared by McNemar's exact test, shares of right fields by the paired
    bootstrap (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13).
    """
    firsts, seconds = [pair[0] for pair in documents.values()], [pair[1] for pair in documents.values()]
    one, other = _share(firsts), _share(seconds)
    only_first = sum(_error_free(a) and not _error_free(b) for a, b in documents.values())
    only_second = sum(_error_free(b) and not _error_free(a) for a, b in documents.values())
    return Comparison(
        documents=len(documents),
        difference=None if one is None or other is None else one - other,
        interval=difference_interval(documents),
        only_first=only_first,
        only_second=only_second,
        p_value=mcnemar(only_first, only_second),
    )


def _error_free(counts: Counts) -> bool:
    right, judged = counts
    return right == judged


def _share(counts: Iterable[Counts]) -> float | None:
    rights, judgeds = 0, 0
    for right, judged in counts:
        rights += right
        judgeds += judged
    return rights / judgeds if judgeds else None


def _shares(documents: Mapping[str, Counts]) -> list[float | None]:
    rights, judgeds = [0] * REPLICATES, [0] * REPLICATES
    for name, (right, judged) in documents.items():
        for place, weight in enumerate(weights(name)):
            if weight:
                rights[place] += weight * right
                judgeds[place] += weight * judged
    return [right / judged if judged else None for right, judged in zip(rights, judgeds, strict=True)]


def _percentiles(replicates: Sequence[float | None], units: int, confidence: float) -> Interval | None:
    """Both ends, each between the two replicates next to it, in proportion.

    None where all replicates are equal: units that are all alike say nothing of how far others may lie.
    """
    known = sorted(each for each in replicates if each is not None)
    if units < FEWEST_UNITS or not known or known[0] == known[-1]:
        return None

    def at(level: float) -> float:
        place = level * (len(known) - 1)
        below = min(int(place), len(known) - 2) if len(known) > 1 else 0
        return known[below] + (place - below) * (known[min(below + 1, len(known) - 1)] - known[below])

    return Interval(low=at((1 - confidence) / 2), high=at((1 + confidence) / 2))
