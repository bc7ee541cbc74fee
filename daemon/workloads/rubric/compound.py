"""Statements that state two things, and the two that each of them becomes. Pure.

Where a statement falls apart is certain; how its halves read is a suggestion, made of word order alone and without
any grammar, for an expert to mend.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from daemon.workloads.rubric.sentences import sentences
from daemon.workloads.rubric.words import Words, words_of
from schemas.rubric.kinds import Language

_QUOTED: Final = re.compile(
    '\u201e[^\u201c\u201d]+[\u201c\u201d]|\u201c[^\u201d]+\u201d|"[^"]+"|\u00bb[^\u00ab]+\u00ab'
)
_WORD: Final = re.compile(r"[^\W\d_][\w-]*")


class Join(msgspec.Struct, frozen=True, kw_only=True):
    """What joins two things. word: as it stands there. phrase: the fixed phrase that it is part of, if it is."""

    word: str
    phrase: str | None
    first: str
    second: str


def joins(statement: str, language: Language) -> tuple[Join, ...]:
    """Return where a statement falls apart; those that a fixed phrase may explain come last."""
    words = words_of(language)
    apart = sentences(statement, language)
    if len(apart) > 1:
        return (Join(word=".", phrase=None, first=_sentence(apart[0]), second=_sentence(" ".join(apart[1:]))),)
    phrases = [found for pattern in (*words.fixed_phrases, _QUOTED) for found in pattern.finditer(statement)]
    found: list[Join] = []
    taken: list[tuple[int, int]] = []
    for pattern in words.joins:
        for each in pattern.finditer(statement):
            if any(begin < each.end() and each.start() < end for begin, end in taken):
                continue
            taken.append(each.span())
            around = [one[0] for one in phrases if one.start() <= each.start() and each.end() <= one.end()]
            first, second = _halves(statement, each, words)
            found.append(
                Join(
                    word=_word(each),
                    phrase=max(around, key=len, default=None),
                    first=first,
                    second=second,
                )
            )
    return tuple(sorted(found, key=lambda join: join.phrase is not None))


def _word(found: re.Match[str]) -> str:
    """Name what joins, with what it holds between its two parts left out: "sowohl … als auch"."""
    inner = next((text for text in found.groupdict().values() if text), None)
    return " ".join((found[0] if inner is None else found[0].replace(inner, " … ")).split()).strip(" ,")


def _halves(statement: str, found: re.Match[str], words: Words) -> tuple[str, str]:
    before, after = statement[: found.start()].rstrip(" ,"), statement[found.end() :].strip(" ,").rstrip(".")
    inner = found.groupdict()
    if denied := inner.get("not_first"):
        return _sentence(f"{before} {words.negation} {denied}"), _sentence(f"{before} {words.negation} {after}")
    if first := inner.get("first"):
        before = f"{before} {first}"
    return _split(before, after, words)


def _split(left: str, right: str, words: Words) -> tuple[str, str]:  # noqa: PLR0911  # a way out for each word order
    before, after = _WORD.findall(left), _WORD.findall(right)
    if not before or not after:
        return _sentence(left), _sentence(right)
    opener = _opener(left, words)
    shared = _shared(left, after[0], words)
    if shared is not None:  # "a check of bending and of shear"
        return _sentence(left), _sentence(f"{left[:shared]}{right}")
    if opener is not None:
        clause = right if after[0].casefold() in words.clause_openers else f"{opener[0]} {right}"
        return _sentence(left), _sentence(left[: opener.start()] + clause)
    verb, later = _verb(left, words), _verb(right, words)
    if verb is None and later is not None:  # "A and B owe the tax"
        return _sentence(f"{left} {right[later.start() :]}"), _sentence(right)
    if verb is None:
        return _sentence(left), _sentence(right)
    if later is not None and later.start() == right.index(after[0]):  # "The answer names A and shows B"
        return _sentence(left), _sentence(f"{left[: verb.start()]}{right}")
    if later is not None:  # a whole sentence
        return _sentence(left), _sentence(right)
    frame = left[: verb.end()]
    said = _WORD.search(left, verb.end())
    if said is not None and said[0] in words.prepositions and after[0] not in words.prepositions:
        frame = f"{frame} {said[0]}"
    if after[-1] in words.verb_particles and right.endswith(after[-1]):  # "Die Antwort stellt auf A und B ab"
        left = f"{left} {after[-1]}"
    return _sentence(left), _sentence(f"{frame} {right}")


def _opener(left: str, words: Words) -> re.Match[str] | None:
    """Find the last "that" before which the statement's frame stands, such as "The answer states that"."""
    found = [
        each
        for each in _WORD.finditer(left)
        if each[0].casefold() in words.clause_openers and not left.startswith(" of ", each.end())
    ]
    return found[-1] if found and _verb(left[: found[-1].start()], words) is not None else None


def _shared(left: str, begin: str, words: Words) -> int | None:
    """Find where the last part begins that opens with the same preposition as what follows."""
    if begin not in words.prepositions or begin in words.clause_openers:
        return None
    return max((each.start() for each in _WORD.finditer(left) if each[0] == begin), default=None)


def _verb(text: str, words: Words) -> re.Match[str] | None:
    return next((each for each in _WORD.finditer(text) if _is_verb(each[0], words)), None)


def _is_verb(word: str, words: Words) -> bool:
    """Know common verbs; in German, also a small word that ends as the third person does."""
    if word in words.verbs:
        return True
    german = bool(words.no_verbs)
    return german and word.islower() and len(word) > 3 and word.endswith("t") and word not in words.no_verbs


def _sentence(text: str) -> str:
    text = " ".join(text.split()).strip(" ,;")
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"
