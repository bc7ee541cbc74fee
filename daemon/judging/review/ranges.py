"""Quotations and ranges in UTF-16 code units, as JavaScript counts: a character beyond the BMP is two of them."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def utf16_length(text: str) -> int:
    """Count a text's UTF-16 code units."""
    return len(_units(text)) // 2


def utf16_slice(text: str, start: int, end: int) -> str:
    """Give the code units from ``start`` up to, without, ``end``; half a character becomes a lone surrogate."""
    return _units(text)[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


def is_exact(text: str, quote: str, start: int, end: int) -> bool:
    """Tell whether a range of a text is exactly a quotation: not empty, within the text, of whole characters."""
    if not 0 <= start < end <= utf16_length(text) or _SURROGATE.search(quote):
        return False
    return utf16_slice(text, start, end) == quote


def find_range(text: str, quote: str) -> tuple[int, int] | None:
    """Find a quotation's range, if it occurs exactly once."""
    place = text.find(quote)
    if place < 0 or text.find(quote, place + 1) >= 0:
        return None
    start = utf16_length(text[:place])
    return start, start + utf16_length(quote)


def has_lone_surrogate(text: str) -> bool:
    """Tell whether a text, once read, has half a character, which no UTF-8 file can hold."""
    return _SURROGATE.search(text) is not None


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")
