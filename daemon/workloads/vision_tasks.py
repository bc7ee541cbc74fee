"""Tasks that are set on a picture; each fits any scene and joins it with the enclosed text."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

import msgspec

from daemon.workloads.seeding import Draws
from daemon.workloads.text.tasks import TOKENS_PER_LINE
from daemon.workloads.text.wordings import WORDINGS


class VisionTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of task: what is asked above the enclosed text, and its reminder below.

    tokens_per_word: o200k_base tokens that a word of the answer costs.
    """

    name: str
    openings: tuple[str, ...]
    reminder: str
    tokens_per_word: float = 1.35


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    task: tuple[VisionTask, ...]


VISION_TASKS: Final = msgspec.toml.decode(
    (files("daemon.workloads") / "vision_tasks.toml").read_bytes(), type=_File
).task
"""All kinds, drawn with equal chance."""


class VisionAssignment(msgspec.Struct, frozen=True):
    """A task worded for one prompt."""

    name: str
    opening: str
    reminder: str


def assign_vision(draws: Draws, output_tokens: int) -> VisionAssignment:
    """Draw a task and word it for an answer of at least ``output_tokens``."""
    task = draws.pick(VISION_TASKS)
    words = round(output_tokens * 1.15 / task.tokens_per_word / 50) * 50
    slots = {
        "words": str(words),
        "least": str(round(output_tokens * 1.02 / task.tokens_per_word / 10) * 10),
        "items": str(max(8, words // 70)),
        "lines": str(round(output_tokens * 1.15 / TOKENS_PER_LINE / 5) * 5),
        "reader": draws.pick(WORDINGS.readers),
        "language": draws.pick(WORDINGS.languages),
    }
    return VisionAssignment(task.name, draws.pick(task.openings).format_map(slots), task.reminder.format_map(slots))
