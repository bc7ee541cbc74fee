"""What the commands about tables share: configuration, log, and tables wherever they are served."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path

import msgspec

from daemon.cli.server import server_login
from daemon.configuration import builtin, data_root, load
from daemon.forwarding.access import client_arguments
from daemon.log import SqliteReader
from daemon.log.browsable import BrowsableLog
from daemon.log.opening import open_log_at, verify_log
from daemon.log.segments.file import segment_files
from daemon.paths import DataPaths
from projections.archives import ArchivedSource
from projections.embedded import Tables, open_running_or_embedded, open_server
from projections.kafka.client import AiokafkaCarrier, KafkaAccess
from projections.kafka.membership import client_id, tables_identity
from projections.kafka.source import KafkaSource
from projections.source import EventSource, LogSource
from projections.store.contract import Store
from projections.store.directory import running_server
from schemas.configuration import Configuration
from schemas.errors import LogError
from schemas.kafka_clients import quiet_client


class Installation(msgspec.Struct, frozen=True, kw_only=True):
    """One configuration and where its data lie."""

    configuration: Configuration
    paths: DataPaths

    @property
    def folded_elsewhere(self) -> str | None:
        """Definitions under which another process folds these tables; None when none does.

        Of a server of the operator's own nobody can tell.
        """
        if self.configuration.tables.server is not None:
            return None
        found = running_server(self.paths.tables)
        return found[0].definition if found else None


def installation(config_dir: Path | None, data_dir: Path | None) -> Installation:
    """Read the configuration, or take the built-in one. Keys are not needed: nothing is sent."""
    configuration = builtin() if config_dir is None else load(config_dir, need_keys=False)
    return Installation(configuration=configuration, paths=DataPaths(data_root(configuration, data_dir)))


@contextmanager
def open_log(place: Installation) -> Iterator[SqliteReader]:
    """Open the log for reading. Raises :class:`LogError` when there is none yet."""
    if not place.paths.log.exists():
        raise LogError(
            f"there is no log at {place.paths.log}: name the data directory with --data, or start with `messwerk up`"
        )
    with closing(SqliteReader(place.paths.log)) as reader:
        yield reader


@contextmanager
def open_any_log(place: Installation) -> Iterator[BrowsableLog]:
    """Open the log, or what is sealed of it where its SQLite file is gone. Raises as :func:`open_log`."""
    if place.paths.log.exists() or not segment_files(place.paths.sealed):
        with open_log(place) as reader:
            yield reader
    else:
        with closing(open_log_at(place.paths.root)) as sealed:
            yield sealed


@asynccontextmanager
async def open_events(
    place: Installation, *, group: str | None = None, into: Store | None = None
) -> AsyncIterator[EventSource]:
    """Open what the configuration says events come from: the topic where it names brokers, else the log.

    group: joins these members, who share the topic; None reads all of it and leaves no trace. into: the tables
    that the members fill; raises :class:`projections.errors.GroupTakenError` when others fill other ones.
    """
    kafka = place.configuration.kafka
    if not kafka.bootstrap:
        with open_any_log(place) as reader:
            yield LogSource(reader)
        return
    quiet_client()
    arguments = client_arguments(kafka, Path(place.configuration.directory or "."), os.environ)
    tables = None if into is None else await tables_identity(into)
    access = KafkaAccess(
        topic=kafka.topic,
        client=arguments,
        fetch_bytes=kafka.message_bytes,
        client_id="" if tables is None else client_id(tables),
    )
    source = KafkaSource(AiokafkaCarrier(access, group), tables)
    try:
        await source.open()
        yield source
    finally:
        await source.close()


@asynccontextmanager
async def open_archives(archives: Sequence[Path], live: EventSource) -> AsyncIterator[EventSource]:
    """Read these logs before ``live``. Each is verified first: tables must not be folded from a damaged copy."""
    if not archives:
        yield live
        return
    with ExitStack() as opened:
        readers = [opened.enter_context(closing(open_log_at(path))) for path in archives]
        for reader in readers:
            await asyncio.to_thread(verify_log, reader)
            end = reader.last_seq()
            own = None if live.shared else await live.identify(reader.source, end)
            if own is not None and own != reader.tail(1)[0].envelope.id:
                raise LogError(
                    f"event {end} of {reader.source!r} is another one in {reader.path} than in the log: one of both "
                    "is from another history; nothing was folded"
                )
        yield ArchivedSource(readers, live)


@asynccontextmanager
async def open_tables(place: Installation) -> AsyncIterator[Tables]:
    """Talk to the operator's own server or to the child that runs; else start a child for the length of a command."""
    login = server_login(place.configuration, os.environ)
    opened = (
        open_running_or_embedded(place.paths.tables, place.configuration.definitions)
        if login is None
        else open_server(login, place.configuration.definitions)
    )
    async with opened as tables:
        yield tables
