"""What counts as a count in a usage object: whole, not negative, believable. Shared by all dialects."""

from __future__ import annotations

from typing import Any

import msgspec

RAW_BYTES = 16 * 1024
"""Longest usage object that is kept as it came."""

MOST_LEVELS = 32
"""Objects and lists inside one another, far more than any usage has."""

_MOST_TOKENS = 2**53


def count(value: object) -> int | None:
    """Value as a count of tokens; None for anything that is none, a truth value or text included."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS:
        return value
    return None


def first_count(*values: object) -> int | None:
    """Return the first of these that is a count."""
    return next((found for value in values if (found := count(value)) is not None), None)


def inner(value: object) -> dict[str, Any]:
    """Value as an object with further counters; empty where it is none."""
    return value if isinstance(value, dict) else {}


def shallow(value: object, levels: int = MOST_LEVELS) -> bool:
    """Tell whether a value is nested no deeper than that.

    What a decoder has just managed to read may be too deep to be compared or written again, a few calls further
    down the stack.
    """
    if isinstance(value, dict):
        return levels > 0 and all(shallow(item, levels - 1) for item in value.values())
    if isinstance(value, list):
        return levels > 0 and all(shallow(item, levels - 1) for item in value)
    return True


def kept(usage: dict[str, Any]) -> str | None:
    """Return the provider's own object as JSON text; None when it is too long to keep."""
    encoded = msgspec.json.encode(usage)
    return encoded.decode() if len(encoded) <= RAW_BYTES else None
