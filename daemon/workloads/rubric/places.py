"""Where a value stands in a TOML or JSON file: from its path to the number of its line. Pure.

Only as exact as people need who look for it: where a value's own line is not found, its parent's is given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import msgspec

ValuePath = tuple[str | int, ...]
"""Keys and positions from 0, such as ``("criterion", 3, "statement")``."""

_HEADER = re.compile(r"^\s*(\[\[?)\s*([A-Za-z0-9_-]+)\s*\]\]?")
_KEY = re.compile(r"""^\s*(?:([A-Za-z0-9_-]+)|"([^"\\]+)"|'([^']+)')\s*=\s*(.*)$""")
_SPACE = re.compile(r"\s*")
_STEP = re.compile(r"\.([A-Za-z0-9_-]+)|\[(\d+)\]")


def parted(refusal: msgspec.ValidationError) -> tuple[str, ValuePath]:
    """Part what msgspec says of a value that it refuses from the path at which that value stands."""
    said, _, where = str(refusal).partition(" - at `$")
    return said, tuple(step[1] or int(step[2]) for step in _STEP.finditer(where))


class Lines:
    """Lines of values, from 1, by their paths."""

    def __init__(self, lines: Mapping[ValuePath, int]) -> None:
        self._lines = lines

    def __call__(self, *path: str | int) -> int:
        """Return the line of a value, else that of the nearest value around it, else 1."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)


def toml_lines(text: str) -> Lines:
    """Find keys and tables of a TOML file, one table deep; the text need not be valid."""
    lines: dict[ValuePath, int] = {}
    counts: dict[str, int] = {}
    table: ValuePath = ()
    closing: str | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if closing is not None:
            if closing in line:
                closing = None
            continue
        if header := _HEADER.match(line):
            table = (header[2],)
            if header[1] == "[[":
                table = (header[2], counts.setdefault(header[2], 0))
                counts[header[2]] += 1
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, key[1] or key[2] or key[3]), number)
            closing = _left_open(key[4])
    return Lines(lines)


def json_lines(text: str) -> Lines:
    """Find every value of a JSON file; the text must be valid."""
    lines: dict[ValuePath, int] = {}
    _JsonPlaces(text, lines).value(0, ())
    return Lines(lines)


def _left_open(value: str) -> str | None:
    """Tell which quotation marks end a text that begins here and goes on below."""
    for marks in ('"""', "'''"):
        if value.startswith(marks) and marks not in value[3:]:
            return marks
    return None


class _JsonPlaces:
    """Walks through a valid JSON text and notes where each value begins."""

    def __init__(self, text: str, lines: dict[ValuePath, int]) -> None:
        self._text = text
        self._lines = lines
        self._scan = json.JSONDecoder().raw_decode

    def value(self, at: int, path: ValuePath) -> int:
        """Note the value that begins at or behind a position; return where it ends."""
        at = self._skip(at)
        self._lines[path] = self._text.count("\n", 0, at) + 1
        match self._text[at]:
            case "{":
                return self._members(at + 1, path)
            case "[":
                return self._elements(at + 1, path)
            case _:
                return self._scan(self._text, at)[1]

    def _members(self, at: int, path: ValuePath) -> int:
        at = self._skip(at)
        while self._text[at] != "}":
            key, at = self._scan(self._text, self._skip(at))
            at = self._skip(self.value(self._skip(at) + 1, (*path, key)))
            at = self._skip(at + 1) if self._text[at] == "," else at
        return at + 1

    def _elements(self, at: int, path: ValuePath) -> int:
        at, position = self._skip(at), 0
        while self._text[at] != "]":
            at = self._skip(self.value(at, (*path, position)))
            at = self._skip(at + 1) if self._text[at] == "," else at
            position += 1
        return at + 1

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return at if found is None else found.end()
