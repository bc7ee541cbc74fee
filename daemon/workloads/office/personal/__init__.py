"""Texts with personal data and decoys: persons first, then the text, as Czech and English twins of one outline."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import get_args

import msgspec

from daemon.workloads.office.personal.cast import draw_cast, draw_outline
from daemon.workloads.office.personal.mentions import Mentions
from daemon.workloads.office.texts import Said, WrittenText
from daemon.workloads.seeding import Draws
from schemas.office import Language, PersonalKind, PersonalTruth

__all__ = ["Block", "blocks_of", "write_personal_texts"]

_NUMBERED = "# "
_TIGHT = {"personnel-file": ("person", "contact")}
"""Blocks that follow the one before them without a blank line."""


class Block(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a text. chance: how often it occurs. variants: wordings, one of which is drawn."""

    name: str
    variants: tuple[Said, ...]
    chance: float = 1.0


@cache
def blocks_of() -> dict[PersonalKind, tuple[Block, ...]]:
    """Return the blocks of each kind, from top to bottom."""
    data = (files(__name__) / "blocks.toml").read_bytes()
    return msgspec.toml.decode(data, type=dict[PersonalKind, tuple[Block, ...]])


def write_personal_texts(draws: Draws, kind: PersonalKind) -> dict[Language, WrittenText[PersonalTruth]]:
    """Write a pair of texts of a kind from one stream; the stream itself is not advanced."""
    outline = draw_outline(draws.branch("outline"), kind)
    wording = draws.branch("wording")
    chosen = [
        (block, place)
        for block in blocks_of()[kind]
        for place in (wording.below(len(block.variants)),)
        if wording.chance(block.chance)
    ]
    written: dict[Language, WrittenText[PersonalTruth]] = {}
    for language in get_args(Language):
        mentions = Mentions(draw_cast(draws.branch("cast", language), language, outline))
        text, number = "", 0
        for block, place in chosen:
            said = block.variants[place]
            filled = mentions.filled(said.cs if language == "cs" else said.en)
            if filled.startswith(_NUMBERED):
                number += 1
                filled = f"{number}. {filled.removeprefix(_NUMBERED)}"
            gap = "\n" if block.name in _TIGHT.get(kind, ())[1:] else "\n\n"
            text += (gap if text else "") + filled
        names = tuple(f"{block.name}-{place}" for block, place in chosen)
        written[language] = WrittenText(mentions.truth(), text, names)
    return written
