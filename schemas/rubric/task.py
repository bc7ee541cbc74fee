"""Catalogues and tasks as experts write them: what stands in ``catalogue.toml`` and in a task's file.

Names of keys in the files are singular, as TOML's ``[[criterion]]`` reads; here they are plural. What a good task is
belongs to the linter: these types take any number of criteria, an empty text and a person without practice.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from schemas.rubric.kinds import Language, SourceKind


class Person(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An author or a second reader. years_of_practice: in the field that the tasks are from."""

    id: str
    name: str
    profession: str
    years_of_practice: int


class Catalogue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``catalogue.toml``: what a folder of tasks is called, and who writes and reads them."""

    format: Literal[1]
    id: str
    version: str
    title: str
    persons: tuple[Person, ...] = msgspec.field(name="person", default=())

    def person(self, identifier: str) -> Person | None:
        """Return the person of that id, None if there is none."""
        return next((each for each in self.persons if each.id == identifier), None)


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the reference solution. citations: ids of the task's sources."""

    id: str
    text: str
    citations: tuple[str, ...] = ()


class Criterion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A statement about an answer, yes or no without discretion.

    critical: violated, it would lead to a wrong assessment, a wrong booking or a proof that nobody would sign.
    result: it states a computed result. found: exact words of the solution that say it.
    """

    id: str
    statement: str
    critical: bool = False
    result: bool = False
    found: tuple[str, ...] = ()


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a citation refers to. url: where anyone can read it without paying."""

    id: str
    kind: SourceKind
    citation: str
    url: str


class RubricTask(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A task in one language. Its twin in the other has the same id, criterion ids and critical marks.

    field: such as ``vat`` or ``structural-engineering``. author: id of a person of the catalogue. example: written
    as an example, so that no second reading is claimed.
    """

    format: Literal[1]
    id: str
    language: Language
    field: str
    title: str
    author: str
    facts: str
    question: str
    example: bool = False
    solution: tuple[Section, ...] = ()
    criteria: tuple[Criterion, ...] = msgspec.field(name="criterion", default=())
    sources: tuple[Source, ...] = msgspec.field(name="source", default=())

    def criterion(self, identifier: str) -> Criterion | None:
        """Return the criterion of that id, None if there is none."""
        return next((each for each in self.criteria if each.id == identifier), None)
