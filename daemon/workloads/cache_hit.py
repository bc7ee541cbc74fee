"""The cache workload: one long prefix, sent twice in a row, so that the second request may find it in a cache.

Both prompts open with the same fresh line and the same enclosed text, and end with different questions: what a
cache of prefixes serves is seen, what a cache of whole answers would serve is not. Answers are short, since only
the input is of interest here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

import msgspec

from daemon.workloads.contract import Prompt
from daemon.workloads.facts import prompt_of
from daemon.workloads.freshness import fresh_line
from daemon.workloads.seeding import Draws

GENERATOR_VERSION: Final = 1
"""Goes up with any change that alters a single byte of any prompt."""

TASKS: Final = ("first", "second")
"""Tasks of the two prompts, in the order in which they are sent."""

_OPENING: Final = "Read the enclosed text; a question about it follows at its end."

_QUESTIONS: Final = (
    "Question: what is the text mainly about? Answer in one sentence.",
    "Question: which single detail of the text would a hurried reader miss? Answer in one sentence.",
    "Question: for whom was the text written, do you think? Answer in one sentence.",
    "Question: which word of the text is the most important one? Answer with the word alone.",
    "Question: what would be a fitting title for the text? Answer with the title alone.",
    "Question: what does the text leave open? Answer in one sentence.",
)

_QUESTION_TOKENS: Final = 16
"""About what the question takes of the nominal size."""


class CacheHitWorkload(msgspec.Struct, frozen=True, kw_only=True):
    """Two prompts of about ``nominal_input_tokens`` that differ in their last line alone; any answer will do."""

    suite: ClassVar[str] = "cache"
    needs_vision: ClassVar[bool] = False

    name: str
    window_s: int
    nominal_input_tokens: int = 4_000
    max_output_tokens: int = 64

    def prompts(self, seed: str) -> Sequence[Prompt]:
        """Make both prompts of a run from its seed, in the order in which they must be sent."""
        from daemon.tokens import count_tokens  # noqa: PLC0415  # loads the vocabulary, when needed
        from daemon.workloads.text.assembly import enclose  # noqa: PLC0415  # the same

        draws = Draws(self.name, str(GENERATOR_VERSION), seed)
        prefix = enclose(
            draws.branch("text"),
            head=f"{fresh_line(draws.branch('fresh'))}\n\n{_OPENING}\n\n",
            tail="",
            input_tokens=self.nominal_input_tokens - _QUESTION_TOKENS,
            task="",
        ).text
        made = []
        for task, question in zip(TASKS, draws.branch("questions").sample(_QUESTIONS, len(TASKS)), strict=True):
            text = f"{prefix}{question}"
            made.append(
                prompt_of(
                    text=text,
                    generator=self.name,
                    generator_version=GENERATOR_VERSION,
                    seed=seed,
                    input_tokens=count_tokens(text),
                    min_output_tokens=0,
                    max_output_tokens=self.max_output_tokens,
                    task=task,
                )
            )
        return tuple(made)
