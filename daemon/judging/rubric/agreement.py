"""How far judges agree on the same criteria: in percent, and beyond what chance would give. Pure.

A unit is a criterion of an answer; its row holds each judge's verdict, None where that judge gave none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction

import msgspec

Row = Sequence[Hashable | None]
"""What every judge said of one unit."""


class AlikeCounts(msgspec.Struct, frozen=True):
    """Units on which all verdicts are equal, of those with two verdicts or more."""

    alike: int
    compared: int


def alike(rows: Iterable[Row]) -> AlikeCounts:
    """Count units judged alike; a unit with a single verdict cannot be compared."""
    compared = [given for given in map(_given, rows) if len(given) > 1]
    return AlikeCounts(alike=sum(len(set(given)) == 1 for given in compared), compared=len(compared))


def krippendorff_alpha(rows: Iterable[Row]) -> float | None:
    """Krippendorff's alpha for nominal data with any number of judges and missing verdicts; 1 is perfect agreement.

    alpha = 1 - (n - 1) Σ_{c≠k} o_ck / Σ_{c≠k} n_c n_k, where o_ck = Σ_u (ordered pairs of c and k in unit u) /
    (m_u - 1), n_c = Σ_k o_ck, n = Σ_c n_c, over units u with m_u >= 2 values (K. Krippendorff, Computing
    Krippendorff's Alpha-Reliability, University of Pennsylvania, 2011, section C). None where it is undefined: no
    unit with two verdicts, or all verdicts that can be paired equal, so that chance could not have disagreed.

    The arithmetic is exact until the end, so neither the order of judges nor that of units matters.
    """
    observed = Fraction()
    totals: Counter[Hashable] = Counter()
    for given in map(_given, rows):
        if len(given) < 2:
            continue
        counts = Counter(given)
        totals.update(counts)
        size = len(given)
        observed += Fraction(size * size - sum(count * count for count in counts.values()), size - 1)
    n = sum(totals.values())
    expected = n * n - sum(count * count for count in totals.values())
    return None if expected == 0 else float(1 - (n - 1) * observed / expected)


def _given(row: Row) -> list[Hashable]:
    return [value for value in row if value is not None]
