"""``messwerk rubric lint``: what experts have to change before a catalogue measures anything."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click
import msgspec

from daemon.cli.options import json_option
from daemon.cli.rubric_files import catalogue_argument
from daemon.workloads.rubric.findings import Finding
from daemon.workloads.rubric.lint import lint_catalogue, own_language
from daemon.workloads.rubric.loading import LoadedCatalogue, load_catalogue
from daemon.workloads.rubric.readings import ReadingState, reading_state, valid_reading
from schemas.rubric.kinds import FindingLevel, Language

_UNREADABLE = 2


class LintedTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task that could be read. reading: state of its second reading; reader: of the valid one."""

    file: str
    task: str
    language: Language
    errors: int
    warnings: int
    reading: ReadingState
    reader: str | None
    example: bool


class LintReport(msgspec.Struct, frozen=True, kw_only=True):
    """What ``--json`` prints. unreadable: files that are no task, and whose errors are among the findings."""

    catalogue: str
    version: str
    errors: int
    warnings: int
    unreadable: int
    tasks: tuple[LintedTask, ...]
    findings: tuple[Finding, ...]


@click.command()
@catalogue_argument
@click.option(
    "--messages",
    type=click.Choice(["de", "en"]),
    help="Language of the messages; without it, each task's own.",
)
@json_option
def lint(*, catalogue: Path, messages: Language | None, as_json: bool) -> None:
    """Hold a catalogue's tasks against every rule, and say what an expert has to change.

    Warnings ask an expert to look again; errors keep a task out of every evaluation. Ends with code 1 if there are
    errors, 2 if a file cannot be read.
    """
    loaded = load_catalogue(catalogue, messages)
    report = report_of(loaded, lint_catalogue(loaded, messages))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        for finding in report.findings:
            level = _LEVELS[finding.level] if finding.language == "de" else finding.level
            click.echo(f"{level}: {finding.text}")
        for line in _summary(report, messages or own_language(loaded)):
            click.echo(line)
    if report.unreadable:
        sys.exit(_UNREADABLE)
    if report.errors:
        sys.exit(1)


def report_of(loaded: LoadedCatalogue, findings: tuple[Finding, ...]) -> LintReport:
    """Add findings up by task."""
    count = Counter((each.file, each.level) for each in findings)
    tasks = tuple(
        LintedTask(
            file=str(each.path),
            task=each.task.id,
            language=each.task.language,
            errors=count[str(each.path), "error"],
            warnings=count[str(each.path), "warning"],
            reading=reading_state(each, loaded.catalogue),
            reader=None if (reading := valid_reading(each, loaded.catalogue)) is None else reading.reader,
            example=each.task.example,
        )
        for each in loaded.tasks
    )
    return LintReport(
        catalogue=loaded.catalogue.id,
        version=loaded.catalogue.version,
        errors=sum(each.level == "error" for each in findings),
        warnings=sum(each.level == "warning" for each in findings),
        unreadable=len(loaded.unreadable),
        tasks=tasks,
        findings=findings,
    )


_LEVELS: Final[Mapping[FindingLevel, str]] = {"error": "Fehler", "warning": "Warnung"}
_READING: Final[Mapping[ReadingState, tuple[str, str]]] = {
    "changed-since": ("changed since the second reading", "geändert, seit gegengelesen wurde,"),
    "reader-refused": (
        "read by somebody who cannot be the second reader",
        "von jemandem gelesen, der es nicht darf,",
    ),
    "unread": ("without a second reading", "nicht gegengelesen"),
}
_COUNTED: Final[Mapping[str, tuple[str, str, str, str]]] = {
    "tasks": ("task", "tasks", "Aufgabe", "Aufgaben"),
    "unreadable": (
        "file that cannot be read",
        "files that cannot be read",
        "Datei nicht lesbar",
        "Dateien nicht lesbar",
    ),
    "errors": ("error", "errors", "Fehler", "Fehler"),
    "warnings": ("warning", "warnings", "Warnung", "Warnungen"),
}


def _counted(count: int, what: str, language: Language) -> str:
    return f"{count} {_COUNTED[what][2 * (language == 'de') + (count != 1)]}"


def _summary(report: LintReport, language: Language) -> list[str]:
    counts = {"tasks": len(report.tasks), "unreadable": report.unreadable}
    counted = [_counted(count, what, language) for what, count in counts.items() if count or what == "tasks"]
    counted += [_counted(report.errors, "errors", language), _counted(report.warnings, "warnings", language)]
    lines = [f"{report.catalogue} {report.version}: {', '.join(counted)}"]
    for state, words in _READING.items():
        names = ", ".join(f"{each.task} ({each.language})" for each in report.tasks if each.reading == state)
        if not names:
            continue
        if language == "de":
            lines.append(f"{words[1]} und deshalb in keiner Auswertung außer mit --include-unread: {names}")
        else:
            lines.append(f"{words[0]}, and so in no evaluation unless it is given --include-unread: {names}")
    return lines
