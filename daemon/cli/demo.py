"""``messwerk demo``: writes a history of simulated days, so that a newcomer sees a page with a past."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import Final

import click
import msgspec

from daemon.cli.account_figures import account_figures
from daemon.cli.options import data_option
from daemon.configuration import builtin, data_root
from daemon.console import configure_logging
from daemon.desk.reading import read_cases
from daemon.history import ends_in_a_simulation
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
    Everything in it is marked as simulated. The log must be empty, or hold a history that was broken off,
    which is then played on to its end.
    """
    configure_logging(level="error")  # what the simulated daemon warns of is told after the bar
    configuration = builtin()
    paths = DataPaths(data_root(configuration, data_dir))
    end_ns = end_of_history_ns(time.time_ns() if until_ns is None else until_ns)
    begun = begun_history(paths.log)
    if begun is None and _events(paths.log):
        raise ConfigurationError(
            f"{paths.log} already holds {_events(paths.log)} events, and history cannot be put before them; "
            "choose an empty directory with --data DIR"
        )
    with click.progressbar(length=1000, label=f"{days} simulated day{'s' * (days != 1)}", show_percent=True) as bar:
        done = 0

        def progress(share: float) -> None:
            nonlocal done
            bar.update(int(share * 1000) - done)
            done = int(share * 1000)

        play(
            configuration,
            paths,
            start_wall_ns=end_ns - days * DAY_NS if begun is None else begun.last_ns,
            end_wall_ns=end_ns,
            history_start_ns=None if begun is None else begun.first_ns,
            # Another seed, because no two runs share a prompt.
            seed=seed if begun is None else f"{seed} after {begun.events}",
            progress=progress,
            account_figures=account_figures,
        )
    _tell_cases(paths.log)


def _tell_cases(log: Path) -> None:
    with closing(SqliteReader(log)) as reader:
        cases = len(read_cases(reader))
    if cases:
        click.echo(
            f"The daily look at accounts opened {cases} case{'s' * (cases != 1)} in it; `messwerk integrity list` "
            f"lists {'them' if cases != 1 else 'it'}."
        )


class BegunHistory(msgspec.Struct, frozen=True, kw_only=True):
    """A history that was broken off: how many events it has, and the wall times of the first and the last."""

    events: int
    first_ns: int
    last_ns: int


def begun_history(log: Path) -> BegunHistory | None:
    """Return the history that breaks off at the end of this log; None when there is none or it is whole."""
    if not _events(log):
        return None
    with closing(SqliteReader(log)) as reader:
        if not ends_in_a_simulation(reader):
            return None
        (first,), (last,) = reader.read_after(0, limit=1), reader.tail(1)
        return BegunHistory(events=last.envelope.seq, first_ns=first.envelope.wall_ns, last_ns=last.envelope.wall_ns)


def wants_history(log: Path) -> bool:
    """Tell whether a log has nothing in it yet, or a history that was broken off."""
    return not _events(log) or begun_history(log) is not None


def _events(log: Path) -> int:
    if not laid_out(log):
        return 0
    with closing(SqliteReader(log)) as reader:
        return reader.last_seq()


def end_of_history_ns(now_ns: int) -> int:
    """Start of the current three-hour slot: what is current stays for the live daemon to run."""
    return now_ns - now_ns % SLOT_NS
