"""``messwerk review import | export | records``: run files into the event log and back. Nothing is sent."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import click
import msgspec

from daemon.attempts.keeping import kept_text
from daemon.cli.asking import Installation, installation, open_log
from daemon.cli.case_wording import printable
from daemon.cli.options import config_option, data_option, json_option
from daemon.cli.review_files import (
    FIXTURES,
    LIBRARY,
    RESEARCH,
    Sources,
    StoredFile,
    check_output,
    identity_of,
    sources_at,
    stored,
    write_new,
)
from daemon.judging.review.evidence import Evidence, FileNames, Identity
from daemon.judging.review.hashes import file_text
from daemon.log import BlobStore, InlineLog, SqliteReader
from daemon.review.importing import import_events
from daemon.review.reading import read_records
from daemon.review.records import RecordError, ReviewRecord, TextOf
from schemas.clocks import SystemClock
from schemas.events import Event
from schemas.ids import UuidFactory
from schemas.review.manifest import Manifest
from schemas.review.run import Run

F = TypeVar("F", bound=Callable[..., object])

PATH = click.Path(path_type=Path, dir_okay=False)
manifest_option = click.option("--manifest", type=PATH, required=True, help="The frozen experiment.")


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What ``import --json`` prints: the record, and how many events were added by their type."""

    record: str
    added: dict[str, int]


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A record, as ``records --json`` prints it."""

    record: str
    origin: str
    manifest_sha256: str
    content_sha256: str | None
    conditions: int
    attempts: int
    reviews: int


def record_name(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Read a record's name, or fail."""
    if value is not None and not re.fullmatch(r"[^/\s]+", value):
        raise click.BadParameter(f"{value!r} has a slash or white space, or is empty; write it as my-run")
    return value


def name_option(help_text: str) -> Callable[[F], F]:
    """Take ``--name NAME``: of a record."""
    return click.option("--name", callback=record_name, help=help_text)


def name_for(name: str | None, file: Path) -> str:
    """Return the record's name: as given, else as the file is called."""
    if name is not None:
        return name
    if not re.fullmatch(r"[^/\s]+", file.stem):
        raise RecordError(f"{file.name!r} gives no name for a record; give one without white space, with --name")
    return file.stem


@click.command("import")
@click.argument("run_file", metavar="RUN", type=PATH)
@manifest_option
@name_option("Name of the record in the log; without it, the file's own without its ending.")
@json_option
@data_option
@config_option
def import_command(
    *, run_file: Path, manifest: Path, name: str | None, as_json: bool, data_dir: Path | None, config_dir: Path | None
) -> None:
    """Bring RUN, a run file, into the event log: conditions, attempts, chosen answers and judgments.

    What the record has already is not added again; `messwerk review export` gives the file back without loss.
    Attempts of others stay theirs: nothing is added to what the file says. Needs the log to itself: stop a running
    daemon first.

    Exit codes: 0 it is in the log, 1 it is refused, 2 a file cannot be read.
    """
    place = installation(config_dir, data_dir)
    evidence = evidence_of(manifest, stored(run_file, Run))
    record = name_for(name, run_file)
    added = asyncio.run(_import(place, evidence, record))
    counts: dict[str, int] = {}
    for event in added:
        counts[event.TYPE] = counts.get(event.TYPE, 0) + 1
    if as_json:
        click.echo(msgspec.json.encode(Imported(record=record, added=counts)))
    elif added:
        told = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
        click.echo(f"record {record}: {told}")
    else:
        click.echo(f"record {record}: it had all of {run_file} already; nothing was added")


@click.command("export")
@click.argument("record", callback=record_name)
@click.option("--output", type=PATH, required=True, help="A new file; nothing is written over.")
@data_option
@config_option
def export_command(*, record: str, output: Path, data_dir: Path | None, config_dir: Path | None) -> None:
    """Write RECORD of the event log as a run file, as it was imported, or measured so far.

    Exit codes: 0 it is written, 1 the log does not have it whole, 2 the file cannot be written.
    """
    place = installation(config_dir, data_dir)
    check_output(output, [])
    with open_log(place) as log:
        found = read_records(log).get(record) or ReviewRecord(record)
        run = found.run(texts(place))
    write_new(output, file_text(run))
    click.echo(f"{output}: {len(run.attempts)} attempts, {len(run.reviews)} reviews with chosen answers")


@click.command("records")
@json_option
@data_option
@config_option
def records_command(*, as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """List the records of text reviews in the event log."""
    with open_log(installation(config_dir, data_dir)) as log:
        listed = [told for name, record in sorted(read_records(log).items()) if (told := _listed(name, record))]
    if as_json:
        click.echo(msgspec.json.encode(listed))
        return
    for each in listed:
        click.echo(
            f"{printable(each.record)}: {each.origin}, {each.conditions} conditions, {each.attempts} attempts, "
            f"{each.reviews} reviews with chosen answers, manifest {each.manifest_sha256[:12]}"
        )
    if not listed:
        click.echo("no record; `messwerk review import` and `messwerk review run` make them")


def evidence_of(manifest: Path, run: StoredFile[Run]) -> Evidence:
    """Read a manifest and a run for everything but a report; the manifest stands for itself, whoever made it."""
    frozen = stored(manifest, Manifest)
    return Evidence(
        files=FileNames(manifest=str(manifest), run=str(run.path)),
        manifest=frozen.content,
        manifest_sha256=frozen.sha256,
        run=run.content,
        current=Identity(
            evaluator=frozen.content.evaluator,
            validator=frozen.content.validator,
            catalogue_version=frozen.content.catalogue_version,
            provenance=frozen.content.provenance,
        ),
        fixtures=sources_here().fixtures.content,
    )


def sources_here() -> Sources:
    """Read the sources that come along."""
    return sources_at(FIXTURES, LIBRARY, RESEARCH)


def texts(place: Installation) -> TextOf:
    """Return what gives the texts that an installation keeps."""
    return partial(kept_text, blobs=BlobStore(place.paths.blobs, SystemClock()))


async def _import(place: Installation, evidence: Evidence, record: str) -> tuple[Event, ...]:
    clock = SystemClock()
    log = InlineLog(place.paths.log, source=_source(place), clock=clock)
    try:
        reader = SqliteReader(place.paths.log)
        try:
            events = import_events(
                evidence,
                read_records(reader),
                record,
                validator=identity_of(sources_here()).validator,
                text_of=texts(place),
                new_id=UuidFactory(clock),
            )
        finally:
            reader.close()
        if events:
            await log.append(*events)
        return events
    finally:
        await log.close()


def _source(place: Installation) -> str:
    """Return the source of the log that is there; of a new one, the configuration's."""
    if not place.paths.log.exists():
        return place.configuration.daemon.source
    with open_log(place) as log:
        return log.source


def _listed(name: str, record: ReviewRecord) -> Listed | None:
    state = record.file
    if state is None:
        return None
    return Listed(
        record=name,
        origin=state.origin,
        manifest_sha256=state.manifest_sha256,
        content_sha256=state.content_sha256,
        conditions=len(state.conditions),
        attempts=len({*record.imported, *record.asked}),
        reviews=len(state.reviews),
    )
