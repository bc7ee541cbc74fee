"""``messwerk integrity``: what was found between two accounts, and what persons decided about it.

Looking and comparing again: :mod:`daemon.cli.integrity_checking`. Entering: :mod:`daemon.cli.integrity_deciding`.
"""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from daemon.cli.asking import Installation, installation, open_log
from daemon.cli.case_wording import case_line, case_report, told_case
from daemon.cli.groups import ToldInFull
from daemon.cli.integrity_checking import check_command, recompute_command
from daemon.cli.integrity_deciding import attest_command, decide_command, open_command
from daemon.cli.options import config_option, data_option, json_option
from daemon.desk.inbox import Inbox
from daemon.desk.reading import case_named, read_attestations, read_cases


@click.group(cls=ToldInFull)
def integrity() -> None:
    """Look at what differs between accounts, and decide about it.

    A case is opened by the daily comparison or by a person. Nothing is decided by the program.
    """


for _command in (check_command, recompute_command, open_command, decide_command, attest_command):
    integrity.add_command(_command)


@integrity.command("list")
@click.option("--open", "only_open", is_flag=True, help="Only cases that are not cleared.")
@json_option
@data_option
@config_option
def list_command(*, only_open: bool, as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """List the cases of this log with their state, oldest first."""
    place = installation(config_dir, data_dir)
    with open_log(place) as log:
        cases = [case for case in read_cases(log).values() if not only_open or case.state != "cleared"]
    if as_json:
        click.echo(msgspec.json.encode([told_case(case) for case in cases]))
    else:
        for case in cases:
            click.echo(case_line(case))
        click.echo(f"{len(cases) or 'no'} {'case' if len(cases) == 1 else 'cases'}")
    _tell_refused(place)


@integrity.command("show")
@click.argument("case")
@json_option
@data_option
@config_option
def show_command(*, case: str, as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """Show CASE (its id, or a beginning or end of it): evidence, hashes, decisions, and how to compare again."""
    with open_log(installation(config_dir, data_dir)) as log:
        found = case_named(read_cases(log), case)
        attested = [each for each in read_attestations(log) if each[1].endpoint == found.suspected.endpoint]
    if as_json:
        click.echo(msgspec.json.encode(told_case(found, attested)))
    else:
        for line in case_report(found, attested):
            click.echo(line)


def _tell_refused(place: Installation) -> None:
    """Point at what was set aside: nobody looks into that directory unasked."""
    refused = Inbox(place.paths.inbox).refused
    files = sorted(refused.glob("*.reason")) if refused.is_dir() else []
    if files:
        click.echo(
            f"messwerk: {len(files)} files of the inbox were not taken in; why stands beside each in {refused}: "
            "record them again, then delete them",
            err=True,
        )
