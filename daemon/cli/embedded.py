"""The embedded form put together: daemon, projections and page in one process, child processes under it.

The page comes first, so that whoever started it can watch a history being folded; the daemon comes last, so
that its log has one writer at a time.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    closing,
    nullcontext,
    suppress,
)
from functools import partial
from typing import Final

import click
import msgspec
import structlog

from daemon.app import Daemon
from daemon.cli.account_figures import account_figures
from daemon.cli.calibrating import measured_figures
from daemon.cli.demo import DAY_NS, end_of_history_ns, wants_history
from daemon.cli.history import HistoryBeingPlayed
from daemon.cli.server import server_login
from daemon.composition import make_daemon
from daemon.configuration import builtin
from daemon.console import LogFormat, LogLevel
from daemon.forwarding.beside import forwarding
from daemon.live import companions, kept_up, live_parts, measure_until, read_secrets
from daemon.log import SqliteReader, laid_out
from daemon.paths import DataPaths
from daemon.reference.process import ReferenceProcess
from daemon.telemetry import Telemetry
from dashboards.page import NextSlot, PlayedHistory, Surroundings, make_page, no_history, serve_page
from projections.embedded import Tables, open_embedded, open_server
from projections.errors import FoldedOtherwiseError
from projections.pace import GENTLE, Pace
from projections.queries.registry import run_query
from projections.source import LogSource
from schemas.clocks import Clock
from schemas.configuration import Configuration, PageTable
from schemas.errors import MesswerkError

_RETRY_FOLDING_S: Final = 30.0
_TELL_LAG_S: Final = 15.0

_log = structlog.get_logger(__name__)


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What ``messwerk up`` was asked for. ``port`` None: the configuration's; ``days`` 0: no history."""

    port: int | None
    days: int
    local_model: bool
    log_format: LogFormat
    log_level: LogLevel


