"""``messwerk rubric report``: both numbers of a catalogue, where answers tipped, and everything said of them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Literal

import click
import msgspec

from daemon.attempts.keeping import kept_text
from daemon.cli.asking import installation, open_any_log
from daemon.cli.options import config_option, data_option, json_option
from daemon.cli.rubric_files import catalogue_argument
from daemon.judging.rubric.markdown import markdown
from daemon.judging.rubric.outcomes import TaskNow
from daemon.judging.rubric.page import page
from daemon.judging.rubric.reporting import CatalogueNow, rubric_report
from daemon.log.blobs import BlobStore
from daemon.rubric.memory import RubricMemory
from daemon.workloads.rubric.admission import admission
from daemon.workloads.rubric.loading import load_catalogue
from schemas.benchmarks import benchmark_tables
from schemas.clocks import SystemClock
from schemas.errors import ConfigurationError
from schemas.rubric.kinds import Language
from schemas.rubric.report import ExcludedTask, RubricReport

Form = Literal["page", "markdown", "json"]


@click.command("report")
@catalogue_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(["page", "markdown", "json"]),
    help="page: one HTML file that needs nothing else. Without it, markdown.",
)
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write a file instead of printing.")
@click.option("--include-unread", is_flag=True, help="Take in tasks without a valid second reading; it says so.")
@click.option(
    "--messages",
    type=click.Choice(["de", "en"]),
    default="en",
    show_default=True,
    help="Language of the report's own words; tasks keep theirs.",
)
@json_option
@data_option
@config_option
def report_command(
    *,
    catalogue: Path,
    form: Form | None,
    output: Path | None,
    include_unread: bool,
    messages: Language,
    as_json: bool,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Report on a catalogue: rubric score and usability rate side by side, and what they rest on.

    Takes what was asked and judged from the log, and the tasks from the catalogue as it is now. The same log and
    catalogue give the same bytes. --json is --format json.
    """
    if as_json and form not in {None, "json"}:
        raise click.UsageError(f"--json and --format {form} ask for two forms; give one of them")
    now = catalogue_now(catalogue, include_unread=include_unread)
    place = installation(config_dir, data_dir)
    blobs = BlobStore(place.paths.blobs, SystemClock())
    with open_any_log(place) as reader:
        memory = RubricMemory(reader, blobs)
        memory.read()
        report = rubric_report(
            now, memory.groups(now.catalogue.id), partial(kept_text, blobs=blobs), benchmark_tables()
        )
    text = _written(report, "json" if as_json else form or "markdown", messages)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_bytes(text.encode())
    except OSError as problem:
        raise ConfigurationError(
            f"cannot write {output}: {problem.strerror}; name a file in a folder that is there"
        ) from problem
    counts = {"evaluations": report.evaluations, "tasks": report.tasks, "tasks left out": report.excluded}
    click.echo(f"{output}: {', '.join(f'{what} {len(them)}' for what, them in counts.items())}")


def catalogue_now(folder: Path, *, include_unread: bool) -> CatalogueNow:
    """Read a catalogue, and sort its tasks into those that enter a report and those that do not."""
    loaded = load_catalogue(folder)
    sorted_out = admission(loaded, include_unread=include_unread)
    return CatalogueNow(
        catalogue=loaded.catalogue,
        tasks=tuple(
            TaskNow(task=each.loaded.task, sha256=each.loaded.sha256, reader=each.reader)
            for each in sorted_out.admitted
        ),
        excluded=tuple(
            ExcludedTask(task=each.task or Path(each.file).name, language=each.language, reason=each.reason)
            for each in sorted_out.left_out
        ),
        include_unread=include_unread,
    )


def _written(report: RubricReport, form: Form, messages: Language) -> str:
    match form:
        case "page":
            return page(report, messages)
        case "markdown":
            return markdown(report, messages)
        case "json":
            return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"
