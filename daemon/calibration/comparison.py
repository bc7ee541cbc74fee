"""Truth against measurement, pure: figures of both kinds, their difference, and whether it is small enough.

Truth is the server's: durations from the arrival of the request's first byte to the write of the part in
question, both taken in the server. A client's clock starts when it hands over the first byte and stops when
bytes reach it, so the way through the network stack, twice, is part of the error that is stated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Final, Literal

import msgspec

from daemon.reference.truth import TruthRecord
from schemas.events import CalibrationFigure
from schemas.timeline import Channel

RELATIVE_BOUND: Final = 0.02
ABSOLUTE_BOUND_MS: Final = 2.0
"""An error may be 2 % of the truth, or 2 ms where that is more; speeds have the relative bound alone."""

_NS_PER_MS = 1_000_000

Metric = Literal["ttft", "ttfat", "output-speed", "end-to-end"]


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of one exchange, true or measured; None where there is none."""

    ttft_ms: float | None
    ttfat_ms: float | None
    end_to_end_ms: float | None
    tokens_per_s: float | None


_METRICS: Final[Mapping[Metric, tuple[Literal["ms", "tokens/s"], Callable[[Figures], float | None]]]] = {
    "ttft": ("ms", lambda figures: figures.ttft_ms),
    "ttfat": ("ms", lambda figures: figures.ttfat_ms),
    "output-speed": ("tokens/s", lambda figures: figures.tokens_per_s),
    "end-to-end": ("ms", lambda figures: figures.end_to_end_ms),
}


def true_figures(record: TruthRecord) -> Figures:
    """Compute what the server did, by the definitions that measurements use.

    First token: write of the first token-bearing part. Speed: tokens after the first part, over the time
    between the first and the last token-bearing write. End: write of the part that ends the answer.
    """
    spoken = [write for write in record.writes if write.tokens]
    answered = [write for write in spoken if write.channel is not Channel.REASONING]

    def since_received_ms(mono_ns: int) -> float:
        return (mono_ns - record.received_ns) / _NS_PER_MS

    speed = None
    if spoken and (window_ns := spoken[-1].mono_ns - spoken[0].mono_ns) > 0:
        speed = sum(write.tokens for write in spoken[1:]) * 1e9 / window_ns
    return Figures(
        ttft_ms=since_received_ms(spoken[0].mono_ns) if spoken else None,
        ttfat_ms=since_received_ms(answered[0].mono_ns) if answered else None,
        end_to_end_ms=since_received_ms(record.writes[-1].mono_ns) if record.writes else None,
        tokens_per_s=speed,
    )


def compare(profile: str, pairs: Sequence[tuple[Figures, Figures]]) -> tuple[CalibrationFigure, ...]:
    """Compare (true, measured) pairs of one profile: the medians, and the pair that is furthest apart."""
    figures: list[CalibrationFigure] = []
    for metric, (unit, value_of) in _METRICS.items():
        known = [
            (truth, measured)
            for true, seen in pairs
            if (truth := value_of(true)) is not None and (measured := value_of(seen)) is not None
        ]
        if not known:
            continue
        middle = (median(truth for truth, _ in known), median(measured for _, measured in known))
        worst = max(known, key=lambda pair: abs(pair[1] - pair[0]))
        figures += (
            _figure(profile, metric, "p50", unit, len(known), middle),
            _figure(profile, metric, "max", unit, len(known), worst),
        )
    return tuple(figures)


def all_within_bounds(figures: Sequence[CalibrationFigure], *, expected_pairs: int) -> bool:
    """Tell the verdict: medians are what is published, so they decide; none may rest on too few pairs.

    The furthest pair is shown beside them and does not decide, since one preempted moment of a busy machine
    is enough to throw it.
    """
    medians = [figure for figure in figures if figure.statistic == "p50"]
    return bool(medians) and all(figure.within_bounds and figure.n == expected_pairs for figure in medians)


def _figure(
    profile: str,
    metric: Metric,
    statistic: Literal["p50", "max"],
    unit: Literal["ms", "tokens/s"],
    n: int,
    pair: tuple[float, float],
) -> CalibrationFigure:
    truth, measured = pair
    error = measured - truth
    bound = RELATIVE_BOUND * abs(truth)
    if unit == "ms":
        bound = max(bound, ABSOLUTE_BOUND_MS)
    return CalibrationFigure(
        profile=profile,
        metric=metric,
        statistic=statistic,
        unit=unit,
        n=n,
        truth=truth,
        measured=measured,
        error=error,
        within_bounds=abs(error) <= bound,
    )
