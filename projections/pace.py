"""How much a runner does at once, and how long others get in between."""

from __future__ import annotations

import msgspec


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How much is done at once, and how long others get between two helpings.

    Folding runs in a thread, and Python's threads take turns: while a batch is folded, a timestamp taken
    elsewhere in the process can be late by up to the interpreter's switch interval. Where that matters, fold
    in a process of its own; otherwise small slices with pauses keep it rare.

    batch_events: events read, inserted and checkpointed together.
    slice_events: events folded in one go.
    pause_s: rest after each slice.
    """

    batch_events: int = 20_000
    slice_events: int = 200
    pause_s: float = 0.0

    @property
    def is_full(self) -> bool:
        """Whether nobody is waited for."""
        return self.pause_s == 0


GENTLE = Pace(batch_events=200, slice_events=5, pause_s=0.005)
"""For a process that measures at the same time."""
