"""Is a reply one JSON object, by RFC 8259 and nothing beside it? Nothing is mended.

Refused: NaN and infinities, duplicate keys, anything before or after the object, two objects, lone surrogates.
Allowed: white space around, and one code fence of three backticks around the object. Numbers stay exact.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from typing import NoReturn

_FENCE = re.compile(r"```[A-Za-z0-9_+-]*\s*(\{.*\})\s*```", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_LONGEST_NUMBER = 64
_SPACE = " \t\r\n"  # what JSON itself calls white space


def read_object(reply: str) -> dict[str, object] | None:
    """Return the object that a reply is, or None.

    Values are None, bool, Decimal, str, lists and dicts. A number of more than 64 characters, or beyond the reach
    of Decimal, stays the text that it was.
    """
    text = reply.strip(_SPACE)
    if text.startswith("```"):
        fenced = _FENCE.fullmatch(text)
        if fenced is None:
            return None
        text = fenced[1]
    if not text.startswith("{") or _SURROGATE.search(text):
        return None
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or (_ESCAPED_SURROGATE.search(text) and _holds_surrogates(value)):
        return None
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key occurs twice")
    return made


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _number(text: str) -> Decimal | str:
    if len(text) > _LONGEST_NUMBER:  # reading millions of digits would take seconds, and no field has such a value
        return text
    try:
        return Decimal(text)
    except InvalidOperation:
        return text


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_refuse, parse_int=_number, parse_float=_number, strict=True
)


def _holds_surrogates(value: object) -> bool:
    """Search a decoded value without recursion: it may be as deep as the decoder could go."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            if _SURROGATE.search(each):
                return True
        elif isinstance(each, list):
            waiting.extend(each)
        elif isinstance(each, dict):
            waiting.extend(each)
            waiting.extend(each.values())
    return False
