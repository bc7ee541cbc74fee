"""The reasoning set: sixty prompts of differing length and topic, over which reasoning tokens are averaged.

All sixty are asked in every run, in drawn order. Their texts never vary, so that runs and models compare; only
the fresh line at the top differs from prompt to prompt and run to run, so that no cached prefix can serve them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import ClassVar, Final

import msgspec

from daemon.workloads.contract import Prompt
from daemon.workloads.facts import prompt_of
from daemon.workloads.freshness import fresh_line
from daemon.workloads.seeding import Draws

GENERATOR_VERSION: Final = 1
"""Goes up with any change that alters a single byte of any prompt."""


class ReasoningPrompt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One text of the set."""

    id: str
    topic: str
    text: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    prompt: tuple[ReasoningPrompt, ...]


@cache
def reasoning_prompts() -> tuple[ReasoningPrompt, ...]:
    """Return the set in the order of its file."""
    data = (files("daemon.workloads") / "reasoning.toml").read_bytes()
    return msgspec.toml.decode(data, type=_File).prompt


class ReasoningSet(msgspec.Struct, frozen=True, kw_only=True):
    """All sixty prompts as one workload. ``nominal_input_tokens`` is the mean of the set, not of each prompt."""

    suite: ClassVar[str] = "reasoning"
    needs_vision: ClassVar[bool] = False

    name: str
    window_s: int
    nominal_input_tokens: int = 121
    max_output_tokens: int = 16_000

    def prompts(self, seed: str) -> Sequence[Prompt]:
        """Make all sixty prompts of a run; each one's task is its id, and no minimum of output is set."""
        from daemon.tokens import count_tokens  # noqa: PLC0415  # loads the vocabulary, when needed

        draws = Draws(self.name, str(GENERATOR_VERSION), seed)
        made = []
        for each in draws.shuffled(reasoning_prompts()):
            text = f"{fresh_line(draws.branch('fresh', each.id))}\n\n{each.text}"
            made.append(
                prompt_of(
                    text=text,
                    generator=self.name,
                    generator_version=GENERATOR_VERSION,
                    seed=seed,
                    input_tokens=count_tokens(text),
                    min_output_tokens=0,
                    max_output_tokens=self.max_output_tokens,
                    task=each.id,
                )
            )
        return tuple(made)
