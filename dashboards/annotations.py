"""What is marked on every picture with a time axis: what changed, beside what was measured."""

from __future__ import annotations

from typing import Final

import msgspec

from dashboards.panels import Colour


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """Marks from a named query with the columns time, title and text."""

    title: str
    query: str
    colour: Colour


MARKS: Final[tuple[Mark, ...]] = (
    Mark(title="Catalogue changes", query="catalogue-changes", colour="neutral"),
    Mark(title="Decisions", query="decisions", colour="failed"),
    Mark(title="Definition changes", query="definition-changes", colour="reasoning"),
)
