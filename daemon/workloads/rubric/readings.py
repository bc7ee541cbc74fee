"""Second readings: which of a task's readings holds for its bytes as they are now. Pure.

A reading is valid if it is of these very bytes and its reader is a person of the catalogue, not the author, with
enough practice. Readings of earlier bytes stay where they are, as history.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from daemon.workloads.rubric.loading import LoadedTask
from schemas.rubric.kinds import LEAST_YEARS_OF_PRACTICE
from schemas.rubric.readings import Reading
from schemas.rubric.task import Catalogue

ReaderRefusal = Literal["unknown-reader", "author", "too-little-practice"]
"""Why a person cannot read a task for its author."""

ReadingState = Literal["read", "changed-since", "reader-refused", "unread"]
"""changed-since: it was read, and its bytes are others now. reader-refused: it was read by somebody who cannot."""


def reader_refusal(reader: str, author: str, catalogue: Catalogue) -> ReaderRefusal | None:
    """Tell why a person cannot be the second reader of an author's task, None if they can."""
    if reader == author:
        return "author"
    person = catalogue.person(reader)
    if person is None:
        return "unknown-reader"
    return "too-little-practice" if person.years_of_practice < LEAST_YEARS_OF_PRACTICE else None


def valid_reading(loaded: LoadedTask, catalogue: Catalogue) -> Reading | None:
    """Return the newest valid reading of a task, None if nobody has read it as it is now."""
    holding = [
        each
        for each in loaded.readings
        if each.task_sha256 == loaded.sha256 and reader_refusal(each.reader, loaded.task.author, catalogue) is None
    ]
    return max(holding, key=lambda each: each.read_at, default=None)


def reading_state(loaded: LoadedTask, catalogue: Catalogue) -> ReadingState:
    """Say what has become of a task's second reading."""
    if valid_reading(loaded, catalogue) is not None:
        return "read"
    if any(each.task_sha256 == loaded.sha256 for each in loaded.readings):
        return "reader-refused"
    return "changed-since" if loaded.readings else "unread"


def readings_json(readings: Sequence[Reading]) -> bytes:
    """Write a readings file: one list, indented, times in UTC."""
    return msgspec.json.format(msgspec.json.encode(readings), indent=2) + b"\n"
