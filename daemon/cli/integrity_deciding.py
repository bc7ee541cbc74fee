"""``messwerk integrity open | decide | attest``: what persons enter, recorded by whoever writes the log."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from pathlib import Path
from typing import get_args

import click
import msgspec

from daemon.cli.asking import Installation, installation, open_log
from daemon.cli.case_wording import printable
from daemon.cli.options import config_option, data_option, json_option
from daemon.console import configure_logging
from daemon.desk.deciding import Wanted, decided, provider_of, require_words, touched_by
from daemon.desk.inbox import LATEST_NS, DeskError
from daemon.desk.reading import case_named, newest_catalogue, read_cases
from daemon.desk.recording import PATIENCE_S, record
from daemon.log.summary import utc
from daemon.runs.planning import measuring_account
from schemas.cases import Case
from schemas.clocks import SystemClock
from schemas.events import AttestationRecorded, CatalogueDeclared, Event, IntegrityDecided, IntegritySuspected
from schemas.events.integrity import Measure
from schemas.ids import UuidFactory
from schemas.log import StoredEvent

CONFIRMED = ("ban", "delist", "disclose")
"""What the public notices at once; asked back before it is recorded."""

_WINDOW_NS = 72 * 3600 * 1_000_000_000


def _moment(_: click.Context, __: click.Parameter, value: str | None) -> int | None:
    """Read a time to nanoseconds since 1970."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as problem:
        raise click.BadParameter(f"{value!r} is no time; write it as 2026-12-24T12:00:00Z") from problem
    if moment.tzinfo is None:
        raise click.BadParameter(f"{value!r} needs its offset; write it as 2026-12-24T12:00:00Z")
    moment_ns = int(moment.timestamp()) * 1_000_000_000
    if not 0 <= moment_ns < LATEST_NS:
        raise click.BadParameter(f"{value!r} lies before 1970 or after 2261; name another time")
    return moment_ns


