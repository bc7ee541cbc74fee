"""The words that the linter looks for, by language; what it makes of them is decided elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from schemas.rubric.kinds import Language


class _LanguageWords(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One language of ``words.toml``."""

    abbreviations: str
    sentence_beginnings: str
    months: str
    numbers: str
    joins_patterns: tuple[str, ...]
    negation: str = msgspec.field(name="not")
    fixed_phrases_patterns: tuple[str, ...]
    verbs: str
    no_verbs: str
    clause_openers: str
    prepositions: str
    verb_particles: str
    vague: str
    vague_phrases_patterns: tuple[str, ...]
    endings_pattern: str
    reasoning_patterns: tuple[str, ...]
    result_words_patterns: tuple[str, ...]
    measuring_patterns: tuple[str, ...]
    answer_format_patterns: tuple[str, ...]
    aids_patterns: tuple[str, ...]
    citation_patterns: tuple[str, ...]
    tolerance_pattern: str


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    paid_hosts: str
    de: _LanguageWords
    en: _LanguageWords


_FILE: Final = msgspec.toml.decode((files("daemon.workloads.rubric") / "words.toml").read_bytes(), type=_File)

PAID_HOSTS: Final = frozenset(_FILE.paid_hosts.split())
"""Hosts behind which, and below which, only those read who pay."""


class Words:
    """One language's words, ready to be looked for."""

    def __init__(self, words: _LanguageWords) -> None:
        self.abbreviations = frozenset(words.abbreviations.split())
        self.sentence_beginnings = frozenset(words.sentence_beginnings.split())
        self.months: Mapping[str, int] = {name: number for number, name in enumerate(words.months.split(), 1)}
        self.numbers: Mapping[str, int] = {
            name: number for number, name in enumerate(words.numbers.split()) if name != "-"
        }
        self.joins = _any(words.joins_patterns, re.IGNORECASE)
        self.negation = words.negation
        self.fixed_phrases = _any(words.fixed_phrases_patterns, re.IGNORECASE)
        self.verbs = frozenset(words.verbs.split())
        self.no_verbs = frozenset(words.no_verbs.split())
        self.clause_openers = frozenset(words.clause_openers.split())
        self.prepositions = frozenset(words.prepositions.split())
        self.verb_particles = frozenset(words.verb_particles.split())
        vague = "|".join(re.escape(word) for word in words.vague.split())
        # Adjectives are small letters: "das Gut" is a noun. The first letter of a statement may be a capital.
        self.vague = _any((rf"\b(?:{vague}){words.endings_pattern}\b", *words.vague_phrases_patterns))
        self.reasoning = _any(words.reasoning_patterns, re.IGNORECASE)
        self.result_words = _any(words.result_words_patterns)
        self.measuring = _any(words.measuring_patterns, re.IGNORECASE)
        self.answer_format = _any(words.answer_format_patterns, re.IGNORECASE)
        self.aids = _any(words.aids_patterns, re.IGNORECASE)
        self.citations = _any(words.citation_patterns)
        self.tolerance = re.compile(words.tolerance_pattern)


@cache
def words_of(language: Language) -> Words:
    """Return a language's words."""
    return Words(_FILE.de if language == "de" else _FILE.en)


def _any(patterns: Sequence[str], flags: int = 0) -> Sequence[re.Pattern[str]]:
    """Compile each by itself: several name the same group, and the first that is found is the one that is told."""
    return tuple(re.compile(pattern, flags) for pattern in patterns)
