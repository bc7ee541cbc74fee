"""Intervals in SQL: Wilson's, the Poisson bootstrap by unit, and McNemar's exact test.

Their statement, with sources, is in ``daemon/judging/intervals.py`` and ``daemon/judging/office/uncertainty.py``; a
test holds both to the same figures. Resampling draws from nothing but the unit's name, so every query of the same
rows has the same interval.
"""

from __future__ import annotations

import math
from typing import Final

REPLICATES: Final = 1000
FEWEST_UNITS: Final = 10
_Z: Final = 1.959963984540054
"""Normal quantile of 0.975."""

SMALL_BLOCKS: Final = "max_block_size = 1024"
"""Added to the settings of a query that resamples: each row carries an array of a thousand weights."""


def thresholds() -> list[int]:
    """64-bit bounds of a Poisson variable of mean 1; see the statement."""
    bounds, term, total = [], math.exp(-1), 0.0
    for k in range(1, 13):
        total += term
        bounds.append(round(total * 2**53) << 11)
        term /= k
    return bounds


def weights(unit: str) -> str:
    """How often a unit is drawn in each replicate, an array; ``unit`` is an expression for its name."""
    drawn = (
        f"arrayMap(b -> reinterpretAsUInt64(substring(SHA256({unit}), 1, 8)) + b * toUInt64(11400714819323198485), "
    )
    drawn += f"arrayMap(b -> toUInt64(b), range(1, {REPLICATES + 1})))"
    drawn = f"arrayMap(z -> bitXor(z, bitShiftRight(z, 30)) * toUInt64(13787848793156543929), {drawn})"
    drawn = f"arrayMap(z -> bitXor(z, bitShiftRight(z, 27)) * toUInt64(10723151780598845931), {drawn})"
    drawn = f"arrayMap(z -> bitXor(z, bitShiftRight(z, 31)), {drawn})"
    count = " + ".join(f"(z >= toUInt64({bound}))" for bound in thresholds())
    return f"arrayMap(z -> toUInt8({count}), {drawn})"


def weighted(rows: str, unit: str) -> str:
    """Add ``weights`` to rows with a column ``unit``, ``document`` or ``pair``.

    They are drawn once for each unit, however many rows it has. Rows whose unit is of no open document are left out.
    """
    return f"""
    SELECT * FROM ({rows}) AS units INNER JOIN (
        SELECT {unit}, {weights(unit)} AS weights
        FROM (SELECT DISTINCT assumeNotNull({unit}) AS {unit} FROM office_attempts FINAL
              WHERE split = 'open' AND {unit} IS NOT NULL)
    ) AS drawn USING ({unit})
"""


def replicated(count: str) -> str:
    """Sum of a count over weighted units, an array of a value a replicate."""
    return f"sumForEach(arrayMap(w -> w * toInt64({count}), weights))"


def ratios(part: str, whole: str) -> str:
    """Divide one array of sums by another; replicates without anything to divide by are null."""
    return f"arrayMap((p, q) -> if(q = 0, NULL, p / q), {part}, {whole})"


def interval(values: str, units: str) -> str:
    """Both ends of a 95 % percentile interval, interpolated, as an array.

    Nulls of too few units, and where all replicates are equal.
    """
    ends = "arrayReduce('quantilesExactInclusive(0.025, 0.975)', known)"
    return (
        f"arrayMap(known -> if({units} < {FEWEST_UNITS} OR empty(known) OR arrayMin(known) = arrayMax(known), "
        f"[NULL, NULL], arrayMap(x -> toNullable(x), {ends})), "
        f"[arrayMap(x -> assumeNotNull(x), arrayFilter(x -> isNotNull(x), {values}))])[1]"
    )


def wilson(part: str, whole: str) -> tuple[str, str]:
    """Both ends of Wilson's 95 % interval of a share; null of nothing."""
    p, n, zz = f"({part} / {whole})", f"{whole}", f"{_Z * _Z!r}"
    middle = f"({p} + {zz} / (2 * {n}))"
    reach = f"({_Z!r} * sqrt({p} * (1 - {p}) / {n} + {zz} / (4 * {n} * {n})))"
    scale = f"(1 + {zz} / {n})"
    return (
        f"multiIf({n} = 0, NULL, {part} = 0, 0.0, ({middle} - {reach}) / {scale})",
        f"multiIf({n} = 0, NULL, {part} = {n}, 1.0, ({middle} + {reach}) / {scale})",
    )


def mcnemar(only_first: str, only_second: str) -> str:
    """Exact two-sided p of McNemar's test from the two kinds of discordant pairs."""
    n, least_of = f"({only_first} + {only_second})", f"least({only_first}, {only_second})"
    term = f"exp(lgamma({n} + 1) - lgamma(i + 1) - lgamma({n} - i + 1) - {n} * {math.log(2)!r})"
    return f"least(1.0, 2 * arraySum(arrayMap(i -> {term}, range({least_of} + 1))))"
