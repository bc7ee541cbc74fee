"""What is to be said about a file of a catalogue: rule, level, file, line, what is wrong, what to do. Pure.

The words are in ``rules.toml``, in German and English side by side, so that an expert can read all of them in one
place; which file breaks which rule is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

from schemas.rubric.kinds import FindingLevel, Language


class Message(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that can be wrong, with ``{names}`` where values come in. level: where it differs from its rule's."""

    problem_en: str
    problem_de: str
    todo_en: str
    todo_de: str
    level: FindingLevel | None = None


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule: what it demands, in one sentence, and the messages by which it is told."""

    level: FindingLevel
    demands_en: str
    demands_de: str
    message: Mapping[str, Message]


RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    msgspec.toml.decode(
        (files("daemon.workloads.rubric") / "rules.toml").read_bytes(), type=dict[str, Rule], strict=True
    )
)
"""Every rule by its name, in the order in which they are documented."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A rule broken. file: as the path was given. line: from 1, None where it is about the file as a whole."""

    file: str
    line: int | None
    level: FindingLevel
    rule: str
    message: str
    language: Language
    problem: str
    todo: str

    @property
    def text(self) -> str:
        """File, line, rule, what, what to do; on one line."""
        at, colon = ("Zeile", "Regel") if self.language == "de" else ("line", "rule")
        where = self.file if self.line is None else f"{self.file}, {at} {self.line}"
        return f"{where}, {colon} {self.rule}: {self.problem}; {self.todo}"


class Teller:
    """Words findings about one file in one language."""

    def __init__(self, path: Path, language: Language) -> None:
        self.path = path
        self.language: Language = language

    def __call__(self, rule: str, message: str, line: int | None, **values: object) -> Finding:
        """Word a finding. ``values`` fill the message's ``{names}``."""
        broken = RULES[rule]
        words = broken.message[message]
        problem, todo = (
            (words.problem_de, words.todo_de) if self.language == "de" else (words.problem_en, words.todo_en)
        )
        return Finding(
            file=str(self.path),
            line=line,
            level=words.level or broken.level,
            rule=rule,
            message=message,
            language=self.language,
            problem=_one_line(problem.format_map(values)),
            todo=_one_line(todo.format_map(values)),
        )


def _one_line(text: str) -> str:
    """Keep what files say from moving the cursor of the terminal that shows it."""
    return "".join(each if each.isprintable() else " " for each in " ".join(text.split()))
