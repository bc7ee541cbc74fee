"""Bytes of a file become its type, or a refusal that names file and place."""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

from daemon.judging.review.javascript_json import JsonValue, NotJson, read_json
from schemas.review.refusals import RefusalRule, ReviewRefusedError

T = TypeVar("T")

_LARGEST_INTEGER = 2**53  # beyond it a double no longer tells neighbours apart
_RULES: tuple[tuple[re.Pattern[str], RefusalRule], ...] = (
    (re.compile(r"attempts\[\d+\]\.(usage|actualCostUsd|latencyMs)"), "usage"),
    (re.compile(r"attempts\[\d+\]\.status"), "status-and-response"),
)


def read_file(content: bytes, kind: type[T], *, file: str) -> T:
    """Read a file's bytes as a type; raises :class:`ReviewRefusedError`.

    Whatever breaks the form breaks the rule ``form``, apart from what has a rule of its own: usage and status.
    """
    try:
        return convert(read_json(content), kind)
    except NotJson as problem:
        raise ReviewRefusedError(
            "form", file=file, place="", problem=f"no JSON ({problem})", todo="write the file again, whole"
        ) from problem
    except msgspec.ValidationError as problem:
        said, _, path = str(problem).partition(" - at `$")
        place = path.rstrip("`").lstrip(".")
        rule: RefusalRule = next((rule for pattern, rule in _RULES if pattern.match(place)), "form")
        raise ReviewRefusedError(
            rule, file=file, place=place, problem=said, todo="see the fields in docs/methodology.md"
        ) from problem


def convert(value: JsonValue, kind: type[T]) -> T:
    """Make a type of a value as JavaScript has it; raises :class:`msgspec.ValidationError`, saying where."""
    try:
        return msgspec.convert(_with_integers(value), kind)
    except UnicodeError as problem:
        raise msgspec.ValidationError("A lone surrogate where a whole text is needed") from problem


def _with_integers(value: JsonValue) -> JsonValue:
    """Write whole numbers as integers, as JavaScript does not tell 1 from 1.0."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= _LARGEST_INTEGER else value
    if isinstance(value, dict):
        return {key: _with_integers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_integers(each) for each in value]
    return value
