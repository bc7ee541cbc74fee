"""``messwerk log``: look at the event log, take it elsewhere, and prove that nobody changed it.

None of it writes the log, so it may run while a daemon does. Sealing and retention: :mod:`daemon.cli.sealing`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NoReturn
from uuid import UUID

import click
import msgspec
import zstandard

from daemon.cli.options import config_option, data_option, json_option
from daemon.cli.sealing import seal_command, tidy_command
from daemon.log.browsable import BrowsableLog
from daemon.log.opening import open_log_at, verify_log
from daemon.log.summary import line
from daemon.log.verify import Verified
from schemas.envelope import Envelope, envelope_to_json
from schemas.errors import DecodeError, LogDamagedError, LogError
from schemas.events import EVENT_TYPES, AttemptCompleted, Event, decode_event
from schemas.log import StoredEvent
from schemas.timeline import unpack_timeline

_BATCH = 500
_POLL_S = 0.25


@click.group()
def log() -> None:
    """Look into the event log, export it, verify it, seal it.

    --data may also name a directory of sealed segments, or a backup.
    """


log.add_command(seal_command)
log.add_command(tidy_command)


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
    with closing(_open(data_dir, config_dir)) as reader:
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
    with closing(_open(data_dir, config_dir)) as reader:
        stored = reader.get(int(event)) if event.isdecimal() else reader.find(_identifier(event))
        if stored is None:
            raise LogError(f"no event {event} in {reader.path} (its newest position is {reader.last_seq()})")
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
    with closing(_open(data_dir, config_dir)) as reader, _sink(output) as sink:
        for stored in _range(reader, first, last):
            sink.write(_json(stored.envelope) + b"\n")
            count += 1
    if output is not None:
        click.echo(f"{count} events written to {output}", err=True)


@log.command("verify")
@click.argument("place", type=click.Path(path_type=Path), required=False, metavar="[PATH]")
@json_option
@data_option
@config_option
def verify_command(*, place: Path | None, as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """Recompute every hash and every checkpoint; name the first wrong position.

    PATH: a log's file, a data directory, a directory of sealed segments or a backup, in place of --data.
    """
    try:
        reader = _open(place or data_dir, config_dir)
    except LogDamagedError as problem:
        _damaged(place or data_dir, problem, as_json=as_json)
    with closing(reader):
        path = reader.path
        try:
            quiet = not sys.stderr.isatty()
            with click.progressbar(length=reader.last_seq(), label="verifying", file=sys.stderr, hidden=quiet) as bar:
                verified = verify_log(reader, bar.update)
        except LogDamagedError as problem:
            _damaged(path, problem, as_json=as_json)
    click.echo(_verified_json(verified) if as_json else _verified_text(path, verified))


def _damaged(path: Path | None, problem: LogDamagedError, *, as_json: bool) -> NoReturn:
    if as_json:
        click.echo(msgspec.json.encode({"ok": False, "seq": problem.seq, "problem": str(problem)}))
    else:
        click.echo(f"{path}: DAMAGED at seq {problem.seq}: {problem}")
    sys.exit(problem.exit_code)


def _follow(reader: BrowsableLog, after: int, *, kind: str | None, as_json: bool) -> None:
    while True:
        fresh = reader.read_after(after, limit=_BATCH)
        _print([stored for stored in fresh if kind in (None, stored.envelope.type)], as_json=as_json)
        if fresh:
            after = fresh[-1].envelope.seq
        else:
            time.sleep(_POLL_S)


def _open(data_dir: Path | None, config_dir: Path | None) -> BrowsableLog:
    root = data_dir or Path("data")
    if data_dir is None and config_dir is not None:
        from daemon.configuration import data_root, load  # noqa: PLC0415  # reads TOML and workloads only if needed

        root = data_root(load(config_dir, need_keys=False))
    return open_log_at(root)


def _identifier(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as problem:
        raise click.BadParameter(
            f"{text!r} is neither a position nor an id (see `messwerk log tail --json`)", param_hint="SEQ_OR_ID"
        ) from problem


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
    return envelope_to_json(envelope, _typed(envelope))


def _typed(envelope: Envelope) -> Event | None:
    try:
        return decode_event(envelope)
    except DecodeError as problem:
        # What is there is shown as it is: looking at an unreadable event is how one finds out what is wrong.
        click.echo(f"messwerk: {problem}; its data are shown untyped", err=True)
        return None


def _print_reads(envelope: Envelope) -> None:
    event = _typed(envelope)
    if not isinstance(event, AttemptCompleted):
        raise LogError(f"event {envelope.seq} is {envelope.type}; only attempt-completed has reads")
    click.echo(f"{'ms':>12} {'bytes':>8}  {'channel':<10} {'tokens':>6}")
    for row in unpack_timeline(event.timeline):
        milliseconds = f"{row.elapsed_us / 1000:.3f}"
        click.echo(f"{milliseconds:>12} {row.read_bytes:>8}  {row.channel.name.lower():<10} {row.tokens:>6}")


def _verified_text(path: Path, verified: Verified) -> str:
    return (
        f"{path}: sound\n"
        f"  source       {verified.source}\n"
        f"  events       {verified.size}\n"
        f"  root         {verified.root.hex()}\n"
        f"  checkpoints  {verified.checkpoints}, {verified.uncovered} events after the last one"
        + (
            f"\n  unknown      {verified.unknown} events of types or versions that this build does not know"
            * bool(verified.unknown)
        )
    )


def _verified_json(verified: Verified) -> bytes:
    return msgspec.json.encode(
        {
            "ok": True,
            "source": verified.source,
            "size": verified.size,
            "root": verified.root.hex(),
            "checkpoints": verified.checkpoints,
            "uncovered": verified.uncovered,
            "unknown": verified.unknown,
        }
    )


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
