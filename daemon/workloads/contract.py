"""What a workload is: a name, a budget, and a pure function from a seed to prompts.

A prompt can be rebuilt byte for byte from its seed, the generator's name and version. Workloads know nothing
of endpoints, dialects, schedules or the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from daemon.wire.contract import Image
from schemas.events.runs import PromptFacts


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt ready to be asked of every endpoint of a run, and the facts that the log keeps of it."""

    text: str
    images: tuple[Image, ...] = ()
    facts: PromptFacts


class Workload(Protocol):
    """One kind of thing to send."""

    @property
    def name(self) -> str:
        """Its name in schedules, events and tables."""

    @property
    def suite(self) -> str:
        """Which family of measurements it belongs to: ``performance``, ``reasoning`` or ``cache``."""

    @property
    def needs_vision(self) -> bool:
        """Whether only endpoints that take pictures can do it."""

    @property
    def max_output_tokens(self) -> int:
        """Limit sent with each request; also what a budget must reckon with."""

    @property
    def nominal_input_tokens(self) -> int:
        """Size of the prompt in o200k_base tokens, within 2 %, without pictures."""

    @property
    def window_s(self) -> int:
        """Span of the P50 that is shown for it, in seconds."""

    def prompts(self, seed: str) -> Sequence[Prompt]:
        """Make the prompts of one run: one for most workloads, sixty for the reasoning set.

        Each endpoint is sent them in this order, one after the other.
        """
