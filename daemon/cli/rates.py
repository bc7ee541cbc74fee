"""``messwerk rates``: exchange rates by which costs are shown in other currencies, and nothing is ever stored."""

from __future__ import annotations

import asyncio
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path

import click
import msgspec

from daemon.cli.asking import installation
from daemon.cli.groups import ToldInFull
from daemon.cli.options import config_option, data_option, json_option
from daemon.console import configure_logging
from daemon.desk.recording import PATIENCE_S, record
from daemon.log.summary import utc
from schemas.clocks import SystemClock
from schemas.events import ExchangeRateDeclared


def _decimal(_: click.Context, __: click.Parameter, value: str) -> Decimal:
    try:
        return Decimal(value)
    except InvalidOperation as problem:
        raise click.BadParameter(f"{value!r} is no number; write it as 0.92") from problem


def _day(_: click.Context, __: click.Parameter, value: str) -> date:
    try:
        return date.fromisoformat(value)
    except ValueError as problem:
        raise click.BadParameter(f"{value!r} is no day; write it as 2026-11-27") from problem


@click.group(cls=ToldInFull)
def rates() -> None:
    """Exchange rates, for display alone: what was measured stays in USD."""


@rates.command()
@click.argument("base")
@click.argument("quote")
@click.argument("rate", callback=_decimal)
@click.option("--on", "on", required=True, metavar="DAY", callback=_day, help="Day that the rate is of.")
@click.option("--source", required=True, help="Where the rate was taken from.")
@json_option
@data_option
@config_option
def declare(
    *,
    base: str,
    quote: str,
    rate: Decimal,
    on: date,
    source: str,
    as_json: bool,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Record that one BASE is RATE of QUOTE, for example: USD EUR 0.92.

    The rate of the latest day is shown, with its day and source. A wrong one is put right by another of its day.
    """
    place = installation(config_dir, data_dir)
    configure_logging(level="warning")
    event = ExchangeRateDeclared(base=base.upper(), quote=quote.upper(), rate=rate, on=on, source=source.strip())
    envelope = asyncio.run(record(place.paths, event, SystemClock(), patience_s=PATIENCE_S)).envelope
    if as_json:
        told = {"source": envelope.source, "seq": envelope.seq, "event": envelope.id, "time": utc(envelope.wall_ns)}
        click.echo(msgspec.json.encode(told))
    else:
        click.echo(f"recorded: 1 {event.base} = {event.rate} {event.quote} on {event.on} ({event.source})")
