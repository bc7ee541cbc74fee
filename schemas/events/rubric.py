"""Events of rubric tasks beside the attempts themselves: what was asked, and by which criteria it will be judged.

Verdicts on criteria are ``judgment-recorded``, one for each judge and criterion.
"""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

import msgspec

from schemas.events.base import Event
from schemas.rubric.kinds import Language


class AskedCriterion(msgspec.Struct, frozen=True, kw_only=True):
    """A criterion as it stood in the task when it was asked; nothing of it was sent."""

    id: str
    statement: str
    critical: bool


class RubricAsked(Event, frozen=True, kw_only=True):
    """An attempt is about to ask a rubric task; it comes before the attempt's ``request-sent``.

    run: that began the evaluation; what takes an interrupted one up has its id here. catalogue, catalogue_version,
    task: ids of the files. field: such as ``vat``. task_sha256: of the task file's bytes. prompt_sha256: of facts and
    question as they are sent. repetition: from 1, where the same is asked several times. reader: of the valid second
    reading, None for a task that nobody has read. example: the task says that it is one.
    """

    TYPE: ClassVar[str] = "rubric-asked"

    attempt: UUID
    run: UUID
    endpoint: str
    catalogue: str
    catalogue_version: str
    task: str
    language: Language
    field: str
    title: str
    task_sha256: str
    criteria: tuple[AskedCriterion, ...]
    prompt_sha256: str
    repetition: int = 1
    reader: str | None = None
    example: bool = False