class Embedded:
    """One embedded Messwerk. ``given`` None: the built-in configuration over reference endpoints."""

    def __init__(self, given: Configuration | None, paths: DataPaths, clock: Clock, options: Options) -> None:
        self._given = given
        self._paths = paths
        self._clock = clock
        self._options = options
        self._daemon: Daemon | None = None
        self._reader: SqliteReader | None = None
        self._history: Callable[[], PlayedHistory | None] = no_history

    async def run(self, stop: asyncio.Event) -> None:
        """Serve and measure until ``stop`` is set. Raises what made it end by itself."""
        plain = self._given or builtin()
        login = server_login(plain, os.environ)
        async with AsyncExitStack() as stack:
            tables = await stack.enter_async_context(
                open_embedded(
                    self._paths.tables,
                    plain.definitions,
                    http_port=plain.tables.http_port,
                    native_port=plain.tables.native_port,
                )
                if login is None
                else open_server(login, plain.definitions, pace=GENTLE)
            )
            page = make_page(partial(run_query, tables.store), self._surroundings(plain.page))
            port = plain.page.port if self._options.port is None else self._options.port
            served = await stack.enter_async_context(await serve_page(page, plain.page.host, port))
            click.echo(f"Messwerk's page: {served.url}")
            if self._given is None and self._options.days and wants_history(self._paths.log):
                await self._play_history(tables, stop)
            configuration = await stack.enter_async_context(self._configuration())
            if self._options.local_model:
                configuration = await stack.enter_async_context(_local_model(configuration))
            if not stop.is_set():
                await self._measure(configuration, tables, stop)

    def _configuration(self) -> AbstractAsyncContextManager[Configuration]:
        if self._given is not None:
            return nullcontext(self._given)
        return reference_endpoints(self._paths, self._clock, self._options.days)

    async def _measure(self, configuration: Configuration, tables: Tables, stop: asyncio.Event) -> None:
        keys = read_secrets(configuration, self._options.log_format, self._options.log_level)
        options = self._options
        async with (
            live_parts(configuration, self._paths, keys, measured_figures, account_figures) as parts,
            forwarding(configuration, self._paths, parts.telemetry, options.log_format, options.log_level),
        ):
            daemon = make_daemon(configuration, parts)
            await daemon.start()
            self._daemon = daemon
            try:
                with closing(SqliteReader(self._paths.log)) as reader:
                    self._reader = reader
                    folding = asyncio.create_task(kept_up("fold", partial(self._fold, tables, reader, daemon, stop)))
                    telling = asyncio.create_task(
                        kept_up("tell lag", partial(_tell_lag, tables, reader, parts.telemetry))
                    )
                    async with companions(folding, telling):
                        await measure_until(configuration, daemon, parts, stop)
            finally:
                self._daemon = self._reader = None

    async def _fold(self, tables: Tables, reader: SqliteReader, daemon: Daemon, stop: asyncio.Event) -> None:
        """Fold what the daemon writes. Trouble with the tables never stops the measuring, with one exception.

        Tables folded under other definitions ask for a decision, which is better asked for at once than
        found months later.
        """
        # The past at full speed, before there is much to disturb; the present gently, beside the measuring.
        tables.runner.pace = Pace()
        while not stop.is_set():
            try:
                await tables.fold_available(LogSource(reader))
                tables.runner.pace = GENTLE
                await tables.follow(LogSource(reader), stop)
            except FoldedOtherwiseError as problem:
                daemon.fail(problem)
                return
            except MesswerkError as problem:
                _log.error("folding failed; measuring goes on", reason=str(problem), again_in_s=_RETRY_FOLDING_S)
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), _RETRY_FOLDING_S)

    async def _play_history(self, tables: Tables, stop: asyncio.Event) -> None:
        history = HistoryBeingPlayed(self._paths, tables, self._options.days, self._clock.wall_ns())
        self._history = history.reached
        try:
            await history.play(stop)
        finally:
            self._history = no_history

    def _surroundings(self, page: PageTable) -> Surroundings:
        def next_slot() -> NextSlot | None:
            upcoming = self._daemon.next_slot() if self._daemon else None
            return upcoming and NextSlot(slot=upcoming[0].name, at_ms=upcoming[1] // 1_000_000)

        def log_positions() -> Mapping[str, int]:
            return {self._reader.source: self._reader.last_seq()} if self._reader else {}

        def history() -> PlayedHistory | None:
            return self._history()

        return Surroundings(
            now_ms=lambda: self._clock.wall_ns() // 1_000_000,
            next_slot=next_slot,
            history=history,
            log_positions=log_positions,
            allowed_hosts=frozenset({page.host, *page.allowed_hosts}),
        )


async def _tell_lag(tables: Tables, reader: SqliteReader, told: Telemetry) -> None:
    while True:
        behind = reader.last_seq() - tables.runner.positions.get(reader.source, 0)
        told.lag("projection", max(0, behind))
        await asyncio.sleep(_TELL_LAG_S)


@asynccontextmanager
async def reference_endpoints(paths: DataPaths, clock: Clock, days: int) -> AsyncIterator[Configuration]:
    """Serve the reference endpoints in a process of their own, and yield the configuration that measures them."""
    process = ReferenceProcess(history_start_ns=_history_start_ns(paths, clock, days))
    base_url = await process.start()
    try:
        yield builtin(base_url)
    finally:
        await process.stop()


def _history_start_ns(paths: DataPaths, clock: Clock, days: int) -> int:
    """Moment from which the profiles count their days: the log's first event, or the usual history's start."""
    if laid_out(paths.log):
        with closing(SqliteReader(paths.log)) as reader:
            first = reader.read_after(0, limit=1)
        if first:
            return first[0].envelope.wall_ns
    return end_of_history_ns(clock.wall_ns()) - days * DAY_NS


@asynccontextmanager
async def _local_model(configuration: Configuration) -> AsyncIterator[Configuration]:
    from daemon.reference.local_model import LocalModelProcess, with_local_model  # noqa: PLC0415  # an optional extra

    process = LocalModelProcess(heard=lambda words: click.echo(words, err=True))
    base_url = await process.start()
    try:
        yield with_local_model(configuration, base_url)
    finally:
        await process.stop()
