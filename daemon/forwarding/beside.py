"""Forwarding beside a daemon: its process is kept, the topic looked at once, the backlog told now and then."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from daemon.console import LogFormat, LogLevel
from daemon.forwarding.access import client_arguments
from daemon.forwarding.backlog import backlog
from daemon.forwarding.process import Assignment, keep_forwarding
from daemon.forwarding.topic import look_at_topic
from daemon.live import companions, kept_up
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from daemon.telemetry import Telemetry
from schemas.configuration import Configuration, KafkaTable
from schemas.errors import MesswerkError
from schemas.kafka_clients import quiet_client

_TELL_S: Final = 15.0

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def forwarding(
    configuration: Configuration, paths: DataPaths, told: Telemetry, log_format: LogFormat, log_level: LogLevel
) -> AsyncIterator[None]:
    """Forward while inside, when ``[kafka]`` names brokers. The log must exist. Nothing here ends the measuring.

    Raises :class:`daemon.configuration.InvalidConfigurationError` at once for a password or file that is missing.
    """
    table, directory = configuration.kafka, configuration.directory or "."
    if not table.bootstrap:
        yield
        return
    client_arguments(table, Path(directory), os.environ)
    quiet_client()
    assignment = Assignment(
        table=table, directory=directory, data=str(paths.root), log_format=log_format, log_level=log_level
    )
    tasks = (
        asyncio.create_task(kept_up("forward", partial(keep_forwarding, assignment))),
        asyncio.create_task(kept_up("look at the topic", partial(_look, table, Path(directory)))),
        asyncio.create_task(kept_up("tell backlog", partial(_tell_backlog, table, paths, told))),
    )
    async with companions(*tasks):
        yield


async def _look(table: KafkaTable, directory: Path) -> None:
    try:
        differences = await look_at_topic(client_arguments(table, directory, os.environ), table)
    except MesswerkError as problem:
        _log.warning("the topic could not be looked at; measuring goes on", reason=str(problem))
        return
    for difference in differences:
        _log.warning("the topic is not as configured", difference=difference)


async def _tell_backlog(table: KafkaTable, paths: DataPaths, told: Telemetry) -> None:
    warned: tuple[str, ...] = ()
    with closing(SqliteReader(paths.log)) as reader:
        while True:
            found = await asyncio.to_thread(backlog, paths, reader)
            told.lag("forwarder", found.events)
            told.backlog(found.bytes, found.age_s(time.time_ns()) or 0.0)
            # Sizes in the texts change all the time; what is told anew is that there is a warning at all.
            warnings = found.warnings(table)
            if len(warnings) != len(warned):
                for warning in warnings:
                    _log.warning("forwarding", warning=warning)
            warned = warnings
            await asyncio.sleep(_TELL_S)
