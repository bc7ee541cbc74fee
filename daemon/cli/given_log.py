"""The log that a command line names, and the event in it."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import click

from daemon.log.browsable import BrowsableLog
from daemon.log.opening import open_log_at
from schemas.envelope import Envelope
from schemas.errors import DecodeError, LogError
from schemas.events import Event, decode_event
from schemas.log import StoredEvent


def open_given(data_dir: Path | None, config_dir: Path | None) -> BrowsableLog:
    """Open the log at ``--data``, or at the data directory of ``--config``, or in ``data``."""
    root = data_dir or Path("data")
    if data_dir is None and config_dir is not None:
        from daemon.configuration import data_root, load  # noqa: PLC0415  # reads TOML and workloads only if needed

        root = data_root(load(config_dir, need_keys=False))
    return open_log_at(root)


def event_of(reader: BrowsableLog, named: str) -> StoredEvent:
    """Find an event by its position or its id. Raises :class:`LogError` where it is not."""
    stored = reader.get(int(named)) if named.isdecimal() else reader.find(_identifier(named))
    if stored is None:
        raise LogError(f"no event {named} in {reader.path} (its newest position is {reader.last_seq()})")
    return stored


def typed(envelope: Envelope) -> Event | None:
    """Decode an event to show it; None, and a word on standard error, where that fails."""
    try:
        return decode_event(envelope)
    except DecodeError as problem:
        # What is there is shown as it is: looking at an unreadable event is how one finds out what is wrong.
        click.echo(f"messwerk: {problem}; its data are shown untyped", err=True)
        return None


def _identifier(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as problem:
        raise click.BadParameter(
            f"{text!r} is neither a position nor an id (see `messwerk log tail --json`)", param_hint="SEQ_OR_ID"
        ) from problem
