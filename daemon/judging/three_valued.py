"""Three-valued logic that several kinds of judging share: true, false, not known yet. Pure."""

from __future__ import annotations

from collections.abc import Iterable


def all_of(values: Iterable[bool | None]) -> bool | None:
    """Join truths: false if one is, else null if one is, else true; true of none at all."""
    seen = set(values)
    if False in seen:
        return False
    return None if None in seen else True
