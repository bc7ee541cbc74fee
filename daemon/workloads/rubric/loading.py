"""Reads a folder of ``catalogue.toml``, task files and their second readings.

Whatever can be read is read: a task's file that cannot is told beside the others, as a finding of the rule ``form``.
What a good task is belongs to the linter.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from daemon.workloads.rubric.findings import Finding, Teller
from daemon.workloads.rubric.form import Form, FormError, read_form
from daemon.workloads.rubric.places import Lines
from schemas.errors import ConfigurationError
from schemas.rubric.kinds import Language
from schemas.rubric.readings import Reading
from schemas.rubric.task import Catalogue, RubricTask

T = TypeVar("T")

CATALOGUE_FILE: Final = "catalogue.toml"
READINGS_ENDING: Final = ".readings.json"
_ENDINGS = (".toml", ".json")


class RubricFileError(ConfigurationError):
    """A file of a catalogue cannot be read; its message is that of ``finding``, where there is one."""

    def __init__(self, message: str, finding: Finding | None = None) -> None:
        super().__init__(message)
        self.finding = finding


class LoadedTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task, the hash of its file's exact bytes, and every second reading that anybody recorded, oldest first."""

    path: Path
    sha256: str
    task: RubricTask
    lines: Lines
    readings: tuple[Reading, ...]


class LoadedCatalogue(msgspec.Struct, frozen=True, kw_only=True):
    """A folder. tasks: by file name. unreadable: files that should have been a task or readings."""

    folder: Path
    catalogue: Catalogue
    lines: Lines
    tasks: tuple[LoadedTask, ...]
    unreadable: tuple[Finding, ...]

    @property
    def path(self) -> Path:
        """Of ``catalogue.toml``."""
        return self.folder / CATALOGUE_FILE

    def task(self, identifier: str, language: Language) -> LoadedTask | None:
        """Return a task by id and language, None if there is none."""
        return next(
            (each for each in self.tasks if (each.task.id, each.task.language) == (identifier, language)), None
        )


def load_catalogue(folder: Path, messages: Language | None = None) -> LoadedCatalogue:
    """Read a catalogue. messages: language of findings, by default that of each file's name.

    Raises :class:`RubricFileError` where there is no ``catalogue.toml`` that can be read.
    """
    catalogue, lines = _catalogue(folder, messages)
    tasks: list[LoadedTask] = []
    unreadable: list[Finding] = []
    for path in _task_files(folder):
        try:
            tasks.append(load_task(path, messages))
        except RubricFileError as problem:
            if problem.finding is None:
                raise
            unreadable.append(problem.finding)
    return LoadedCatalogue(
        folder=folder, catalogue=catalogue, lines=lines, tasks=tuple(tasks), unreadable=tuple(unreadable)
    )


def load_task(path: Path, messages: Language | None = None) -> LoadedTask:
    """Read a task's file and its second readings; raises :class:`RubricFileError`."""
    form = _read(path, RubricTask, messages)
    readings = readings_path(path)
    return LoadedTask(
        path=path,
        sha256=sha256(form.content).hexdigest(),
        task=form.value,
        lines=form.lines,
        readings=_read(readings, tuple[Reading, ...], messages).value if readings.exists() else (),
    )


def readings_path(task: Path) -> Path:
    """Return where a task's second readings stand: beside it, as ``<task file name>.readings.json``."""
    return task.with_name(task.name + READINGS_ENDING)


def language_of_name(path: Path) -> Language | None:
    """Return the language that a task's file name says, None where it says none."""
    match path.name.removesuffix(READINGS_ENDING).split("."):
        case [_, "de", _]:
            return "de"
        case [_, "en", _]:
            return "en"
    return None


def _task_files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if _is_task(path))
    except OSError as problem:
        raise RubricFileError(
            f"{folder}: cannot be read ({problem.strerror}); give yourself the right to list it"
        ) from problem


def _is_task(path: Path) -> bool:
    name = path.name
    return (
        name.endswith(_ENDINGS)
        and name != CATALOGUE_FILE
        and not name.startswith(".")
        and not name.endswith(READINGS_ENDING)
        and path.is_file()
    )


def _catalogue(folder: Path, messages: Language | None) -> tuple[Catalogue, Lines]:
    path = folder / CATALOGUE_FILE
    if not path.is_file():
        raise RubricFileError(
            f"{folder}: there is no {CATALOGUE_FILE}; name a folder that holds one, with the tasks' files beside it"
        )
    form = _read(path, Catalogue, messages)
    return form.value, form.lines


def _read(path: Path, kind: type[T], messages: Language | None) -> Form[T]:
    tell = Teller(path, messages or language_of_name(path) or "en")
    try:
        content = path.read_bytes()
    except OSError as problem:
        finding = tell("form", "unreadable", None, reason=problem.strerror or problem)
        raise RubricFileError(finding.text, finding) from problem
    try:
        return read_form(content, kind, tell, json=path.suffix == ".json")
    except FormError as problem:
        raise RubricFileError(problem.finding.text, problem.finding) from problem
