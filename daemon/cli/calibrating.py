"""Figures of a calibration's attempts, by the read side's definitions, which no other room of the daemon knows."""

from __future__ import annotations

from daemon.calibration.comparison import Figures
from projections.metrics import measure
from schemas.catalogue import ReasoningKind
from schemas.definitions import Definitions
from schemas.events import AttemptCompleted


def measured_figures(completed: AttemptCompleted, reasoning: ReasoningKind) -> Figures:
    """Return what was measured, as tables would hold it."""
    metrics = measure(completed, reasoning, Definitions())
    return Figures(
        ttft_ms=_ms(metrics.ttft_us),
        ttfat_ms=_ms(metrics.ttfat_us),
        end_to_end_ms=_ms(metrics.end_to_end_us),
        tokens_per_s=metrics.speed.tokens_per_s if metrics.speed else None,
    )


def _ms(us: int | None) -> float | None:
    return None if us is None else us / 1_000
