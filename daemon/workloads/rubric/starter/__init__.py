"""The starter catalogue: examples of rubric tasks from four fields, in German and English.

Nobody has read them a second time, and they say so; an evaluation leaves them out unless it is told otherwise.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

STARTER: Final = Path(__file__).parent
"""The folder; ``messwerk rubric lint`` and every other command takes it as any catalogue's."""
