"""Holds a catalogue against every rule of ``rules.toml``. Pure; the files were read by ``loading``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from daemon.workloads.rubric.findings import Finding, Teller
from daemon.workloads.rubric.lint_criteria import criteria_findings
from daemon.workloads.rubric.lint_readings import reading_findings
from daemon.workloads.rubric.lint_request import request_findings
from daemon.workloads.rubric.lint_structure import catalogue_findings, structure_findings
from daemon.workloads.rubric.lint_twins import twin_findings
from daemon.workloads.rubric.loading import LoadedCatalogue, LoadedTask
from schemas.rubric.kinds import Language


def lint_catalogue(loaded: LoadedCatalogue, messages: Language | None = None) -> tuple[Finding, ...]:
    """Return every finding about a catalogue, by file and line; what is about a whole file comes first.

    messages: language of the findings; by default that of each task, and about the catalogue itself its own.
    """
    about_tasks = chain.from_iterable(
        _about(each, loaded, Teller(each.path, messages or each.task.language)) for each in loaded.tasks
    )
    about_catalogue = catalogue_findings(loaded, Teller(loaded.path, messages or own_language(loaded)))
    return tuple(
        sorted((*about_catalogue, *loaded.unreadable, *about_tasks), key=lambda each: (each.file, each.line or 0))
    )


def own_language(loaded: LoadedCatalogue) -> Language:
    """Return the language to speak of a catalogue in: that of its tasks if they are all of one, else English."""
    languages = {each.task.language for each in loaded.tasks}
    return "de" if languages == {"de"} else "en"


def _about(task: LoadedTask, loaded: LoadedCatalogue, tell: Teller) -> Iterator[Finding]:
    yield from structure_findings(task, loaded.catalogue, tell)
    yield from request_findings(task, tell)
    yield from criteria_findings(task, tell)
    yield from twin_findings(task, loaded, tell)
    yield from reading_findings(task, loaded.catalogue, tell)
