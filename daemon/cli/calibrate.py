"""``messwerk calibrate``: measure a source whose truth is known, and say how wrong the instrument is.

The reference server runs as a process of its own, requests go through the transport and the reading that every
attempt uses, and ``projections.metrics`` computes the figures, as it does for tables.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import closing
from pathlib import Path
from typing import Final, Literal, get_args

import click
import msgspec

from daemon.calibration.source import known_source
from daemon.calibration.taking import StrainNews, calibrated
from daemon.cli.calibrating import measured_figures
from daemon.cli.options import config_option, data_option, json_option
from daemon.configuration import builtin, data_root, load
from daemon.console import configure_logging
from daemon.log import LogFile, SqliteReader
from daemon.paths import DataPaths
from daemon.transport.choosing import make_transport
from daemon.transport.contract import Transport
from daemon.transport.sdk_transport import SdkTransport
from daemon.world import World, live_world
from schemas.clocks import SystemClock
from schemas.configuration import TransportChoice
from schemas.errors import LogLockedError
from schemas.events import CalibrationCompleted, CalibrationFigure

CROSS_CHECK: Final = "sdk"
"""Shows what a program sees that uses the official library; no configuration can measure with it."""

_BUSY_US = 5_000


@click.command()
@click.option("--streams", type=click.IntRange(1, 300), default=4, show_default=True, help="Requests at once.")
@click.option(
    "--rounds", type=click.IntRange(1, 1000), default=4, show_default=True, help="Times that is repeated per profile."
)
@click.option(
    "--transport",
    type=click.Choice([*get_args(TransportChoice), CROSS_CHECK]),
    help=f"What carries the requests; default: as configured. {CROSS_CHECK}: the official openai library.",
)
@click.option("--tls", is_flag=True, help="Measure over TLS, with a certificate made for this calibration alone.")
@json_option
@data_option
@config_option
def calibrate(
    *,
    streams: int,
    rounds: int,
    transport: TransportChoice | Literal["sdk"] | None,
    tls: bool,
    as_json: bool,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Measure the reference server and compare with what it truly did.

    Exits with 1 when the median of any figure is off by more than 2 % or 2 ms, whichever is larger. The
    result is appended to the log when there is one and no daemon is writing it. The transport sdk shows the
    error of a program that uses the official library; it says nothing about the instrument, so it is neither
    recorded nor judged.
    """
    configure_logging(level="warning")
    configuration = builtin() if config_dir is None else load(config_dir, need_keys=False)
    log = DataPaths(data_root(configuration, data_dir)).log
    choice = transport or configuration.measuring.transport
    result = asyncio.run(_calibrate(live_world(), choice, streams=streams, rounds=rounds, tls=tls))
    click.echo(msgspec.json.encode(result) if as_json else _table(result))
    if choice == CROSS_CHECK:
        click.echo("not recorded: a cross-check with the official library is no calibration", err=True)
        return
    click.echo(_record(result, log), err=True)
    if not result.within_bounds:
        sys.exit(1)


async def _calibrate(
    world: World, choice: TransportChoice | Literal["sdk"], *, streams: int, rounds: int, tls: bool
) -> CalibrationCompleted:
    news = StrainNews()
    async with known_source(tls=tls) as source:
        transport: Transport = (
            SdkTransport(world.clock, authority=source.authority)
            if choice == CROSS_CHECK
            else make_transport(choice, world.clock, authority=source.authority, strained=news)
        )
        try:
            return await calibrated(
                source,
                transport,
                news,
                measured_figures,
                world,
                calibration=world.new_id(),
                streams=streams,
                rounds=rounds,
            )
        finally:
            await transport.close()


def _table(result: CalibrationCompleted) -> str:
    header = (
        f"{'profile':22}{'figure':14}{'of':5}{'n':>4}{'truth':>11}{'measured':>11}{'error':>10}   unit       within"
    )
    lines = [header, *(_line(figure) for figure in result.figures)]
    verdict = "within bounds" if result.within_bounds else "OUT OF BOUNDS"
    lag = "unknown" if result.loop_lag_p99_us is None else f"{result.loop_lag_p99_us / 1_000:.2f} ms"
    lines.append(
        f"\n{verdict}: medians may be off by 2 % or 2 ms, whichever is larger; transport {result.transport} "
        f"({result.clock} times){' over TLS' if result.tls else ''}, {result.streams} streams at once, "
        f"event loop late by {lag} at p99"
    )
    if result.user_space_reads:
        lines.append(f"{result.user_space_reads} attempts had reads without a time from the kernel.")
    if not result.within_bounds and (result.loop_lag_p99_us or 0) > _BUSY_US:
        lines.append(
            "Something else keeps this machine's processors busy: repeat when it is quiet, or with fewer streams."
        )
    return "\n".join(lines)


def _line(figure: CalibrationFigure) -> str:
    return (
        f"{figure.profile:22}{figure.metric:14}{figure.statistic:5}{figure.n:>4}{figure.truth:>11.2f}"
        f"{figure.measured:>11.2f}{figure.error:>+10.3f}   {figure.unit:10} {'yes' if figure.within_bounds else 'NO'}"
    )


def _record(result: CalibrationCompleted, path: Path) -> str:
    """Append the result to the log if that is possible, and say what was done."""
    if not path.exists():
        return f"not recorded: there is no log at {path} yet; start `messwerk up`, or name a log with --data"
    with closing(SqliteReader(path)) as reader:
        source = reader.source
    try:
        with closing(LogFile(path, source=source, clock=SystemClock())) as log:
            (envelope,) = log.append(result)
    except LogLockedError as problem:
        return f"not recorded: {problem}"
    return f"recorded as event {envelope.seq} of {source} in {path}"
