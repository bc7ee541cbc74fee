"""Bytes that no reader can decode, kept in the store until somebody has decided about them.

What a quarantined position means:

* An event whose envelope can be read has a position. The position counts as folded, without any content: no
  gap. A rebuild reads the same bytes again and comes to the same rows, until a build reads them; from then on
  a rebuild folds the event in its place.
* Bytes without an envelope have no position. If they stood in the place of an event, the next event of that
  source shows a gap, and that source stops. Dropping the bytes and naming the position that they took declares
  exactly that position lost; then the reader passes over it, and so does every rebuild.

Nothing is ever removed from the table. What was found has change 0, so that finding it again never undoes a
decision.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Final, Literal

import msgspec

from projections.careful import Poisoned
from projections.errors import QuarantineEntryError
from projections.source import Undecodable
from projections.store.contract import Store
from projections.tables import MAYBE_NAME, NAME, UTC_TIME, Column, Table
from projections.times import utc
from schemas.envelope import decode_envelope
from schemas.errors import DecodeError
from schemas.events import decode_event

QuarantineState = Literal["held", "readable", "dropped"]
"""held: nobody has decided. readable: a newer build can read it, a rebuild takes it in. dropped: given up."""


class QuarantineRow(msgspec.Struct, frozen=True, kw_only=True):
    """One stretch of undecodable bytes. Where it lies and what it says of itself are null where unknown."""

    name: Annotated[str, Column("String", "topic/partition/offset, or source@seq for an event with a position")]
    change: Annotated[int, Column("UInt64", "when it was decided about, nanoseconds since 1970; 0 when found")]
    time: Annotated[datetime, Column(UTC_TIME, "when it was found")]
    topic: Annotated[str | None, Column(MAYBE_NAME, "topic, null where the event itself says where it belongs")]
    partition: Annotated[int | None, Column("Nullable(UInt32)", "partition")]
    offset: Annotated[int | None, Column("Nullable(UInt64)", "offset of the record")]
    source: Annotated[str | None, Column(MAYBE_NAME, "daemon, by the envelope or by the key of the record")]
    seq: Annotated[int | None, Column("Nullable(UInt64)", "position, by the envelope or as declared when dropped")]
    type: Annotated[str | None, Column(MAYBE_NAME, "type of the event, by the envelope")]
    reason: Annotated[str, Column("String", "why it cannot be decoded")]
    bytes: Annotated[str, Column("String", "the bytes, in hexadecimal", codec="ZSTD(3)")]
    state: Annotated[str, Column(NAME, "held, readable or dropped")]
    decision: Annotated[str, Column("String", "reason given for dropping it")]


QUARANTINE: Final = Table(
    name="quarantine",
    row=QuarantineRow,
    order_by=("name",),
    partition_by="",
    version="change",
    comment="bytes that could not be decoded, and what was decided about them",
)

_COLUMNS: Final = ", ".join(f"`{column}`" for column in QuarantineRow.__struct_fields__)


async def read_quarantine(store: Store, names: Collection[str] = ()) -> Sequence[QuarantineRow]:
    """Every entry, or those of these names, in order of finding."""
    found = await store.select(
        f"SELECT {_COLUMNS} FROM quarantine FINAL "  # noqa: S608  # names of ours; the value is a parameter
        "WHERE empty({names:Array(String)}) OR has({names:Array(String)}, name) ORDER BY time, name",
        {"names": list(names)},
    )
    return [QuarantineRow(**row) for row in found.dicts()]


async def hold(
    store: Store, undecodable: Sequence[Undecodable], poisoned: Sequence[Poisoned], *, now_ns: int
) -> Collection[str]:
    """Put bytes aside; those that are there already stay as they are. Return the names that nobody decided about."""
    rows = [_row_of_bytes(each, now_ns) for each in undecodable] + [_row_of_event(each, now_ns) for each in poisoned]
    if not rows:
        return ()
    there = {row.name: row for row in await read_quarantine(store, [row.name for row in rows])}
    new = [row for row in rows if row.name not in there]
    # One after the other: their tokens are their names, whoever finds them.
    for row in new:
        await store.insert(QUARANTINE, [row], token=f"quarantine/{row.name}")
    return [row.name for row in rows if row.name not in there or there[row.name].state != "dropped"]


async def dropped_positions(store: Store) -> Mapping[str, frozenset[int]]:
    """Positions by source of what was dropped."""
    found: dict[str, set[int]] = {}
    for row in await read_quarantine(store):
        if row.state == "dropped" and row.source is not None and row.seq is not None:
            found.setdefault(row.source, set()).add(row.seq)
    return {source: frozenset(seqs) for source, seqs in found.items()}


async def retry(store: Store, names: Sequence[str], *, now_ns: int) -> Sequence[QuarantineRow]:
    """Try to decode entries (all that are held, for no name) with this build; return them as they are now.

    What can be decoded becomes ``readable``: the next rebuild folds it in its place.
    """
    rows = await _entries(store, names) if names else [r for r in await read_quarantine(store) if r.state == "held"]
    tried = [_tried(row, now_ns) for row in rows]
    for before, after in zip(rows, tried, strict=True):
        if after != before:
            await store.insert(QUARANTINE, [after], token=f"quarantine/{after.name}/{after.change}")
    return tried


async def drop(
    store: Store, name: str, *, reason: str, now_ns: int, position: tuple[str, int] | None = None
) -> QuarantineRow:
    """Give one entry up, with a reason that is kept beside it; ``position`` is what it took, where unknown.

    Raises :class:`QuarantineEntryError` for an unknown entry, and for a position other than the known one.
    """
    (row,) = await _entries(store, [name])
    if not reason.strip():
        raise QuarantineEntryError(f"{name}: dropping it needs a reason, which is kept: give one with --reason")
    if position is not None:
        if row.type is not None:
            raise QuarantineEntryError(f"{name} is event {row.seq} of {row.source!r} by its own words; name no other")
        row = msgspec.structs.replace(row, source=position[0], seq=position[1])
    dropped = msgspec.structs.replace(row, state="dropped", decision=reason, change=max(now_ns, row.change + 1))
    await store.insert(QUARANTINE, [dropped], token=f"quarantine/{name}/{dropped.change}")
    return dropped


async def _entries(store: Store, names: Sequence[str]) -> Sequence[QuarantineRow]:
    found = await read_quarantine(store, names)
    unknown = set(names) - {row.name for row in found}
    if unknown:
        raise QuarantineEntryError(
            f"not in quarantine: {', '.join(sorted(unknown))}; `messwerk quarantine list` shows what is"
        )
    return found


def _tried(row: QuarantineRow, now_ns: int) -> QuarantineRow:
    try:
        decode_event(decode_envelope(bytes.fromhex(row.bytes)))
    except DecodeError as problem:
        changed = {"reason": str(problem)}
    else:
        changed = {"state": "readable" if row.state == "held" else row.state}
    after = msgspec.structs.replace(row, **changed)
    return row if after == row else msgspec.structs.replace(after, change=max(now_ns, row.change + 1))


def _row_of_bytes(each: Undecodable, now_ns: int) -> QuarantineRow:
    return QuarantineRow(
        name=each.name,
        change=0,
        time=utc(now_ns),
        topic=each.topic,
        partition=each.partition,
        offset=each.offset,
        source=each.source,
        seq=None,
        type=None,
        reason=each.reason,
        bytes=each.raw.hex(),
        state="held",
        decision="",
    )


def _row_of_event(each: Poisoned, now_ns: int) -> QuarantineRow:
    envelope = each.stored.envelope
    return QuarantineRow(
        name=f"{envelope.source}@{envelope.seq}",
        change=0,
        time=utc(now_ns),
        topic=None,
        partition=None,
        offset=None,
        source=envelope.source,
        seq=envelope.seq,
        type=envelope.type,
        reason=each.reason,
        bytes=each.stored.raw.hex(),
        state="held",
        decision="",
    )
