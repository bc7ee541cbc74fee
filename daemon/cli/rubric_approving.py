"""``messwerk rubric approve``: a second expert has read a task, these very bytes of it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from daemon.cli.options import json_option
from daemon.log.layout import sync_directory
from daemon.workloads.rubric.lint import lint_catalogue
from daemon.workloads.rubric.loading import LoadedCatalogue, LoadedTask, load_catalogue, load_task, readings_path
from daemon.workloads.rubric.readings import ReaderRefusal, reader_refusal, readings_json
from schemas.clocks import Clock, SystemClock
from schemas.errors import ConfigurationError, MesswerkError
from schemas.rubric.kinds import LEAST_YEARS_OF_PRACTICE, Language
from schemas.rubric.readings import Reading


class ApprovalRefusedError(MesswerkError):
    """A second reading was not recorded; the readings file is as it was."""


class Approval(msgspec.Struct, frozen=True, kw_only=True):
    """What ``--json`` prints. recorded: False where this reader had approved these bytes before."""

    task: str
    language: Language
    reader: str
    task_sha256: str
    read_at: datetime
    file: str
    warnings: int
    recorded: bool


@click.command()
@click.argument("task", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--reader", required=True, metavar="ID", help="A person of the catalogue, other than the author.")
@json_option
def approve(*, task: Path, reader: str, as_json: bool) -> None:
    """Record that a second expert has read a task and stands by its solution and its rubric.

    The approval holds for the file's exact bytes: any later change voids it. A task with errors cannot be approved.
    """
    approval = record_reading(task, reader, SystemClock())
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(approval)).decode())
        return
    again = "" if approval.recorded else ", as before"
    click.echo(
        f"{approval.task} ({approval.language}) read by {approval.reader}{again}: "
        f"{approval.task_sha256[:16]}, {approval.warnings} warnings, in {approval.file}"
    )


def record_reading(path: Path, reader: str, clock: Clock) -> Approval:
    """Add a second reading of a task's file to its readings, whole or not at all.

    Raises :class:`ApprovalRefusedError`; :class:`ConfigurationError` where a file cannot be read or written.
    """
    with _alone(path):
        return _record(path, reader, clock)


def _record(path: Path, reader: str, clock: Clock) -> Approval:
    catalogue = load_catalogue(path.parent)
    loaded = _task(path, catalogue)
    refusal = reader_refusal(reader, loaded.task.author, catalogue.catalogue)
    if refusal is not None:
        raise ApprovalRefusedError(_refused(refusal, reader, loaded.task.author, catalogue))
    about = {path.name, catalogue.path.name}
    findings = [each for each in lint_catalogue(catalogue) if Path(each.file).name in about]
    # What is tolerated in an example for want of a reading is none of what a reader can stand by.
    errors = [each.text for each in findings if each.level == "error" or each.message == "practice-example"]
    if errors:
        listed = "\n".join(f"  {each}" for each in errors)
        raise ApprovalRefusedError(f"{path}: mend these errors, then have it read again:\n{listed}")
    before = next(
        (each for each in loaded.readings if (each.reader, each.task_sha256) == (reader, loaded.sha256)), None
    )
    reading = before or Reading(
        reader=reader, task_sha256=loaded.sha256, read_at=datetime.fromtimestamp(clock.wall_ns() // 10**9, UTC)
    )
    if before is None:
        _write(readings_path(path), readings_json((*loaded.readings, reading)))
    return Approval(
        task=loaded.task.id,
        language=loaded.task.language,
        reader=reader,
        task_sha256=loaded.sha256,
        read_at=reading.read_at,
        file=str(readings_path(path)),
        warnings=sum(each.rule != "second-reading" for each in findings),  # that is mended by this one
        recorded=before is None,
    )


def _task(path: Path, catalogue: LoadedCatalogue) -> LoadedTask:
    """Return the task of a file as it was linted with its catalogue."""
    found = next((each for each in catalogue.tasks if each.path.name == path.name), None)
    if found is None:
        wanted = load_task(path).task  # what cannot be read is told by its line
        raise ConfigurationError(
            f"{path}: no task of the catalogue, by its name; call it {wanted.id}.{wanted.language}.toml, and lint it"
        )
    return found


def _refused(refusal: ReaderRefusal, reader: str, author: str, loaded: LoadedCatalogue) -> str:
    where = f"--reader {reader}"
    persons = [each.id for each in loaded.catalogue.persons]
    others = ", ".join(each for each in persons if reader_refusal(each, author, loaded.catalogue) is None) or "nobody"
    match refusal:
        case "author":
            return (
                f"{where}: the author cannot be the second reader; have it read by an expert who took no part in it"
            )
        case "unknown-reader":
            return (
                f"{where}: no [[person]] of {loaded.folder / 'catalogue.toml'} has this id; "
                f"add one, or name one of: {others}"
            )
        case "too-little-practice":
            return (
                f"{where}: a second reader needs {LEAST_YEARS_OF_PRACTICE} years of practice, "
                f"says {loaded.folder / 'catalogue.toml'}; name one of: {others}"
            )


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let several approvals of a task wait for one another, so that none is lost."""
    try:
        file = path.open("rb")
    except OSError as problem:
        raise ConfigurationError(f"cannot read {path}: {problem.strerror}; name a task's file") from problem
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _write(path: Path, content: bytes) -> None:
    """Write beside the file and rename over it, so that there is always a whole one."""
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-", delete=False) as draft:
            try:
                draft.write(content)
                draft.flush()
                os.fsync(draft.fileno())
                Path(draft.name).chmod(0o644)
                Path(draft.name).replace(path)
                sync_directory(path.parent)
            except OSError:
                with contextlib.suppress(OSError):
                    Path(draft.name).unlink()
                raise
    except OSError as problem:
        raise ConfigurationError(
            f"cannot write {path}: {problem.strerror}; the reading was not recorded, free space or mend the folder's "
            "rights and approve again"
        ) from problem
