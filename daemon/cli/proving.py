"""``messwerk log verify | checkpoint | prove``: whether the log was changed, and what shows it to somebody else."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import click
import msgspec

from daemon.cli.given_log import event_of, open_given, typed
from daemon.cli.options import config_option, data_option, json_option
from daemon.log.browsable import BrowsableLog
from daemon.log.opening import verify_log
from daemon.log.proving import newest_checkpoint, prove
from daemon.log.published import published_in
from daemon.log.reader import SqliteReader
from daemon.log.sqlite import LogFile
from daemon.log.summary import utc
from daemon.log.verify import Verified
from schemas.clocks import SystemClock
from schemas.envelope import envelope_to_json
from schemas.errors import ConfigurationError, LogDamagedError, LogError, LogLockedError

AGAINST = "A checkpoint kept elsewhere: SIZE:ROOT, or a file of what `messwerk log checkpoint --json` printed."


@click.command("verify")
@click.argument("place", type=click.Path(path_type=Path), required=False, metavar="[PATH]")
@click.option("--against", metavar="FILE|SIZE:ROOT", help=f"{AGAINST} The log must extend each in the file.")
@json_option
@data_option
@config_option
def verify_command(
    *, place: Path | None, against: str | None, as_json: bool, data_dir: Path | None, config_dir: Path | None
) -> None:
    """Recompute every hash and every checkpoint; name the first wrong position.

    PATH: a log's file, a data directory, a directory of sealed segments or a backup, in place of --data.
    """
    published = () if against is None else published_in(against)
    try:
        reader = open_given(place or data_dir, config_dir)
    except LogDamagedError as problem:
        _damaged(place or data_dir, problem, as_json=as_json)
    with closing(reader):
        path = reader.path
        try:
            quiet = not sys.stderr.isatty()
            with click.progressbar(length=reader.last_seq(), label="verifying", file=sys.stderr, hidden=quiet) as bar:
                verified = verify_log(reader, bar.update, published)
        except LogDamagedError as problem:
            _damaged(path, problem, as_json=as_json)
    met = [each.size for each in published]
    click.echo(_verified_json(verified, met) if as_json else _verified_text(path, verified, met))


@click.command("checkpoint")
@click.option("--no-append", is_flag=True, help="Only print the newest checkpoint there is, for a copy of a log.")
@json_option
@data_option
@config_option
def checkpoint_command(*, no_append: bool, as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """Print size and root of the log's newest checkpoint, to keep or publish elsewhere.

    Where no daemon holds the log and events came after the newest checkpoint, one over them is appended first.
    While a daemon runs, the newest one is printed; it adds one every 1,000 events and at its stop.
    """
    with closing(open_given(data_dir, config_dir)) as reader:
        if not no_append and isinstance(reader, SqliteReader):
            _append(reader)
        found = newest_checkpoint(reader)
        if found is None:
            raise LogError(
                f"no checkpoint in {reader.path} yet: a daemon writes one every 1,000 events and at its stop; stop "
                "it, and repeat this command without --no-append"
            )
        stored, event = found
        time = utc(stored.envelope.wall_ns)
        if as_json:
            told = {
                "source": reader.source,
                "size": event.size,
                "root": event.root.hex(),
                "subtrees": [each.hex() for each in event.subtrees],
                "time": time,
                "seq": stored.envelope.seq,
            }
            click.echo(msgspec.json.encode(told))
        else:
            click.echo(
                f"source      {reader.source}\nsize        {event.size}\nroot        {event.root.hex()}\n"
                f"time        {time}\ncheckpoint  {event.size}:{event.root.hex()}"
            )


@click.command("prove")
@click.argument("event", metavar="SEQ_OR_ID")
@click.option("--against", metavar="FILE|SIZE:ROOT", help=f"{AGAINST} Without it, the log's newest checkpoint.")
@data_option
@config_option
def prove_command(*, event: str, against: str | None, data_dir: Path | None, config_dir: Path | None) -> None:
    """Print, as JSON, a proof that an event stands in the log, for others to check without it."""
    published = () if against is None else published_in(against)
    if len(published) > 1:
        raise ConfigurationError(f"{against} holds {len(published)} checkpoints; name the one to prove against")
    with closing(open_given(data_dir, config_dir)) as reader:
        stored = event_of(reader, event)
        shown = msgspec.Raw(envelope_to_json(stored.envelope, typed(stored.envelope)))
        proof = prove(reader, stored, published[0] if published else None, shown)
    click.echo(msgspec.json.format(msgspec.json.encode(proof), indent=2))


def _append(reader: BrowsableLog) -> None:
    try:
        log = LogFile(reader.path, source=reader.source, clock=SystemClock())
    except LogLockedError:
        return  # its daemon writes checkpoints; a log has one writer
    with closing(log):
        log.checkpoint()


def _damaged(path: Path | None, problem: LogDamagedError, *, as_json: bool) -> NoReturn:
    if as_json:
        click.echo(msgspec.json.encode({"ok": False, "seq": problem.seq, "problem": str(problem)}))
    else:
        click.echo(f"{path}: DAMAGED at seq {problem.seq}: {problem}")
    sys.exit(problem.exit_code)


def _verified_text(path: Path, verified: Verified, met: list[int]) -> str:
    lines = [
        f"{path}: sound",
        f"  source       {verified.source}",
        f"  events       {verified.size}",
        f"  root         {verified.root.hex()}",
        f"  checkpoints  {verified.checkpoints}, {verified.uncovered} events after the last one",
    ]
    if verified.unknown:
        lines.append(f"  unknown      {verified.unknown} events of types or versions that this build does not know")
    lines += [f"  extends      the published checkpoint over {size} events" for size in met]
    return "\n".join(lines)


def _verified_json(verified: Verified, met: list[int]) -> bytes:
    return msgspec.json.encode(
        {
            "ok": True,
            "source": verified.source,
            "size": verified.size,
            "root": verified.root.hex(),
            "checkpoints": verified.checkpoints,
            "uncovered": verified.uncovered,
            "unknown": verified.unknown,
            "extends": met,
        }
    )
