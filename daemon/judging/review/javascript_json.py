"""JSON exactly as JavaScript reads and writes it, so that hashes made with ``JSON.stringify`` stay valid.

Reading follows ECMAScript ``JSON.parse``: every number is a double, of a key that occurs twice the last value counts
at the first one's place, and an escaped surrogate may stand alone. Writing follows ``JSON.stringify``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import NoReturn, TypeAlias

JsonValue: TypeAlias = bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"] | None

DEEPEST = 200
"""Most levels of nesting that are read. ``JSON.parse`` goes deeper; no honest file or answer does."""

_LARGEST_INDEX = 2**32 - 2  # ECMAScript's largest array index; larger keys keep their place like any other
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_SPECIAL = re.compile('["\\\\\x00-\x1f\ud800-\udfff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class NotJson(ValueError):  # noqa: N818  # a condition of a text, which callers turn into a refusal or a failed answer
    """A text is no JSON, or nested deeper than :data:`DEEPEST`."""


def read_json(text: str | bytes) -> JsonValue:
    """Read a JSON text; raises :class:`NotJson` saying where.

    Numbers become floats, also those beyond a double's range, which are infinite as in JavaScript. Bytes are UTF-8
    without a byte order mark.
    """
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        value: JsonValue = _DECODER.decode(decoded)
    except UnicodeDecodeError as problem:
        raise NotJson(f"no UTF-8 at byte {problem.start}") from problem
    except ValueError as problem:
        raise NotJson(str(problem)) from problem
    except RecursionError as problem:
        raise NotJson(f"nested deeper than {DEEPEST} levels") from problem
    _check_depth(value)
    return value


def javascript_json(value: object, *, indent: int = 0) -> str:
    """Write a value as ``JSON.stringify(value)`` does, or ``JSON.stringify(value, null, indent)``.

    Accepts None, booleans, integers (written as the nearest double), floats, strings, lists, tuples and mappings with
    string keys. Raises TypeError for anything else. The text is always encodable: lone surrogates are escaped.
    Source: ECMA-262, ``SerializeJSONProperty``, ``QuoteJSONString``, ``OrdinaryOwnPropertyKeys``.
    """
    parts: list[str] = []
    _write(value, parts, " " * indent, "\n" if indent else "")
    return "".join(parts)


def javascript_sha256(value: object) -> str:
    """Hash, in hexadecimal, the UTF-8 bytes of ``JSON.stringify(value)``."""
    return sha256(javascript_json(value).encode()).hexdigest()


def javascript_number(number: float) -> str:
    """Write a finite double as ECMAScript ``Number::toString`` does in base ten, and others as JSON's null.

    Python's repr gives the same digits: the shortest that read back as the number, and of those the nearest.
    """
    if not math.isfinite(number):
        return "null"
    if number == 0:
        return "0"  # a negative zero too
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    leading = len(whole) + int(exponent or 0)  # the decimal point stands behind so many of the digits
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point = leading - (len(digits) - len(stripped))
    digits = stripped.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        text = digits + "0" * (point - count)
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        tail = f".{digits[1:]}" if count > 1 else ""
        text = f"{digits[0]}{tail}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return f"-{text}" if number < 0 else text


def utf16_order(text: str) -> bytes:
    """Make the key that sorts texts as JavaScript's ``sort`` does: by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")


def _write(value: object, parts: list[str], indent: str, line: str) -> None:
    """Append a value's text; ``line`` is the line break and indentation where it stands, empty for one line."""
    if value is None or isinstance(value, bool):
        parts.append({None: "null", True: "true", False: "false"}[value])
    elif isinstance(value, str):
        parts.append(_quoted(value))
    elif isinstance(value, int | float):
        parts.append(javascript_number(_double(value)))
    elif isinstance(value, Mapping):
        _write_object(value, parts, indent, line)
    elif isinstance(value, list | tuple):
        inner = line + indent
        before = f"[{inner}"
        for each in value:
            parts.append(before)
            _write(each, parts, indent, inner)
            before = f",{inner}"
        parts.append(f"{line}]" if value else "[]")
    else:
        raise TypeError(f"{type(value).__name__} is no JSON value")


def _write_object(value: Mapping[object, object], parts: list[str], indent: str, line: str) -> None:
    inner = line + indent
    before = f"{{{inner}"
    for key in _in_order(value):
        parts.append(f"{before}{_quoted(key)}:{' ' if indent else ''}")
        _write(value[key], parts, indent, inner)
        before = f",{inner}"
    parts.append(f"{line}}}" if value else "{}")


def _in_order(keys: Iterable[object]) -> list[str]:
    indices: list[str] = []
    others: list[str] = []
    for key in keys:
        if not isinstance(key, str):
            raise TypeError(f"{type(key).__name__} is no key of a JSON object")
        (indices if _INDEX.fullmatch(key) and int(key) <= _LARGEST_INDEX else others).append(key)
    return sorted(indices, key=int) + others


def _quoted(text: str) -> str:
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    return _SHORT.get(character) or f"\\u{ord(character):04x}"


def _double(number: float) -> float:
    try:
        return float(number)
    except OverflowError:  # an integer beyond the range of a double is infinite in JavaScript
        return math.inf


def _check_depth(value: JsonValue) -> None:
    level: list[JsonValue] = [value]
    for _ in range(DEEPEST + 1):
        below: list[JsonValue] = []
        for each in level:
            if isinstance(each, dict):
                below.extend(each.values())
            elif isinstance(each, list):
                below.extend(each)
        if not below:
            return
        level = below
    raise NotJson(f"nested deeper than {DEEPEST} levels")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_DECODER = json.JSONDecoder(parse_int=float, parse_float=float, parse_constant=_refuse, strict=True)
