"""From TOML text to rows: generic, knowing only the structs of :mod:`schemas.configuration`.

Every key of every table is converted on its own, so that one bad field hides no other. What the values
mean is checked elsewhere (``fields``, ``references``, ``feasibility``).
"""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import UnionType
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from daemon.configuration.problems import Place, Problems
from daemon.configuration.secrecy import HIDDEN, looks_like_credential, shown

T = TypeVar("T", bound=msgspec.Struct)

_WORDS: Mapping[Any, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    Decimal: "a number",
    bool: "true or false",
    date: "a date such as 2026-11-30",
}


_SECRET_WORDS = ("key", "token", "secret", "password", "credential")

Check = Callable[[Any], str | None]


class Row(msgspec.Struct, Generic[T]):
    """One table as read. Fields named in ``bad`` hold ``UNSET``: ask ``ok`` before looking at a field."""

    place: Place
    value: T
    bad: frozenset[str]

    def ok(self, *fields: str) -> bool:
        """Tell whether all of these fields were read without a mistake."""
        return self.bad.isdisjoint(fields)


def read_toml(directory: Path, name: str, problems: Problems) -> dict[str, Any] | None:
    """Parse one file; None, with the mistake noted, when there is no TOML to be had."""
    place = Place(name)
    path = directory / name
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        others = sorted(other.name for other in directory.glob("*.toml"))
        problems.add(
            place, None, f"missing file in {directory}{likely(name, others)}; `messwerk init` writes an example"
        )
        return None
    except OSError as problem:
        problems.add(place, None, f"cannot be read: {problem.strerror or problem}")
        return None
    except UnicodeDecodeError as problem:
        problems.add(place, None, f"expected UTF-8 text: byte {problem.start} is not")
        return None
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as problem:
        reason = str(problem)
        problems.add(place, None, f"no valid TOML: {HIDDEN if looks_like_credential(reason) else reason}")
        return None


class Reader:
    """Turns tables into rows. ``checks`` holds, by struct and field, what a value must satisfy beyond its type.

    A check returns what was expected, or None when the value will do.
    """

    def __init__(self, problems: Problems, checks: Mapping[type, Mapping[str, Check]]) -> None:
        self._problems = problems
        self._checks = checks

    def refuse_unknown(self, found: Collection[str], known: Collection[str], place: Place, what: str) -> None:
        """Note every key that is not known, with the likeliest meaning. ``what`` is "key" or "table"."""
        for key in found:
            if key in known:
                continue
            if "key_env" in known and any(word in key.lower() for word in _SECRET_WORDS):
                hint = "; a key never stands in these files: name its environment variable in key_env"
            else:
                hint = f"{likely(key, known)}; known here: {', '.join(sorted(known))}"
            self._problems.add(place, None, f"unknown {what} {shown(key)}{hint}")

    def rows(self, kind: type[T], document: Mapping[str, Any], file: str, table: str) -> tuple[Row[T], ...] | None:
        """Convert every ``[[table]]`` of a file that holds nothing else; None when they are no tables."""
        self.refuse_unknown(document, (table,), Place(file), "table")
        items = document.get(table, [])
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            self._problems.add(Place(file), None, f"expected tables [[{table}]], each with double brackets")
            return None
        return tuple(self.row(kind, item, Place(file, table, (at,))) for at, item in enumerate(items, 1))

    def row(self, kind: type[T], table: Mapping[str, Any], place: Place) -> Row[T]:
        """Convert one table, noting unknown keys, wrong types, missing fields and values that cannot be."""
        fields = msgspec.structs.fields(kind)
        self.refuse_unknown(table, [field.name for field in fields], place, "key")
        values: dict[str, Any] = {}
        bad: set[str] = set()
        for field in fields:
            if field.name in table:
                before = len(self._problems)
                values[field.name] = self._value(table[field.name], field.type, field.name, place)
                check = self._checks.get(kind, {}).get(field.name)
                if len(self._problems) == before and check is not None and values[field.name] is not None:
                    wanted = check(values[field.name])
                    if wanted is not None:
                        got = _got(table[field.name], field.type, field.name)
                        self._problems.add(place, field.name, f"expected {wanted}, got {got}")
                if len(self._problems) > before:
                    bad.add(field.name)
            elif field.required:
                self._problems.add(place, field.name, f"missing; expected {expected(field.type)}")
                bad.add(field.name)
        values.update(dict.fromkeys(bad, msgspec.UNSET))
        return Row(place, kind(**values), frozenset(bad))

    def _value(  # noqa: PLR0911  # one way out for each kind of value
        self,
        value: Any,  # noqa: ANN401  # a value of any type
        kind: Any,  # noqa: ANN401  # the same
        field: str,
        place: Place,
    ) -> Any:  # noqa: ANN401  # the same
        """Convert one value, descending into lists of tables such as ``[[endpoint.price]]``."""
        arguments = get_args(kind)
        if get_origin(kind) is tuple and isinstance(arguments[0], type) and issubclass(arguments[0], msgspec.Struct):
            if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
                self._problems.add(place, field, f"expected tables [[{place.table}.{field}]], got {shown(value)}")
                return ()
            rows = [self.row(arguments[0], item, place.nested(field, at)) for at, item in enumerate(value, 1)]
            return tuple(row.value for row in rows)
        inner = _struct(kind)
        if inner is not None and isinstance(value, dict):
            return self.row(inner, value, Place(place.file, f"{place.table}.{field}", place.index)).value
        if any(looks_like_credential(text) for text in _texts(value)):
            self._problems.add(
                place,
                field,
                f"looks like a credential {HIDDEN}; put it into an environment variable or a file of its own, "
                "and name that in accounts.toml as key_env or key_file",
            )
            return None
        if kind is Any:
            return _plain(value)
        try:
            converted = msgspec.convert(value, kind)
        except msgspec.ValidationError:
            self._problems.add(place, field, f"expected {expected(kind)}, got {_got(value, kind, field)}")
            return None
        if isinstance(converted, float | Decimal) and not math.isfinite(converted):
            self._problems.add(place, field, f"expected a finite number, got {shown(value)}")
        return converted


