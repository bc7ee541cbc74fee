"""Cuts a text into sentences, German or English. Pure.

A full stop ends no sentence behind an abbreviation, an initial, or in German a number of one or two digits ("am 1.
März"), unless the next word is one with which only sentences begin. An empty line and the mark of a list always end
one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.workloads.rubric.words import Words, words_of
from schemas.rubric.kinds import Language

_BLOCK: Final = re.compile(r"\n\s*\n|\n(?=\s*[-*•]\s)")
_MARKS: Final = r"\"'\u201a\u2018\u2019\u201e\u201c\u201d\u00ab\u00bb"
"""Quotation marks of both languages, for the inside of a class."""
_END: Final = re.compile(rf"[.!?…]+[{_MARKS})\]]*(?=\s|$)")
_LAST_WORD: Final = re.compile(rf"[^\s(\[{_MARKS}/]+$")
_NEXT_WORD: Final = re.compile(rf"[{_MARKS}(\[]*(\S)(\w*)(\.?)")
_LONGEST_ABBREVIATION: Final = 20
_INITIALS: Final = re.compile(r"(?:[^\W\d]\.)*[^\W\d]")
_ORDINAL: Final = re.compile(r"\d{1,2}|[IVX]+")
_LETTER: Final = re.compile(r"[^\W\d_]")
_TITLES: Final = frozenset({"Mr", "Mrs", "Ms"})


def sentences(text: str, language: Language) -> tuple[str, ...]:
    """Return a text's sentences, with single blanks between their words."""
    words = words_of(language)
    found: list[str] = []
    for block in _BLOCK.split(text):
        fragment = ""
        for piece in _pieces(" ".join(block.split()), words, language):
            fragment = f"{fragment} {piece}".strip()
            if _LETTER.search(fragment):  # the number of a list's entry belongs to what follows it
                found.append(fragment)
                fragment = ""
    return tuple(found)


def _pieces(block: str, words: Words, language: Language) -> Iterator[str]:
    begin = 0
    for end in _END.finditer(block):
        if _ends_sentence(block, end, words, language):
            yield block[begin : end.end()].strip()
            begin = end.end()
    if block[begin:].strip():
        yield block[begin:].strip()


def _ends_sentence(block: str, end: re.Match[str], words: Words, language: Language) -> bool:
    following = _NEXT_WORD.match(block, end.end() + 1)  # behind the one blank
    if following is None:
        return True
    if following[1].islower():
        return False
    last = _LAST_WORD.search(block, max(0, end.start() - _LONGEST_ABBREVIATION), end.start())
    word = "" if last is None else last[0]
    if not end[0].startswith(".") or end[0].startswith("..") or not _keeps_its_stop(word, words, language):
        return True
    next_word = following[1] + following[2]
    return next_word in words.sentence_beginnings and (not following[3] or next_word in _TITLES)


def _keeps_its_stop(word: str, words: Words, language: Language) -> bool:
    if word.casefold() in words.abbreviations or _INITIALS.fullmatch(word):
        return True
    return language == "de" and _ORDINAL.fullmatch(word) is not None
