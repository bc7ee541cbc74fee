"""Sentences from templates: ``{slot}`` is replaced by a drawn option, which may hold slots itself.

A template is text with slots in braces; ``{Slot}`` with a capital starts the drawn text with a capital letter.
What is bound (a document's people, its town) wins over what would be drawn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from daemon.workloads.seeding import Deck, Draws

Rules = Mapping[str, Sequence[str]]

_SLOT = re.compile(r"\{(\w+)\}")


@lru_cache(maxsize=8192)
def _parts(template: str) -> tuple[str, ...]:
    """Split into literal, slot, literal, slot, ..., literal."""
    return tuple(_SLOT.split(template))


class Writer:
    """Writes sentences for one document: its rules, its bindings, and decks so that options recur late."""

    def __init__(
        self, draws: Draws, rules: Rules, bound: Mapping[str, str] | None = None, *, year: int = 2026
    ) -> None:
        """``year`` is when the document was written: what it speaks of lies before."""
        self._draws = draws
        self._year = year
        self._rules = rules
        self._decks: dict[str, Deck[str]] = {}
        self.bound = dict(bound or {})

    def deal(self, slot: str) -> str:
        """Take a slot's next option, filled in; an unknown slot is a KeyError naming it."""
        deck = self._decks.get(slot)
        if deck is None:
            deck = self._decks[slot] = Deck(self._draws, self._rules[slot])
        return self.fill(deck.deal())

    def fill(self, template: str) -> str:
        """Replace every slot of a template."""
        parts = _parts(template)
        if len(parts) == 1:
            return template
        out = [parts[0]]
        for place in range(1, len(parts), 2):
            slot = parts[place]
            name = slot[0].lower() + slot[1:]
            text = self._value(name)
            out.append(text[:1].upper() + text[1:] if slot[0].isupper() else text)
            out.append(parts[place + 1])
        return "".join(out)

    def sentences(self, slot: str, count: int) -> str:
        """Write a paragraph of so many of a slot's options."""
        return " ".join(self.deal(slot) for _ in range(count))

    def _value(self, name: str) -> str:
        bound = self.bound.get(name)
        if bound is not None:
            return bound
        if name == "n":
            return str(self._draws.between(2, 97))
        if name == "pct":
            return f"{self._draws.between(3, 870) / 10:.1f} per cent"
        if name == "money":
            return f"{self._draws.between(12, 980) * 50:,} euros"
        if name == "year":
            return str(self._draws.between(self._year - 48, self._year - 1))
        return self.deal(name)
