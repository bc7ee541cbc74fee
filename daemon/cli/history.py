"""The simulated history that the embedded form begins with: played in a process of its own, folded while it grows.

Playing itself is ``messwerk demo``'s; here is what goes on around it, and how far it has come.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import closing
from typing import Final

from daemon.cli.demo import DAY_NS, begun_history, end_of_history_ns
from daemon.log import SqliteReader, laid_out
from daemon.paths import DataPaths
from dashboards.page import PlayedHistory
from projections.embedded import Tables
from projections.pace import Pace
from projections.source import LogSource
from schemas.errors import MesswerkError

_LOOK_AGAIN_S: Final = 0.2


class HistoryError(MesswerkError):
    """The simulated history could not be played; what it said is above, on standard error."""


class HistoryBeingPlayed:
    """Plays a history of so many days that ends before ``now_ns``, or goes on with one that was broken off."""

    def __init__(self, paths: DataPaths, tables: Tables, days: int, now_ns: int) -> None:
        self._paths = paths
        self._tables = tables
        self._days = days
        self._now_ns = now_ns
        self._to_ns = end_of_history_ns(now_ns)
        begun = begun_history(paths.log)
        self._from_ns = self._to_ns - days * DAY_NS if begun is None else begun.first_ns
        self._reader: SqliteReader | None = None

    async def play(self, stop: asyncio.Event) -> None:
        """Play it to its end or until ``stop``, and fold all of it. Raises :class:`HistoryError`."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "daemon.cli", "demo",
            "--data", str(self._paths.root), "--days", str(self._days), "--until-ns", str(self._now_ns),
        )  # fmt: skip
        over = asyncio.Event()
        folding = asyncio.create_task(self._fold(over), name="fold the history")
        waiting = asyncio.create_task(stop.wait())
        ending = asyncio.create_task(process.wait())
        try:
            await asyncio.wait({waiting, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            if process.returncode is None:
                process.terminate()
            code = await ending
            over.set()
            await folding
        if code != 0 and not stop.is_set():
            raise HistoryError(f"playing {self._days} simulated days ended with exit code {code}")

    def reached(self) -> PlayedHistory:
        """Return how far the tables have it."""
        newest = None
        if self._reader is not None:
            newest = self._reader.get(self._tables.runner.positions.get(self._reader.source, 0))
        reached_ns = self._from_ns if newest is None else newest.envelope.wall_ns
        return PlayedHistory(
            from_ms=self._from_ns // 1_000_000, to_ms=self._to_ns // 1_000_000, reached_ms=reached_ns // 1_000_000 + 1
        )

    async def _fold(self, over: asyncio.Event) -> None:
        tables = self._tables
        tables.runner.pace = Pace()
        while not laid_out(self._paths.log):
            if over.is_set():
                return
            await asyncio.sleep(_LOOK_AGAIN_S)
        with closing(SqliteReader(self._paths.log)) as reader:
            self._reader = reader
            try:
                await tables.follow(LogSource(reader), over, interval_s=_LOOK_AGAIN_S)
                await tables.fold_available(LogSource(reader))
            finally:
                self._reader = None
