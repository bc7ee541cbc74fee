"""The line that opens every prompt: drawn, and different each time from its first characters on."""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Draws

_ALPHABET: Final = "23456789abcdefghjkmnpqrstuvwxyz"
_LABELS: Final = ("my reference", "file number", "please quote this in case of queries", "job", "our sign")


def fresh_line(draws: Draws) -> str:
    """Draw the line. What is random (74 bits) comes first, so no cached prefix of another prompt can match."""
    code = "-".join(draws.characters(_ALPHABET, 5) for _ in range(3))
    return f"{code} ({draws.pick(_LABELS)})"