@click.command("open")
@click.argument("endpoint")
@click.option("--person", required=True, help="Who suspects.")
@click.option("--reason", required=True, help="Why, in words that others can follow.")
@click.option("--account", help="Account whose figures are in doubt; without it, the one whose figures are shown.")
@click.option("--compared-with", help="The other account; without it, the provider's only other one, if any.")
@click.option("--workload", default="all", show_default=True, help="Workload that it is about.")
@click.option(
    "--from",
    "start_ns",
    metavar="TIME",
    callback=_moment,
    help="Begin of what is in doubt; else 72 h before its end.",
)
@click.option("--to", "end_ns", metavar="TIME", callback=_moment, help="End of what is in doubt; without it, now.")
@json_option
@data_option
@config_option
def open_command(  # noqa: PLR0913  # one parameter an option
    *,
    endpoint: str,
    person: str,
    reason: str,
    account: str | None,
    compared_with: str | None,
    workload: str,
    start_ns: int | None,
    end_ns: int | None,
    as_json: bool,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Open a case about ENDPOINT on a person's own suspicion."""
    place = installation(config_dir, data_dir)
    require_words(person=person, reason=reason)
    with open_log(place) as log:
        catalogue = newest_catalogue(log)
    shown, other = _accounts(endpoint, account, compared_with, catalogue)
    end_ns = time.time_ns() if end_ns is None else end_ns
    start_ns = end_ns - _WINDOW_NS if start_ns is None else start_ns
    if start_ns >= end_ns:
        raise DeskError("--from must lie before --to; nothing was recorded")
    case = UuidFactory(SystemClock())()
    stored = _recorded(
        place,
        IntegritySuspected(
            case=case,
            endpoint=endpoint,
            workload=workload,
            account=shown,
            compared_with=other,
            window_start_ns=start_ns,
            window_end_ns=end_ns,
            evidence=(),
            definition=catalogue.definitions.id,
            person=person.strip(),
            reason=reason.strip(),
        ),
    )
    _tell(stored, f"case {case} is open", {"case": str(case)}, as_json=as_json)


@click.command("decide")
@click.argument("case")
@click.option("--measure", type=click.Choice(get_args(Measure)), required=True, help="What is decided.")
@click.option("--person", required=True, help="Who decides.")
@click.option("--reason", required=True, help="Why, in words that others can follow.")
@click.option("--account", help="With re-measure: the ordinary account whose figures are published from now on.")
@click.option(
    "--until", "until_ns", metavar="TIME", callback=_moment, help="With delay: when figures are published again."
)
@click.option("--lifts", metavar="DECISION", help="With lift: the decision that is taken back, by its id.")
@click.option("--statement", help="With disclose: what the public is told.")
@click.option("--yes", is_flag=True, help="Do not ask back before ban, delist and disclose.")
@json_option
@data_option
@config_option
def decide_command(  # noqa: PLR0913  # one parameter an option
    *,
    case: str,
    measure: Measure,
    person: str,
    reason: str,
    account: str | None,
    until_ns: int | None,
    lifts: str | None,
    statement: str | None,
    yes: bool,
    as_json: bool,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Record a decision on CASE (its id, or a beginning or end of it).

    investigate and clear say where the case stands; clear ends every measure of it. withhold, delay, remove,
    re-measure, delist, ban and disclose hold until lifted. Everything is taken back by another event alone.
    """
    place = installation(config_dir, data_dir)
    with open_log(place) as log:
        found, catalogue = case_named(read_cases(log), case), newest_catalogue(log)
    wanted = Wanted(
        measure=measure,
        person=person,
        reason=reason,
        account=account,
        until_ns=until_ns,
        lifts=lifts,
        statement=statement,
    )
    event = decided(found, wanted, catalogue, UuidFactory(SystemClock())(), time.time_ns())
    if measure in CONFIRMED and not yes:
        _ask_back(found, event, catalogue)
    stored = _recorded(place, event)
    with open_log(place) as log:
        state = read_cases(log)[found.id].state
    about = {"case": str(found.id), "decision": str(event.decision), "state": state}
    _tell(
        stored,
        f"{measure} of case {found.id}, decision {event.decision}; the case is {state}",
        about,
        as_json=as_json,
    )


@click.command("attest")
@click.argument("endpoint")
@click.option("--by", required=True, help="Who confirmed it, and where that can be found.")
@click.option("--statement", required=True, help="What was confirmed, in the provider's words.")
@click.option("--model-version", help="Model version.")
@click.option("--quantization", help="Precision or quantization.")
@click.option("--context-tokens", type=click.IntRange(1), help="Context length, tokens.")
@click.option(
    "--public-standard-offer/--no-public-standard-offer", default=None, help="Whether it is the public one."
)
@json_option
@data_option
@config_option
def attest_command(  # noqa: PLR0913  # one parameter an option
    *,
    endpoint: str,
    by: str,
    statement: str,
    model_version: str | None,
    quantization: str | None,
    context_tokens: int | None,
    public_standard_offer: bool | None,
    as_json: bool,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Record what a provider confirmed of ENDPOINT; it stands beside the published figures."""
    place = installation(config_dir, data_dir)
    require_words(by=by, statement=statement)
    with open_log(place) as log:
        _require_declared(endpoint, newest_catalogue(log))
    stored = _recorded(
        place,
        AttestationRecorded(
            endpoint=endpoint,
            statement=statement.strip(),
            by=by.strip(),
            model_version=model_version,
            quantization=quantization,
            context_tokens=context_tokens,
            public_standard_offer=public_standard_offer,
        ),
    )
    _tell(stored, f"attestation of {endpoint}", {"endpoint": endpoint}, as_json=as_json)


def _accounts(
    endpoint: str, account: str | None, compared_with: str | None, catalogue: CatalogueDeclared
) -> tuple[str, str]:
    _require_declared(endpoint, catalogue)
    facts = next(each for each in catalogue.endpoints if each.name == endpoint)
    its = sorted(each.name for each in catalogue.accounts if each.provider == facts.provider)
    measuring = measuring_account(facts, catalogue.accounts)
    shown = account if account is not None else "" if measuring is None else measuring.name
    for given in (account, compared_with):
        if given is not None and given not in its:
            raise DeskError(f"{given!r} is no account of {facts.provider!r}; it has {', '.join(its) or 'none'}")
    others = [name for name in its if name != shown]
    if compared_with is None and len(others) > 1:
        raise DeskError(
            f"{facts.provider!r} has several other accounts: name one of {', '.join(others)} (--compared-with)"
        )
    other = compared_with if compared_with is not None else "".join(others)
    if shown == other:
        raise DeskError(f"{shown!r} cannot be compared with itself; name another account of {', '.join(its)}")
    return shown, other


def _require_declared(endpoint: str, catalogue: CatalogueDeclared) -> None:
    if provider_of(endpoint, catalogue) is None:
        known = ", ".join(each.name for each in catalogue.endpoints)
        raise DeskError(f"no endpoint {endpoint!r} in the newest catalogue; there are: {known}")


def _ask_back(case: Case, event: IntegrityDecided, catalogue: CatalogueDeclared) -> None:
    touched = touched_by(case, event.measure, catalogue)
    for line in (
        f"{event.measure} on case {case.id}",
        f"  holds for   {', '.join(printable(each) for each in touched)}",
        f"  decided by  {printable(event.person)}",
        f"  reason      {printable(event.reason)}",
        *((f"  statement   {printable(event.statement)}",) if event.statement else ()),
        "  It is recorded for ever, and taken back by another event alone.",
    ):
        click.echo(line, err=True)
    click.confirm("Record it?", abort=True, err=True)


def _recorded(place: Installation, event: Event) -> StoredEvent:
    configure_logging(level="warning")
    return asyncio.run(record(place.paths, event, SystemClock(), patience_s=PATIENCE_S))


def _tell(stored: StoredEvent, words: str, about: dict[str, str], *, as_json: bool) -> None:
    envelope = stored.envelope
    if as_json:
        place = {"source": envelope.source, "seq": envelope.seq, "event": envelope.id, "time": utc(envelope.wall_ns)}
        click.echo(msgspec.json.encode({**place, **about}))
    else:
        click.echo(f"recorded as event {envelope.seq} of {envelope.source}: {printable(words)}")
