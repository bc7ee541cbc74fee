"""Texts, identifiers and account numbers: what counts as the same, and what was lost of them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# What str.isspace() does not know, and nobody can see: zero-width space, word joiner, byte order mark.
_INVISIBLE = re.compile("[\u200b\u2060\ufeff]")
_EXPANSION = 5  # no letter has more marks than that, so whatever is longer is spared the comparison
_LEADING_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")

# Letters with a stroke have no decomposition in Unicode; losing the stroke is losing a mark all the same.
_STROKED = str.maketrans(
    {
        "ł": "l\u0335", "Ł": "L\u0335", "ø": "o\u0338", "Ø": "O\u0338",
        "đ": "d\u0335", "Đ": "D\u0335", "ħ": "h\u0335", "Ħ": "H\u0335",
    }
)  # fmt: skip


def as_text(value: str) -> str:
    """Normalise a name: NFC, every run of white space one space, none around."""
    return _joined(" ", value)


def as_identifier(value: str) -> str:
    """Normalise an identifier: NFC, no white space at all."""
    return _joined("", value)


def as_address(value: str) -> str:
    """Normalise an address: as a name, and a line break is as good as a comma."""
    return _joined(" ", value.replace(",", " "))


def marks_lost(answer: str, truth: str) -> bool:
    """Tell whether the answer is the truth without some or all of its diacritical marks, and with none added.

    Both normalised before.
    """
    if answer == truth or len(answer) > _EXPANSION * len(truth):
        return False
    had, has = _letters(truth), _letters(answer)
    return len(had) == len(has) and all(
        base == other and kept <= marks for (base, marks), (other, kept) in zip(had, has, strict=True)
    )


def zeros_lost(answer: str, truth: str) -> bool:
    """Tell whether the answer is the truth without leading zeros of one or several groups of digits."""
    return len(answer) < len(truth) and _LEADING_ZEROS.sub("", answer) == _LEADING_ZEROS.sub("", truth)


def _joined(separator: str, value: str) -> str:
    if value.isascii():  # NFC as it is
        return separator.join(value.split())
    return unicodedata.normalize("NFC", separator.join(_INVISIBLE.sub(" ", value).split()))


@lru_cache(maxsize=4096)
def _letters(text: str) -> tuple[tuple[str, frozenset[tuple[str, int]]], ...]:
    """Split a text into letters, each with its marks; a mark that occurs twice is two marks."""
    letters: list[tuple[str, list[tuple[str, int]]]] = []
    for each in unicodedata.normalize("NFD", text).translate(_STROKED):
        if unicodedata.category(each) != "Mn":
            letters.append((each, []))
            continue
        if not letters:
            letters.append(("", []))
        marks = letters[-1][1]
        marks.append((each, sum(mark == each for mark, _ in marks)))
    return tuple((base, frozenset(marks)) for base, marks in letters)
