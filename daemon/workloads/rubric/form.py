"""Bytes of a file become its type, or a finding of the rule ``form`` in words for experts. Pure."""

from __future__ import annotations

import json as json_text
import re
import tomllib
from difflib import get_close_matches
from typing import Final, Generic, TypeVar

import msgspec

from daemon.workloads.rubric.findings import Finding, Teller
from daemon.workloads.rubric.places import Lines, ValuePath, json_lines, parted, toml_lines

T = TypeVar("T")

_HALF: Final = re.compile("[\ud800-\udfff]")
_AT_LINE: Final = re.compile(r"\(at line (\d+)")
_MISSING: Final = re.compile(r"missing required field `(.+)`")
_UNKNOWN: Final = re.compile(r"unknown field `(.+)`")
_CLOSED_SET: Final = re.compile(r"Invalid enum value (.+)")
_TYPES: Final = re.compile(r"Expected `(.+)`, got `(.+)`")
_WORDS: Final = {
    "str": ("a text in quotation marks", "ein Text in Anführungszeichen"),
    "int": ("a whole number without quotation marks", "eine ganze Zahl ohne Anführungszeichen"),
    "bool": ("true or false, without quotation marks", "true oder false, ohne Anführungszeichen"),
    "array": (
        "a list in square brackets, or tables with double brackets such as [[criterion]]",
        "eine Liste in eckigen Klammern, oder Tabellen mit doppelten Klammern wie [[criterion]]",
    ),
    "object": ("a table with keys of its own", "eine Tabelle mit eigenen Schlüsseln"),
}
_CLOSED_SETS: Final = {
    "format": "1",
    "language": '"de", "en"',
    "kind": '"statute", "guidance", "ruling", "standard"',
}
_OF_A_FILE: Final = ("format", "language", "field", "title", "author", "example", "facts", "question", "version")
_KNOWN: Final = (
    *_OF_A_FILE,
    *("id", "solution", "criterion", "source", "text", "citations", "statement", "critical", "result", "found"),
    *("kind", "citation", "url", "person", "name", "profession", "years_of_practice"),
    *("reader", "task_sha256", "read_at"),
)
_LIKELY: Final = {"criteria": "criterion", "sources": "source", "solutions": "solution", "persons": "person"}


class Form(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """A file as it was read: its exact bytes, what it says, and where it says it."""

    content: bytes
    value: T
    lines: Lines


class FormError(Exception):
    """A file has not the documented form."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.text)
        self.finding = finding


def read_form(content: bytes, kind: type[T], tell: Teller, *, json: bool) -> Form[T]:
    """Read a file's bytes as a type, TOML or JSON; raises :class:`FormError`."""
    try:
        text = content.decode("utf-8-sig")  # some editors put a mark before the text
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise FormError(tell("form", "no-utf-8", line)) from problem
    try:
        plain = json_text.loads(text) if json else tomllib.loads(text)
        lines = json_lines(text) if json else toml_lines(text)
    except json_text.JSONDecodeError as problem:
        raise FormError(tell("form", "no-json", problem.lineno, reason=problem.msg)) from problem
    except RecursionError as problem:
        raise FormError(tell("form", "too-deep", None)) from problem
    except ValueError as problem:  # TOML's own, and of both a number of more digits than Python reads
        finding = tell("form", "no-json", None, reason=problem) if json else _no_toml(text, problem, tell)
        raise FormError(finding) from problem
    half = _half_character(plain, lines)
    if half is not None:
        raise FormError(tell("form", "half-character", half))
    try:
        return Form(content=content, value=msgspec.convert(plain, kind, strict=True), lines=lines)
    except msgspec.ValidationError as problem:
        raise FormError(_worded(problem, lines, tell)) from problem


def _no_toml(text: str, problem: ValueError, tell: Teller) -> Finding:
    found = _AT_LINE.search(str(problem))
    # At the end of the document something was left open; where it began is for the reader to find.
    line = int(found[1]) if found else text.count("\n") + 1
    return tell("form", "no-toml", line, reason=str(problem))


def _half_character(value: object, lines: Lines, path: ValuePath = ()) -> int | None:
    """Return the line of a text with half of a character, which JSON can escape and nobody can read."""
    if isinstance(value, str):
        return lines(*path) if _HALF.search(value) else None
    inner: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inner = [("", list(value)), *value.items()]
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return next((line for key, each in inner if (line := _half_character(each, lines, (*path, key)))), None)


def _worded(problem: msgspec.ValidationError, lines: Lines, tell: Teller) -> Finding:
    said, path = parted(problem)
    key = next((step for step in reversed(path) if isinstance(step, str)), "")
    at = 1 if tell.language == "de" else 0
    if found := _MISSING.search(said):
        return tell("form", "missing-key", lines(*path), key=found[1], table=_table(path, at))
    if found := _UNKNOWN.search(said):
        return _unknown(found[1], path, lines, tell)
    if found := _CLOSED_SET.search(said):
        return tell("form", "closed-set", lines(*path), key=key, value=found[1], known=_CLOSED_SETS.get(key, "1"))
    if (found := _TYPES.search(said)) and found[1] in _WORDS:
        return tell("form", "wrong-type", lines(*path), key=key, wanted=_WORDS[found[1]][at])
    return tell("form", "other", lines(*path), key=key, reason=said)


def _unknown(key: str, path: ValuePath, lines: Lines, tell: Teller) -> Finding:
    line, table = lines(*path, key), _table(path, 1 if tell.language == "de" else 0)
    if path and key in _OF_A_FILE:  # in TOML whatever stands below a table's head belongs to that table
        return tell("form", "key-too-far-down", line, key=key, table=table)
    likely = _LIKELY.get(key) or next(iter(get_close_matches(key, _KNOWN, n=1)), "")
    return tell("form", "unknown-key-likely" if likely else "unknown-key", line, key=key, likely=likely, table=table)


def _table(path: ValuePath, at: int) -> str:
    match path:
        case (str(name), int(position)):
            return f"[[{name}]] {position + 1}"
        case (str(name), *_):
            return f"[[{name}]]"
        case (int(position), *_):
            return f"{('entry', 'Eintrag')[at]} {position + 1}"
    return ("the part above the first table", "dem Teil über der ersten Tabelle")[at]
