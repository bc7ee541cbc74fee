"""``messwerk import``: brings a log that was kept on one machine into Kafka."""

from __future__ import annotations

import asyncio
import sys
from contextlib import closing
from pathlib import Path

import click
import msgspec

from daemon.cli.kafka import kafka_access
from daemon.cli.options import config_option, json_option
from daemon.forwarding.importing import bring_in
from daemon.forwarding.kafka_sink import KafkaSink
from daemon.log.opening import open_log_at, verify_log
from schemas.clocks import SystemClock


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What ``--json`` prints. ``events`` are in the topic now; ``sent`` of them were not before."""

    source: str
    topic: str
    events: int
    sent: int


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@config_option
@json_option
def command(*, file: Path, as_json: bool, config_dir: Path | None) -> None:
    """Bring FILE, a log, a data directory, sealed segments or a backup, into Kafka under its own source.

    The whole log is verified first. What the topic has already is not sent again, so an import that was interrupted
    is simply repeated.
    """
    arguments, table = kafka_access(config_dir)
    with closing(open_log_at(file)) as reader:
        click.echo(f"verifying {reader.path}", err=True)
        verified = verify_log(reader)
        sink = KafkaSink(arguments, table.topic, message_bytes=table.message_bytes)
        begun: list[int] = []

        def progress(seq: int) -> None:
            if not begun:
                begun.append(seq)
            if sys.stderr.isatty():
                click.echo(f"\r{seq} of {verified.size} events", nl=False, err=True)

        asyncio.run(bring_in(reader, sink, SystemClock(), progress))
        if sys.stderr.isatty():
            click.echo(err=True)
    sent = max(0, verified.size - begun[0])
    if as_json:
        done = Imported(source=verified.source, topic=table.topic, events=verified.size, sent=sent)
        click.echo(msgspec.json.encode(done))
        return
    click.echo(
        f"source {verified.source!r}: {verified.size} events are in topic {table.topic!r}; {sent} were sent, "
        f"{verified.size - sent} were there already"
    )
