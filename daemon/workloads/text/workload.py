"""The text workloads: one class, three sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

import msgspec

from daemon.workloads.contract import Prompt
from daemon.workloads.facts import prompt_of
from daemon.workloads.seeding import Draws

GENERATOR_VERSION: Final = 1
"""Goes up with any change that alters a single byte of any prompt, the articles included."""

OUTPUT_HEADROOM: Final = 1.5
"""Output limit over the minimum: room for an answer that overshoots, and an end for one that never stops."""


class TextWorkload(msgspec.Struct, frozen=True, kw_only=True):
    """Source material and a task, about ``nominal_input_tokens`` long, answered in ``min_output_tokens`` or more."""

    suite: ClassVar[str] = "performance"
    needs_vision: ClassVar[bool] = False

    name: str
    nominal_input_tokens: int
    min_output_tokens: int
    window_s: int

    @property
    def max_output_tokens(self) -> int:
        """Limit of answer tokens. Reasoning comes on top; what to allow for it is the endpoint's matter."""
        return int(self.min_output_tokens * OUTPUT_HEADROOM)

    def prompts(self, seed: str) -> Sequence[Prompt]:
        """Make the one prompt of a run from its seed."""
        from daemon.workloads.text.assembly import assemble  # noqa: PLC0415  # loads the vocabulary, when needed

        made = assemble(
            Draws(self.name, str(GENERATOR_VERSION), seed),
            input_tokens=self.nominal_input_tokens,
            output_tokens=self.min_output_tokens,
        )
        prompt = prompt_of(
            text=made.text,
            generator=self.name,
            generator_version=GENERATOR_VERSION,
            seed=seed,
            input_tokens=made.tokens,
            min_output_tokens=self.min_output_tokens,
            max_output_tokens=self.max_output_tokens,
            task=made.task,
        )
        return (prompt,)
