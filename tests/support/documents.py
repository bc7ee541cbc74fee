"""The repository's Markdown, taken apart: fenced blocks, inline code, links, anchors, and commands named in it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")))

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


class Block(msgspec.Struct, frozen=True):
    """A fenced block: what stands behind its opening fence, and its text."""

    info: str
    text: str

    @property
    def runnable(self) -> bool:
        """Whether it is marked as one that a test carries out."""
        return self.info.split() == ["sh", "runnable"]


def blocks(markdown: str) -> list[Block]:
    """Every fenced block, in order."""
    return [Block(info.strip(), text) for info, text in _FENCE.findall(markdown)]


def without_blocks(markdown: str) -> str:
    """Return the prose alone."""
    return _FENCE.sub("", markdown)


def inline_code(markdown: str) -> list[str]:
    """Every piece of inline code outside fenced blocks."""
    return _INLINE.findall(without_blocks(markdown))


def links(markdown: str) -> list[str]:
    """Every link's target outside fenced blocks."""
    return _LINK.findall(without_blocks(markdown))


def anchors(markdown: str) -> set[str]:
    """Make the anchors that a page has, of its headings, as code hosts make them."""
    return {slug(heading) for heading in _HEADING.findall(without_blocks(markdown))}


def slug(heading: str) -> str:
    """Lower case, without punctuation, a hyphen for each space."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def command_lines(markdown: str) -> Iterator[list[str]]:
    """Words of every command of ours that is named, in shell blocks and in inline code."""
    shell = [
        line for block in blocks(markdown) if block.info.split()[:1] == ["sh"] for line in block.text.splitlines()
    ]
    for text in [*shell, *inline_code(markdown)]:
        try:
            words = shlex.split(text, comments=True)
        except ValueError:  # inline code with a lone quotation mark is no command
            continue
        if words and words[0] in {"messwerk", "deploy/run", "deploy/test"}:
            yield words
