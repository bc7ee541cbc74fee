"""The interval of a share that several kinds of tasks have in common. Pure; resampling is the office tasks' own."""

from __future__ import annotations

import math
from statistics import NormalDist

import msgspec

CONFIDENCE = 0.95


class Interval(msgspec.Struct, frozen=True):
    """Both ends of a confidence interval."""

    low: float
    high: float


def wilson(part: int, whole: int, confidence: float = CONFIDENCE) -> Interval | None:
    """Wilson's score interval of a share; None of nothing.

    (p + z²/2n ± z √(p(1 - p)/n + z²/4n²)) / (1 + z²/n) with p = part / whole (Wilson, J. Am. Stat. Assoc. 22, 1927,
    209-212). Raises ``ValueError`` unless 0 <= part <= whole.
    """
    if not 0 <= part <= whole:
        raise ValueError(f"{part} of {whole} is no share; give a part and its whole")
    if whole == 0:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = part / whole
    middle = share + z * z / (2 * whole)
    reach = z * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    scale = 1 + z * z / whole
    # rounding would leave 0 and 1 by a hair
    return Interval(
        low=0.0 if part == 0 else (middle - reach) / scale, high=1.0 if part == whole else (middle + reach) / scale
    )
