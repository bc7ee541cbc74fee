"""What a projection is: a pure fold from events to rows, with a small state that survives restarts.

A projection knows neither store nor source nor clock. For the same events and definitions it makes the same
rows, whatever batches they come in; the runner keeps positions and decides when rows are inserted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from projections.tables import Row, Table
from schemas.definitions import Definitions
from schemas.envelope import Envelope
from schemas.events import Event
from schemas.timeline import Timeline, TimelineColumns, unpack_columns

S = TypeVar("S", bound=msgspec.Struct)


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A decoded event beside its envelope."""

    envelope: Envelope
    event: Event
    _columns: TimelineColumns | None = None

    def columns(self, timeline: Timeline) -> TimelineColumns:
        """Unpack the event's timeline, once for all projections. Raises as ``unpack_columns`` does."""
        columns = self._columns
        if columns is None:
            columns = unpack_columns(timeline)
            msgspec.structs.force_setattr(self, "_columns", columns)
        return columns


class Insertion(msgspec.Struct, frozen=True, gc=False):
    """Rows for one table."""

    table: Table
    row: Row


class NoState(msgspec.Struct, frozen=True):
    """State of a projection that needs none."""


class Projection(ABC, Generic[S]):
    """One fold. Subclasses are stateless; what must be remembered between events is an ``S``.

    ``version`` grows whenever the same events would give other rows; the tables then want a rebuild.
    ``state_type`` is a frozen Struct that msgpack can hold; it must stay small, for it is written with every
    batch.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    tables: ClassVar[tuple[Table, ...]]
    reads: ClassVar[tuple[type[Event], ...]]
    state_type: type[S]

    @abstractmethod
    def start(self) -> S:
        """State before the first event of a source."""

    @abstractmethod
    def fold(self, state: S, entries: Sequence[Entry], definitions: Definitions) -> tuple[S, Sequence[Insertion]]:
        """State after some events of one source, of types in ``reads`` and in order, and the rows that they give.

        However events are cut into calls, state and rows come out the same.
        """


class EachByItself(Projection[NoState]):
    """A projection whose rows of an event hang on that event alone: neither on others nor on definitions."""

    state_type = NoState

    @abstractmethod
    def rows(self, entry: Entry) -> Iterable[Insertion]:
        """Return the rows that one event gives; none of an event that says nothing here."""

    def start(self) -> NoState:
        """See :class:`Projection`."""
        return NoState()

    def fold(
        self,
        state: NoState,
        entries: Sequence[Entry],
        definitions: Definitions,  # noqa: ARG002  # rows hold facts alone
    ) -> tuple[NoState, Sequence[Insertion]]:
        """See :class:`Projection`."""
        return state, [row for entry in entries for row in self.rows(entry)]


AnyProjection = Projection[Any]
