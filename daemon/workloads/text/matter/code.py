"""Source code: plausible programs in several languages, one function or declaration a block.

The programs are for reading and transforming; they are consistent in style but were never compiled.
"""

from __future__ import annotations

from typing import Final

import msgspec

from daemon.workloads.seeding import Deck, Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.data import load_words, read
from daemon.workloads.text.matter.grammar import Writer


class _Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one language's programs begin, and the blocks they are made of."""

    name: str
    suffix: str
    camel: bool
    opening: str
    blocks: tuple[str, ...]


class _Programs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    reasons: tuple[str, ...]
    language: tuple[_Language, ...]


_PROGRAMS: Final = msgspec.toml.decode(read("programs"), type=_Programs)
_WORDS: Final = load_words("identifiers")


def _camel(snake: str) -> str:
    head, *rest = snake.split("_")
    return head + "".join(part.capitalize() for part in rest)


def _bind(writer: Writer, draws: Draws, nouns: Deck[str], verbs: Deck[str], *, camel: bool) -> None:
    """Give one block its identifiers."""
    noun, verb, which = nouns.deal(), verbs.deal(), draws.pick(_WORDS["adverbs"])
    names = draws.sample(_WORDS["fields"], 5)
    spell = _camel if camel else str
    writer.bound = {
        "noun": noun,
        "type": noun.capitalize() + draws.pick(("", "", "Row", "Record", "Entry")),
        "fn": spell(f"{verb}_{which}_{noun}s"),
        "Fn": spell(f"{verb}_{which}_{noun}s").capitalize(),
        "why": draws.pick(_PROGRAMS.reasons),
        "verb": verb,
        "which": which,
        "limit": str(draws.between(3, 4800)),
        "small": str(draws.between(2, 48)),
        "factor": f"{draws.between(11, 990) / 100:.2f}",
        "prime": str(draws.pick((17, 31, 97, 131, 257, 509, 1021, 4093))),
        "words": ", ".join(f'"{word}"' for word in draws.sample(_WORDS["adverbs"], draws.between(3, 6))),
        "union": " | ".join(f'"{word}"' for word in draws.sample(_WORDS["adverbs"], draws.between(3, 6))),
        "numbers": ", ".join(str(draws.between(1, 9999)) for _ in range(draws.between(5, 14))),
    }
    for place, name in enumerate(names):
        writer.bound["abcde"[place]] = spell(name)


def make(draws: Draws, characters: int) -> Matter:
    """Write one program in one language."""
    language = draws.pick(_PROGRAMS.language)
    writer = Writer(draws, {"block": language.blocks})
    nouns, verbs = Deck(draws, _WORDS["nouns"]), Deck(draws, _WORDS["verbs"])
    name = f"{draws.pick(_WORDS['verbs'])}_{draws.pick(_WORDS['nouns'])}s{language.suffix}"
    blocks = [language.opening.replace("NAME", name)]
    written = len(blocks[0])
    while written < characters:
        _bind(writer, draws, nouns, verbs, camel=language.camel)
        blocks.append(writer.deal("block"))
        written += len(blocks[-1])
    return Matter("code", f"{name} ({language.name})", tuple(blocks))
