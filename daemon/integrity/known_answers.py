"""Prompts of the reasoning set that have one right answer, and whether a text gives it. Pure.

A model that was replaced by a smaller one gives fewer right answers. What counts is not how strict the check is,
since both accounts are held to the same one, but that right answers rarely fail it and wrong ones rarely pass.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

WORKLOAD: Final = "reasoning"

KNOWN_ANSWERS: Final[Mapping[str, tuple[str, ...]]] = {
    # digits out of 1 to 9, four of them with the sum 20: there are twelve sets, each with one order
    "mathematics-1": (r"(?<![\d.,])(?:12|twelve)(?![\d.,]*\d)",),
    # 21 / 30 of the diagonal, sqrt(21^2 + 30^2)
    "mathematics-3": (r"25[.,]63[34]",),
    # 3 * 5.4 - 3.6
    "mathematics-4": (r"(?<![\d.,])12[.,]6(?!\d)",),
    # (m - n)(m + n - 3) = 10
    "mathematics-6": (r"\(\s*7\s*,\s*6\s*\)", r"\(\s*5\s*,\s*3\s*\)"),
}
"""Patterns by the prompt's id, all of which a right answer contains."""


def gives_known_answer(workload: str, task: str | None, text: str | None) -> bool | None:
    """Whether an answer is the known one; None where none is known, or where the text is not at hand."""
    patterns = KNOWN_ANSWERS.get(task or "") if workload == WORKLOAD else None
    if patterns is None or text is None:
        return None
    return all(re.search(pattern, text) for pattern in patterns)
