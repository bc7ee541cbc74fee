"""The contract of a store, whatever serves it.

Runners, rebuilds and queries need only what is said here. Only modules of this package know a client library.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

from projections.layout import Layout
from projections.tables import Table

Argument = str | int | float | bool | datetime | Decimal | UUID | Sequence[str]
"""Value of a typed ``{name:Type}`` parameter; times are aware."""


class Selection(msgspec.Struct, frozen=True):
    """Result of a query: names, ClickHouse types, and rows. Times are aware and in UTC, NULL is None.

    Without any row, names and types may be missing too: the server sends nothing then.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def dicts(self) -> list[dict[str, Any]]:
        """Rows as mappings from column to value."""
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]


class Store(ABC):
    """Tables of one database. Every method raises :class:`projections.errors.StoreError`.

    What the server refuses for now (busy, short of memory or of disk) and what is lost with a connection is
    tried again where that cannot do harm: reads, and inserts under their token.
    """

    @property
    def layout(self) -> Layout:
        """Where the tables lie; statements are made for it."""
        return Layout()

    @abstractmethod
    async def select(self, sql: str, arguments: Mapping[str, Argument] | None = None) -> Selection:
        """Read, with the rights of a reader who can change nothing; ``{name:Type}`` takes an argument."""

    @abstractmethod
    async def execute(self, statement: str) -> None:
        """Carry out one statement that changes tables; never repeated on its own after a broken connection."""

    @abstractmethod
    async def insert(
        self, table: Table, rows: Sequence[msgspec.Struct], *, token: str, into: str | None = None
    ) -> None:
        """Insert rows of ``table.row`` as one block: all of them or none.

        ``token`` names this batch: a repetition under the same name changes nothing. ``into`` is another
        table of the same shape.
        """

    @abstractmethod
    async def close(self) -> None:
        """Release connections, and the server if it is ours."""
