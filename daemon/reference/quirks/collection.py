"""The whole collection, and a quirk by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from daemon.reference.quirks import ends, errors, first_token, framing, odd_chunks, reasoning, refusals, tokens, usage
from daemon.reference.quirks.contract import Quirk

QUIRKS: Final[tuple[Quirk, ...]] = (
    *first_token.QUIRKS,
    *reasoning.QUIRKS,
    *tokens.QUIRKS,
    *framing.QUIRKS,
    *odd_chunks.QUIRKS,
    *usage.QUIRKS,
    *errors.QUIRKS,
    *refusals.QUIRKS,
    *ends.QUIRKS,
)
"""Every quirk, by kind."""

QUIRKS_BY_NAME: Final[Mapping[str, Quirk]] = {quirk.name: quirk for quirk in QUIRKS}
