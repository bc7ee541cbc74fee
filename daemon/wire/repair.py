"""Making almost-JSON readable: what real servers emit and strict decoders refuse.

Only called after the strict decoder has refused, so the common case pays nothing. Everything mended is
named, because a mended chunk is an oddity worth seeing. What cannot be mended is None.
"""

from __future__ import annotations

import json
import math
import re
from typing import NamedTuple

_LONE_HALF = re.compile(
    r"""(?x) (?<!\\) ((?:\\\\)*)                                     # an even number of backslashes before
    (?: (\\ud[89ab][0-9a-f]{2} \\ud[c-f][0-9a-f]{2}) | \\ud[89a-f][0-9a-f]{2} )"""
)


class Repaired(NamedTuple):
    """Strict JSON, and what had to be done to make it so."""

    data: bytes
    flags: tuple[str, ...]


def repair_json(raw: bytes) -> Repaired | None:
    """Mend invalid UTF-8, lone surrogates, control characters in strings, and numbers that are none.

    Invalid bytes and lone surrogates become U+FFFD; NaN and infinities become null.
    """
    flags: list[str] = []
    text = raw.decode("utf-8", "replace")
    if "\ufffd" in text and text.encode() != raw:
        flags.append("invalid-utf8")
    try:
        value = json.loads(text, strict=False, parse_constant=_none, parse_float=_finite)
        strict = json.dumps(value)
    except (ValueError, RecursionError):
        return None
    mended = _LONE_HALF.sub(_whole_or_replaced, strict)
    if mended != strict:
        flags.append("lone-surrogate")
    if not flags:
        flags.append("loose-json")
    return Repaired(mended.encode("ascii"), tuple(flags))


def _whole_or_replaced(match: re.Match[str]) -> str:
    return match.group(1) + (match.group(2) or "\\ufffd")


def _none(_: str) -> None:
    return None


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None
