"""Events that nobody has any more, declared lost by a person, so that folding may pass their positions.

Nothing is ever declared lost by itself. A declaration is a row with name and reason; it is never taken back, and
takes nothing away: wherever the events turn up again, a rebuild folds them in their place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Final

import msgspec

from projections.errors import LostDeclarationError
from projections.quarantine import dropped_positions
from projections.spans import Span, covers, joined
from projections.stops import read_stops
from projections.store.contract import Store
from projections.tables import NAME, UTC_TIME, Column, Table
from projections.times import utc


class LostRow(msgspec.Struct, frozen=True, kw_only=True):
    """One declaration."""

    source: Annotated[str, Column(NAME, "daemon whose events are lost")]
    first: Annotated[int, Column("UInt64", "first lost position")]
    last: Annotated[int, Column("UInt64", "last lost position")]
    time: Annotated[datetime, Column(UTC_TIME, "when it was declared")]
    person: Annotated[str, Column("String", "who declared it")]
    reason: Annotated[str, Column("String", "why nobody has them any more")]


LOST: Final = Table(
    name="lost",
    row=LostRow,
    order_by=("source", "first", "last"),
    partition_by="",
    comment="events that a person declared lost",
)


async def read_lost(store: Store) -> Sequence[LostRow]:
    """Every declaration, by source and position."""
    columns = ", ".join(LostRow.__struct_fields__)
    found = await store.select(f"SELECT {columns} FROM lost FINAL")  # noqa: S608  # declared names
    return sorted((LostRow(**row) for row in found.dicts()), key=lambda row: (row.source, row.first, row.last))


async def lost_spans(store: Store) -> Mapping[str, Sequence[Span]]:
    """Stretches by source that a person gave up: declared lost, or dropped from quarantine with their position."""
    found: dict[str, list[Span]] = {}
    for row in await read_lost(store):
        found.setdefault(row.source, []).append(Span(row.first, row.last))
    for source, seqs in (await dropped_positions(store)).items():
        found.setdefault(source, []).extend(Span(seq, seq) for seq in seqs)
    return {source: joined(spans) for source, spans in found.items()}


async def declare_lost(store: Store, source: str, span: Span, *, person: str, reason: str, now_ns: int) -> LostRow:
    """Write a declaration down, and return it.

    Raises :class:`LostDeclarationError` unless the source stands at a gap that holds all of ``span``.
    """
    gaps = [
        Span(row.gap_first, row.gap_last)
        for row in await read_stops(store)
        if row.source == source and row.gap_first is not None and row.gap_last is not None
    ]
    if not person.strip() or not reason.strip():
        raise LostDeclarationError(
            f"{source!r}: declaring events lost needs a person and a reason, which are kept: --person, --reason"
        )
    if not gaps:
        raise LostDeclarationError(
            f"{source!r} does not stand at a gap: only what a reader found to be missing can be declared lost. "
            "`messwerk status` names the sources that stopped, and where"
        )
    if not span.events or not covers(gaps, span):
        raise LostDeclarationError(
            f"{source!r} stands at a gap of {' and '.join(map(str, joined(gaps)))}, and {span} "
            f"{'is' if span.events == 1 else 'are'} not all of that gap: name positions in it with --from, --to"
        )
    again = [each for each in await read_lost(store) if each.source == source and each.last >= span.first]
    if any(each.first <= span.last for each in again):
        raise LostDeclarationError(
            f"{source!r}: some of {span} were declared lost before (`messwerk query declared-lost`): name the others"
        )
    row = LostRow(
        source=source,
        first=span.first,
        last=span.last,
        time=utc(now_ns),
        person=person.strip(),
        reason=reason.strip(),
    )
    await store.insert(LOST, [row], token=f"lost/{source}/{span.first}-{span.last}/{now_ns}")
    return row
