"""The words on invoices: what stands before each value, in the synonyms that are in use in both countries."""

from __future__ import annotations

from daemon.workloads.office.lists.invoice_words import NOTES, TITLES, WORDS
from daemon.workloads.seeding import Draws
from schemas.office import Language, Variant


class Words:
    """One document's choice of words: a word, once chosen, stays."""

    def __init__(self, draws: Draws, language: Language, variant: Variant) -> None:
        self._draws = draws
        self._language = language
        self._variant = variant

    def __getitem__(self, key: str) -> str:
        """Word for a key, the variant's own where it has one; KeyError for a key that is not in the list."""
        known = WORDS[self._language]
        return self._draws.branch(key).pick(known.get(f"{key} {self._variant}", known[key]))

    @property
    def title(self) -> str:
        """What the document calls itself."""
        return self._draws.branch("title").pick(TITLES[self._language][self._variant])

    @property
    def note(self) -> str:
        """What is said below, by variant."""
        return self._draws.branch("note").pick(NOTES[self._language][self._variant])
