"""Which letters can be drawn: those of the font that comes with Pillow, a small part of Latin."""

from __future__ import annotations

import unicodedata
from typing import Final

_PLAIN: Final = str.maketrans(
    {
        "\u2013": "-",
        "—": "-",
        "\u00d7": "x",
        "Ø": "dia. ",
        "ø": "o",
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ł": "l",
        "€": "EUR",
        "→": ">",
        "µ": "u",
    }
)
_HAS: Final = frozenset("“”\u2018\u2019°·±")


def plain(words: str) -> str:
    """Spell text with the letters that Pillow's own font has: ASCII and a few signs; the rest loses its accents."""
    spelt = words if words.isascii() else unicodedata.normalize("NFKD", words.translate(_PLAIN))
    return "".join(sign for sign in spelt if sign in _HAS or sign.isascii())
