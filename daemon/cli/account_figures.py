"""Figures by which accounts are compared, by the read side's definitions, which no other room of the daemon knows."""

from __future__ import annotations

from daemon.integrity.observing import AttemptFigures, FiguresOf
from projections.metrics import measure
from schemas.catalogue import ReasoningKind
from schemas.definitions import Definitions
from schemas.events import AttemptCompleted


def account_figures(definitions: Definitions) -> FiguresOf:
    """Return what computes figures as tables hold them under these definitions."""

    def figures_of(completed: AttemptCompleted, reasoning: ReasoningKind) -> AttemptFigures:
        metrics = measure(completed, reasoning, definitions)
        return AttemptFigures(
            outcome=metrics.outcome,
            ttft_us=metrics.ttft_us,
            ttfat_us=metrics.ttfat_us,
            end_to_end_us=metrics.end_to_end_us,
            output_speed=metrics.speed.tokens_per_s if metrics.speed else None,
        )

    return figures_of
