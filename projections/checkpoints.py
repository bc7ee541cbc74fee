"""How far each projection has folded each source, and under what; kept in the store beside the rows.

A checkpoint is written after the rows that it stands for. What lies between the two after a crash is folded
again and replaces itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated
from uuid import UUID

import msgspec

from projections.contract import AnyProjection
from projections.errors import FoldedOtherwiseError
from projections.folding import Place
from projections.layout import quoted
from projections.store.contract import Store
from projections.tables import NAME, Column, Row, Table
from schemas.definitions import Definitions


class CheckpointRow(Row, frozen=True, kw_only=True):
    """``seq`` is the position up to which everything is folded. ``state`` is the projection's, as hex."""

    projection: Annotated[str, Column(NAME, "projection")]
    version: Annotated[int, Column("UInt32", "version of the projection")]
    definition: Annotated[str, Column(NAME, "definitions that the rows were made with")]
    event: Annotated[UUID, Column("UUID", "identifier of the event at seq: tells a replaced log")]
    state: Annotated[str, Column("String", "msgpack of the fold's state, in hexadecimal", codec="ZSTD(3)")]


class DefinitionsRow(msgspec.Struct, frozen=True, kw_only=True):
    """Definitions under which rows were folded, for queries that need their values."""

    definition: Annotated[str, Column(NAME, "identifier, as stamped on rows")]
    version: Annotated[str, Column("String", "name of the set")]
    last_share: Annotated[float, Column("Float64", "share of chunks for the speed of hidden reasoning")]
    assumed_reasoning_tokens: Annotated[int, Column("UInt32", "stands in for an unknown average, tokens")]
    reasoning_sample_prompts: Annotated[int, Column("UInt32", "distinct prompts that a measured average needs")]
    short_window_us: Annotated[int, Column("UInt64", "speed windows below this are not believed, microseconds")]


CHECKPOINTS = Table(
    name="checkpoints",
    row=CheckpointRow,
    order_by=("projection", "source"),
    partition_by="",
    version="seq",
    comment="how far each projection has folded each source",
)
DEFINITIONS = Table(
    name="definitions",
    row=DefinitionsRow,
    order_by=("definition",),
    partition_by="",
    comment="definitions that rows were made with",
)


async def read_checkpoints(store: Store) -> Sequence[CheckpointRow]:
    """Every checkpoint of the store."""
    found = await store.select(
        "SELECT source, seq, projection, version, definition, event, state FROM checkpoints FINAL"
    )
    return [CheckpointRow(**row) for row in found.dicts()]


async def record_definitions(store: Store, definitions: Definitions) -> None:
    """Make the values of ``definitions`` known to queries."""
    row = DefinitionsRow(
        definition=definitions.id,
        version=definitions.version,
        last_share=definitions.last_share,
        assumed_reasoning_tokens=definitions.assumed_reasoning_tokens,
        reasoning_sample_prompts=definitions.reasoning_sample_prompts,
        short_window_us=definitions.short_window_us,
    )
    await store.insert(DEFINITIONS, [row], token=f"definitions/{definitions.id}")


async def forget_checkpoints(store: Store, projections: Collection[str]) -> None:
    """Let projections begin again at position 0."""
    # A deletion rewrites the table whatever it finds, so it happens once for all of them, and only if there is any.
    there = sorted({row.projection for row in await read_checkpoints(store)} & set(projections))
    if there:
        names = ", ".join(map(quoted, there))
        await store.execute(store.layout.delete(CHECKPOINTS.name, f"projection IN ({names})"))


def place_taken_up(row: CheckpointRow, projection: AnyProjection, definitions: Definitions) -> Place:
    """Return the place that a checkpoint stands for.

    Raises :class:`FoldedOtherwiseError` when its rows were made under other definitions or by another version
    of the projection.
    """
    if row.definition != definitions.id:
        raise FoldedOtherwiseError(
            f"{projection.name} was folded under definitions {row.definition}, and {definitions.id} is "
            "configured: figures of both must not mix. Run `messwerk rebuild` to fold the whole log anew"
        )
    if row.version != projection.version:
        raise FoldedOtherwiseError(
            f"{projection.name} was folded by version {row.version} of the projection, and this build has "
            f"version {projection.version}. Run `messwerk rebuild {projection.name}`"
        )
    state: msgspec.Struct = msgspec.msgpack.decode(bytes.fromhex(row.state), type=projection.state_type)
    return Place(row.seq, row.event, state)


def checkpoint_rows(
    places: Mapping[tuple[str, str], Place],
    versions: Mapping[str, int],
    definition: str,
    *,
    kept_as: Callable[[str], str],
) -> list[CheckpointRow]:
    """Checkpoints of places; ``versions`` by projection, ``kept_as`` gives the name that a projection has in them."""
    return [
        CheckpointRow(
            source=source,
            seq=place.seq,
            projection=kept_as(name),
            version=versions[name],
            definition=definition,
            event=place.event,
            state=msgspec.msgpack.encode(place.state).hex(),
        )
        for (name, source), place in places.items()
        if place.event is not None
    ]
