"""``messwerk integrity check`` and ``recompute``: compare accounts now, and compare again what was compared before.

Neither writes anything, so both may run beside a daemon.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import msgspec

from daemon.cli.account_figures import account_figures
from daemon.cli.asking import installation, open_any_log
from daemon.cli.case_wording import evidence_line
from daemon.cli.options import config_option, data_option, json_option
from daemon.desk.reading import case_or_look_named
from daemon.integrity.daily import Looker
from daemon.integrity.looking import AccountsJudged
from daemon.integrity.parameters import parameters_from
from daemon.integrity.recomputing import Recomputed, recompute

_NOTHING: Final = (
    "no two accounts were asked at once; a provider needs a second [[account]], and [integrity] pair = true"
)


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """One look that was not recorded, with ``--json`` as it is here."""

    source: str
    log_seq: int
    end_ns: int
    parameters: str
    definition: str
    accounts: tuple[AccountsJudged, ...]


@click.command("check")
@json_option
@data_option
@config_option
def check_command(*, as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """Compare all accounts over the windows that end now, as the daily look does, and write nothing.

    Exits with 1 when accounts differ materially. Endpoints with an open case are compared and not judged.
    """
    place = installation(config_dir, data_dir)
    parameters = parameters_from(place.configuration.integrity)
    definitions = place.configuration.definitions
    end_ns = time.time_ns()
    with open_any_log(place) as log:
        last_seq = log.last_seq()
        checked = Checked(
            source=log.source,
            log_seq=last_seq,
            end_ns=end_ns,
            parameters=parameters.id,
            definition=definitions.id,
            accounts=tuple(Looker(log, account_figures(definitions), parameters)(end_ns, last_seq)),
        )
    if as_json:
        click.echo(msgspec.json.encode(checked))
    else:
        for line in _checked_lines(checked):
            click.echo(line)
    if any(each.material for each in checked.accounts):
        sys.exit(1)


@click.command("recompute")
@click.argument("case_or_look")
@json_option
@data_option
@config_option
def recompute_command(*, case_or_look: str, as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """Compare again, from the log, what CASE_OR_LOOK compared, and hold it against what is recorded.

    Takes the id of a case or of a look, or a beginning or end of it. Exits with 1 when a hash or a figure differs.
    Needs the parameters and definitions in force that the look was made with.
    """
    place = installation(config_dir, data_dir)
    definitions = place.configuration.definitions
    with open_any_log(place) as log:
        again = recompute(
            log,
            case_or_look_named(log, case_or_look),
            account_figures(definitions),
            parameters_from(place.configuration.integrity),
            definitions.id,
        )
    if as_json:
        click.echo(msgspec.json.encode(again))
    else:
        for line in _recomputed_lines(again):
            click.echo(line)
    if not again.confirmed:
        sys.exit(1)


def _checked_lines(checked: Checked) -> Iterator[str]:
    yield f"{checked.source}, {checked.log_seq} events"
    yield f"parameters {checked.parameters}, definitions {checked.definition}"
    if not checked.accounts:
        yield _NOTHING
    for each in checked.accounts:
        accounts = each.accounts
        yield f"\n{accounts.endpoint}: {accounts.account} and {accounts.compared_with}"
        for rows in each.rows:
            yield (
                f"  {rows.window_h} hours: {rows.runs} runs, {rows.pairs} pairs compared, {rows.left_out} left out, "
                f"SHA-256 {rows.sha256}"
            )
        if not each.rows:
            yield "  no window is covered by pairs that may be compared yet"
        elif each.open_case is not None:
            yield f"  compared and not judged: case {each.open_case} is open"
        elif not each.material:
            yield "  no material difference"
        for evidence in each.material:
            yield f"  DIFFERS MATERIALLY: {evidence_line(evidence)}"


def _recomputed_lines(again: Recomputed) -> Iterator[str]:
    yield f"look {again.look}" + ("" if again.case is None else f", case {again.case}")
    for each in again.accounts:
        verdict = "DIFFERS" if each.differs else "the same"
        yield f"{each.endpoint}: {each.account} and {each.compared_with}: {verdict} (event {each.seq})"
        for difference in each.differs:
            yield f"  {difference}"
    yield "confirmed by the log" if again.confirmed else "NOT confirmed by the log"
