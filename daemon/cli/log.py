"""``messwerk log``: look at the event log, take it elsewhere, and prove that nobody changed it.

None of what is here writes the log, so it may run while a daemon does. Proofs and verification:
:mod:`daemon.cli.proving`. Sealing and retention: :mod:`daemon.cli.sealing`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import click
import msgspec
import zstandard

from daemon.cli.given_log import event_of, open_given, typed
from daemon.cli.groups import ToldInFull
from daemon.cli.options import config_option, data_option, json_option
from daemon.cli.proving import checkpoint_command, prove_command, verify_command
from daemon.cli.sealing import seal_command, tidy_command
from daemon.log.browsable import BrowsableLog
from daemon.log.summary import line
from schemas.envelope import Envelope, envelope_to_json
from schemas.errors import LogError
from schemas.events import EVENT_TYPES, AttemptCompleted
from schemas.log import StoredEvent
from schemas.timeline import unpack_timeline

_BATCH = 500
_POLL_S = 0.25


@click.group(cls=ToldInFull)
def log() -> None:
    """Look into the event log, export it, verify it, seal it.

    --data may also name a directory of sealed segments, or a backup.
    """


for _command in (verify_command, checkpoint_command, prove_command, seal_command, tidy_command):
    log.add_command(_command)


@log.command()
@click.option(
    "-n", "count", type=click.IntRange(0), default=20, show_default=True, help="How many events to begin with."
)
@click.option("-f", "--follow", is_flag=True, help="Go on printing events as they are appended, until interrupted.")
@click.option("-t", "--type", "kind", type=click.Choice(sorted(EVENT_TYPES)), help="Only events of this type.")
@json_option
@data_option
@config_option
def tail(
    *, count: int, follow: bool, kind: str | None, as_json: bool, data_dir: Path | None, config_dir: Path | None
) -> None:
    """Print the newest events, one line each."""
    with closing(open_given(data_dir, config_dir)) as reader:
        after = reader.last_seq()
        _print([stored for stored in reader.tail(count, kind=kind) if stored.envelope.seq <= after], as_json=as_json)
        if follow:
            # Interrupting is how following ends, not an error.
            with suppress(KeyboardInterrupt):
                _follow(reader, after, kind=kind, as_json=as_json)


@log.command()
@click.argument("event", metavar="SEQ_OR_ID")
@click.option("--reads", is_flag=True, help="For a completed attempt: list its reads instead, one a line.")
@data_option
@config_option
def show(*, event: str, reads: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """Print one event in full, as JSON, found by its position or its id."""
    with closing(open_given(data_dir, config_dir)) as reader:
        stored = event_of(reader, event)
    if reads:
        _print_reads(stored.envelope)
    else:
        click.echo(msgspec.json.format(_json(stored.envelope), indent=2))


@log.command()
@click.option("--from", "first", type=click.IntRange(1), default=1, show_default=True, help="First position.")
@click.option("--to", "last", type=click.IntRange(1), help="Last position; without it, to the end.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A .jsonl or .jsonl.zst file, else stdout.",
)
@data_option
@config_option
def export(
    *, first: int, last: int | None, output: Path | None, data_dir: Path | None, config_dir: Path | None
) -> None:
    """Write events as JSON, one a line."""
    if output is not None and not output.name.endswith((".jsonl", ".jsonl.zst")):
        raise click.BadParameter("name a .jsonl or a .jsonl.zst file", param_hint="--output")
    if last is not None and last < first:
        raise click.BadParameter(f"{last} lies before --from {first}", param_hint="--to")
    count = 0
    with closing(open_given(data_dir, config_dir)) as reader, _sink(output) as sink:
        for stored in _range(reader, first, last):
            sink.write(_json(stored.envelope) + b"\n")
            count += 1
    if output is not None:
        click.echo(f"{count} events written to {output}", err=True)


def _follow(reader: BrowsableLog, after: int, *, kind: str | None, as_json: bool) -> None:
    while True:
        fresh = reader.read_after(after, limit=_BATCH)
        _print([stored for stored in fresh if kind in (None, stored.envelope.type)], as_json=as_json)
        if fresh:
            after = fresh[-1].envelope.seq
        else:
            time.sleep(_POLL_S)


def _range(reader: BrowsableLog, first: int, last: int | None) -> Iterator[StoredEvent]:
    after = first - 1
    while events := reader.read_after(after, limit=_BATCH):
        for stored in events:
            after = stored.envelope.seq
            if last is not None and after > last:
                return
            yield stored


def _print(events: list[StoredEvent], *, as_json: bool) -> None:
    for stored in events:
        click.echo(_json(stored.envelope) if as_json else line(stored.envelope))


def _json(envelope: Envelope) -> bytes:
    return envelope_to_json(envelope, typed(envelope))


def _print_reads(envelope: Envelope) -> None:
    event = typed(envelope)
    if not isinstance(event, AttemptCompleted):
        raise LogError(f"event {envelope.seq} is {envelope.type}; only attempt-completed has reads")
    click.echo(f"{'ms':>12} {'bytes':>8}  {'channel':<10} {'tokens':>6}")
    for row in unpack_timeline(event.timeline):
        milliseconds = f"{row.elapsed_us / 1000:.3f}"
        click.echo(f"{milliseconds:>12} {row.read_bytes:>8}  {row.channel.name.lower():<10} {row.tokens:>6}")


@contextmanager
def _sink(output: Path | None) -> Iterator[IO[bytes] | Any]:
    """Stdout, or a file that appears under its name only when it is whole."""
    if output is None:
        yield sys.stdout.buffer
        return
    temporary = output.with_name(f".{output.name}.{os.getpid()}.part")
    try:
        opened = temporary.open("wb")
    except OSError as problem:
        raise LogError(f"cannot write {output}: {problem.strerror}; check the directory") from problem
    try:
        with opened as file:
            if output.name.endswith(".zst"):
                with zstandard.ZstdCompressor(level=9).stream_writer(file, closefd=False) as compressed:
                    yield compressed
            else:
                yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(output)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
