"""Collecting garbage seldom while a backlog is folded.

Folding makes many small objects and no cycles, so collections find nothing and cost a tenth of its time. It is for
work at full speed: a longer collection is a longer pause for everything else in the process. A process that
measures keeps thresholds of its own.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_YOUNG_OBJECTS: Final = 50_000
"""About two milliseconds of collecting at a time."""

_depth = 0
_before = gc.get_threshold()


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Raise the threshold of the youngest generation until the last of those who asked for it is done."""
    global _depth, _before  # noqa: PLW0603  # the interpreter has one collector for all
    if _depth == 0:
        _before = gc.get_threshold()
        gc.set_threshold(max(_YOUNG_OBJECTS, _before[0]) if _before[0] else 0, *_before[1:])
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if _depth == 0:
            gc.set_threshold(*_before)
