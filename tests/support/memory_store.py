"""Tables in memory, with as much SQL as the runner speaks, and inserts that fail on either side of being stored."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from simulated_processes import Process

from projections.errors import StoreLostError
from projections.migrations import TABLES
from projections.store.contract import Argument, Selection, Store
from projections.tables import Table

_SELECT: Final = re.compile(r"SELECT (?P<columns>.+) FROM (?P<table>\w+) FINAL ?(?P<where>WHERE .+)?", re.DOTALL)
_BY_NAME: Final = "has({names:Array(String)}, name)"


class Database:
    """Rows as they were inserted, and the tokens that made them.

    ``trouble`` is the share of inserts that fail, ``lies`` of those that are acknowledged and not stored.
    """

    def __init__(self) -> None:
        self.trouble = 0.0
        self.lies = 0.0
        self.tables: Mapping[str, Table] = {table.name: table for table in TABLES}
        self.rows: dict[str, list[msgspec.Struct]] = {}
        self.tokens: set[str] = set()

    def final(self, name: str) -> list[msgspec.Struct]:
        """Rows as ``FINAL`` shows them: of equal sorting keys the greatest version, or the newest; sorted."""
        table = self.tables[name]
        kept: dict[tuple[Any, ...], msgspec.Struct] = {}
        for row in self.rows.get(name, []):
            key = tuple(getattr(row, column) for column in table.order_by)
            other = kept.get(key)
            if other is None or not table.version or getattr(row, table.version) >= getattr(other, table.version):
                kept[key] = row
        return [kept[key] for key in sorted(kept, key=repr)]


class MemoryStore(Store):
    """One process's connection to a database."""

    def __init__(self, database: Database, process: Process, chance: random.Random) -> None:
        self._database = database
        self._process = process
        self._chance = chance

    async def select(self, sql: str, arguments: Mapping[str, Argument] | None = None) -> Selection:
        self._check()
        asked = _SELECT.match(sql)
        assert asked is not None, f"more SQL than this store speaks: {sql}"
        rows = self._database.final(asked["table"])
        if asked["where"]:
            assert _BY_NAME in asked["where"], f"more SQL than this store speaks: {sql}"
            assert arguments is not None, "the names are an argument"
            names = arguments["names"]
            assert isinstance(names, Sequence), "names are a sequence"
            rows = [row for row in rows if not names or row.name in names]  # type: ignore[attr-defined]  # quarantine's
        columns = tuple(column.strip().strip("`") for column in asked["columns"].split(","))
        return Selection(columns, ("",) * len(columns), tuple(tuple(getattr(r, c) for c in columns) for r in rows))

    async def execute(self, statement: str) -> None:
        raise AssertionError(f"nothing here changes tables: {statement}")

    async def insert(
        self, table: Table, rows: Sequence[msgspec.Struct], *, token: str, into: str | None = None
    ) -> None:
        assert into is None, "nothing is rebuilt here"
        self._check()
        fails = self._chance.random() < self._database.trouble
        if fails and self._chance.random() < 0.5:
            raise StoreLostError("simulated: cut before the insert")
        if self._database.lies and self._chance.random() < self._database.lies:
            return
        if rows and token not in self._database.tokens:
            self._database.tokens.add(token)
            self._database.rows.setdefault(table.name, []).extend(rows)
        if fails:
            if self._chance.random() < 0.5:
                self._process.kill()
            raise StoreLostError("simulated: cut after the insert")

    async def close(self) -> None:
        pass

    def _check(self) -> None:
        if not self._process.alive:
            raise StoreLostError("this process is dead")
