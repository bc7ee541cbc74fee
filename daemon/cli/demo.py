"""``messwerk demo``: writes a history of simulated days, so that a newcomer sees a page with a past."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import click

from daemon.cli.options import data_option
from daemon.configuration import builtin, data_root
from daemon.console import configure_logging
from daemon.log import SqliteReader, laid_out
from daemon.paths import DataPaths
from daemon.simulation.playing import play
from schemas.errors import ConfigurationError

DAY_NS: Final = 86_400 * 1_000_000_000
SLOT_NS: Final = 3 * 3600 * 1_000_000_000


@click.command()
@click.option("--days", type=click.IntRange(1, 400), default=14, show_default=True, help="Length of the history.")
@click.option("--seed", default="history", show_default=True, help="Equal seeds and moments give equal histories.")
@click.option("--until-ns", type=int, default=None, help="End of the history in Unix nanoseconds; now, by default.")
@data_option
def demo(*, days: int, seed: str, until_ns: int | None, data_dir: Path | None) -> None:
    """Play the true schedule over the reference endpoints under a simulated clock.

    The history ends where the current slots begin, so that a daemon started afterwards goes on from there.
    Everything in it is marked as simulated. The log must be empty.
    """
    configure_logging(level="warning")
    configuration = builtin()
    paths = DataPaths(data_root(configuration, data_dir))
    if laid_out(paths.log):
        reader = SqliteReader(paths.log)
        last = reader.last_seq()
        reader.close()
        if last:
            raise ConfigurationError(
                f"{paths.log} already holds {last} events, and history cannot be put before them; "
                "choose an empty directory with --data DIR"
            )
    end_ns = end_of_history_ns(time.time_ns() if until_ns is None else until_ns)
    with click.progressbar(length=1000, label=f"{days} simulated days", show_percent=True) as bar:
        done = 0

        def progress(share: float) -> None:
            nonlocal done
            bar.update(int(share * 1000) - done)
            done = int(share * 1000)

        play(
            configuration,
            paths,
            start_wall_ns=end_ns - days * DAY_NS,
            end_wall_ns=end_ns,
            seed=seed,
            progress=progress,
        )


def end_of_history_ns(now_ns: int) -> int:
    """Start of the current three-hour slot: what is current stays for the live daemon to run."""
    return now_ns - now_ns % SLOT_NS
