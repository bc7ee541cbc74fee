"""Which tasks of a catalogue enter an evaluation, and why the others do not. Pure.

Only a task without errors that a second expert has read as it is now enters. Unread tasks can be let in by a person
who says so; tasks with errors never.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal

import msgspec

from daemon.workloads.rubric.lint import lint_catalogue
from daemon.workloads.rubric.loading import LoadedCatalogue, LoadedTask
from daemon.workloads.rubric.readings import ReadingState, reading_state, valid_reading
from schemas.rubric.kinds import Language

LeftOutReason = Literal["unreadable", "errors", "changed-since", "reader-refused", "unread"]


class AdmittedTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task that enters. reader: of its valid second reading; None where it was let in unread."""

    loaded: LoadedTask
    reader: str | None

    @property
    def name(self) -> str:
        """Name it by id and language, as people read it."""
        return f"{self.loaded.task.id} ({self.loaded.task.language})"


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A file that does not enter. task, language: None where the file cannot be read. errors: how many it has."""

    file: str
    task: str | None
    language: Language | None
    reason: LeftOutReason
    errors: int = 0

    @property
    def text(self) -> str:
        """Name it, and say why and what to do."""
        name = self.file if self.task is None else f"{self.task} ({self.language})"
        errors = "1 error" if self.errors == 1 else f"{self.errors} errors"
        return f"{name}: {_WORDS[self.reason].format(errors=errors)}"


class Admission(msgspec.Struct, frozen=True, kw_only=True):
    """Both, in the order of the files' names."""

    admitted: tuple[AdmittedTask, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def unread(self) -> tuple[AdmittedTask, ...]:
        """Return the tasks that were let in unread."""
        return tuple(each for each in self.admitted if each.reader is None)


_WORDS = {
    "unreadable": "the file cannot be read; see `messwerk rubric lint`",
    "errors": "{errors}; see `messwerk rubric lint`",
    "changed-since": "changed since its second reading; have it read again and approve it",
    "reader-refused": "read by somebody who cannot be its second reader; have it read by another expert",
    "unread": "no second reading; have it read by another expert and approve it, or give --include-unread",
}


def admission(loaded: LoadedCatalogue, *, include_unread: bool) -> Admission:
    """Sort a catalogue's tasks into those that enter an evaluation and those that are left out of it."""
    errors = Counter(each.file for each in lint_catalogue(loaded) if each.level == "error")
    own = errors[str(loaded.path)]  # of catalogue.toml: they are about every task
    admitted: list[AdmittedTask] = []
    left_out = [
        LeftOut(file=each.file, task=None, language=None, reason="unreadable", errors=1) for each in loaded.unreadable
    ]
    for each in loaded.tasks:
        reading = valid_reading(each, loaded.catalogue)
        found = own + errors[str(each.path)]
        reason = _reason(found, reading_state(each, loaded.catalogue), include=include_unread)
        if reason is None:
            admitted.append(AdmittedTask(loaded=each, reader=None if reading is None else reading.reader))
        else:
            left_out.append(
                LeftOut(
                    file=str(each.path),
                    task=each.task.id,
                    language=each.task.language,
                    reason=reason,
                    errors=found,
                )
            )
    return Admission(admitted=tuple(admitted), left_out=tuple(sorted(left_out, key=lambda each: each.file)))


def _reason(errors: int, state: ReadingState, *, include: bool) -> LeftOutReason | None:
    if errors:
        return "errors"
    if state == "read" or include:
        return None
    return state