def expected(kind: Any) -> str:  # noqa: ANN401  # any annotation of a configuration struct
    """Word a type for the person who writes the file."""
    if kind in _WORDS:
        return _WORDS[kind]
    arguments = [argument for argument in get_args(kind) if argument is not type(None)]
    origin = get_origin(kind)
    if origin is Literal:
        return "one of " + ", ".join(f'"{argument}"' for argument in arguments)
    if origin is tuple:
        return f"a list, each entry {expected(arguments[0])}"
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(expected(argument) for argument in arguments))
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return "a table"
    return "a value"


def _struct(kind: Any) -> type[msgspec.Struct] | None:  # noqa: ANN401  # any annotation of a configuration struct
    """Struct that a table below another one is read as, such as ``[tables.server]``; None for other types."""
    for candidate in get_args(kind) or (kind,):
        if isinstance(candidate, type) and issubclass(candidate, msgspec.Struct):
            return candidate
    return None


def _got(value: Any, kind: Any, field: str) -> str:  # noqa: ANN401  # whatever stood in the file
    if field.startswith("key") or field.endswith(("_env", "_file")):  # where a secret is put by mistake
        return HIDDEN
    if isinstance(value, list) and get_origin(kind) is tuple:
        wrong = next((item for item in value if not isinstance(item, str)), None)
        return f"an entry {shown(wrong)}" if wrong is not None else shown(value)
    if isinstance(value, str) and "a text" not in expected(kind) and get_origin(kind) is not Literal:
        return f"the text {shown(value)}"
    return shown(value)


def _plain(value: Any) -> Any:  # noqa: ANN401  # a free value of TOML
    """Turn decimals into floats in a value of any type: it goes on the wire as JSON, where they are numbers."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401  # a free value of TOML
    """Every text inside a value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)


def likely(word: str, known: Collection[str]) -> str:
    """Hint at the known name that a mistyped word probably means; empty when none is close."""
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f' (did you mean "{close[0]}"?)' if close else ""
