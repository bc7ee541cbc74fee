"""The words of rubric tasks: languages, kinds of sources, levels of findings. Nothing here decides."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Language = Literal["de", "en"]
"""Of a task: its facts, its question, its solution and its rubric."""

SourceKind = Literal["statute", "guidance", "ruling", "standard"]
"""What a citation cites: a law, an administrative instruction, a decision of a court, a technical standard."""

FindingLevel = Literal["error", "warning"]
"""An error keeps a task out of every evaluation; a warning asks an expert to look again."""

Sha256 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]

LEAST_YEARS_OF_PRACTICE = 5
"""What an author and a second reader must have, in years."""
