"""Cuts material to a size in tokens: by blocks, then by sentences or lines, at last by words."""

from __future__ import annotations

import re
from collections.abc import Callable

from daemon.workloads.text.matter.contract import Matter

ELLIPSIS = " […]"
"""Marks a block that was cut inside a sentence."""

Count = Callable[[str], int]

_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|\n")
_WORD_END = re.compile(r"[\s;:,|/]+")


def cut_to(matter: Matter, tokens: int, count: Count) -> Matter:
    """Return the beginning of a document, as near to ``tokens`` as words allow; never less than some words.

    Each block is counted once, and of the block in which the limit falls each sentence and word is counted
    once. The sum of these counts may differ from the count of the joined text by about one token a block, so
    callers who need an exact size count the result and ask again.
    """
    joint = count(f"a{matter.joint}b") - count("a") - count("b")
    kept: list[str] = []
    left = tokens
    for block in matter.blocks:
        size = count(block) + (joint if kept else 0)
        if size > left:
            part = _beginning(block, left - (joint if kept else 0), count)
            if part or not kept:
                kept.append(part or block[:12])
            break
        kept.append(block)
        left -= size
    return Matter(matter.kind, matter.title, tuple(kept), matter.joint)


def _beginning(block: str, tokens: int, count: Count) -> str:
    """Return the longest beginning of a block within ``tokens``: sentences, then words; empty when none fits."""
    sentences = _until(block, _SENTENCE_END, tokens, count)
    rest = tokens - count(block[:sentences]) - count(ELLIPSIS)
    words = _until(block[sentences:], _WORD_END, rest, count)
    if not words:
        return block[:sentences].rstrip()
    return block[: sentences + words].rstrip() + ELLIPSIS


def _until(text: str, ends: re.Pattern[str], tokens: int, count: Count) -> int:
    """Find the last end within ``tokens``, counting piece by piece; 0 when even the first piece is too long."""
    start = 0
    for end in [match.end() for match in ends.finditer(text)]:
        tokens -= count(text[start:end].rstrip(" "))
        if tokens < 0:
            break
        start = end
    return start
