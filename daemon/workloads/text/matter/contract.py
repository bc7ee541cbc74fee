"""What a piece of source matter is, whether an article or generated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from daemon.workloads.seeding import Draws

MatterKind = Literal[
    "article",
    "minutes",
    "log",
    "table",
    "letters",
    "code",
    "series",
    "clauses",
    "catalogue",
    "interview",
    "timetable",
    "diary",
]


class Matter(msgspec.Struct, frozen=True):
    """A document in blocks (paragraphs, lines, functions) that may be cut short after any of them.

    joint: what stands between two blocks when they are written out.
    """

    kind: MatterKind
    title: str
    blocks: tuple[str, ...]
    joint: str = "\n\n"


Maker = Callable[[Draws, int], Matter]
"""Makes a document of at least so many characters, and of no more than one section above that."""
