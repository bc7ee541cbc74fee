"""Stretches of positions, both ends included: how much of a source is missing, or was declared lost. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """Positions ``first`` to ``last``."""

    first: int
    last: int

    @property
    def events(self) -> int:
        """How many positions that are."""
        return max(0, self.last - self.first + 1)

    def __str__(self) -> str:
        """Name it as people do."""
        return f"position {self.first}" if self.events == 1 else f"positions {self.first} to {self.last}"


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the same positions as few stretches, in order; those that touch become one."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.first <= found[-1].last + 1:
            found[-1] = Span(found[-1].first, max(found[-1].last, span.last))
        elif span.events:
            found.append(span)
    return tuple(found)


def covers(spans: Iterable[Span], wanted: Span) -> bool:
    """Tell whether every position of ``wanted`` lies in ``spans``."""
    return any(span.first <= wanted.first and wanted.last <= span.last for span in joined(spans))
