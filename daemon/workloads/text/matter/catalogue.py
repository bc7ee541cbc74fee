"""Catalogue entries: lots of an auction, plants, instruments, walks, each a paragraph with its data."""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.grammar import Writer
from daemon.workloads.text.matter.words import TOWNS, date_text, grammar

_SORTS: Final = (
    ("Sale catalogue of the auction house at", "Lot", grammar("auction")),
    ("Forty walks around", "Walk", grammar("walks")),
    ("Plant list of the nursery at", "No.", grammar("plants")),
)


def make(draws: Draws, characters: int) -> Matter:
    """Write the entries of one catalogue, numbered from a drawn start."""
    name, label, rules = draws.pick(_SORTS)
    year = draws.between(1998, 2026)
    writer = Writer(draws, rules, year=year)
    number = draws.between(1, 400)
    blocks = [f"{name} {draws.pick(TOWNS)}, {date_text(draws, year)}. Entries from {label} {number} on."]
    written = len(blocks[0])
    while written < characters:
        blocks.append(f"{label} {number}. {writer.deal('entry')}")
        written += len(blocks[-1])
        number += draws.between(1, 3)
    return Matter("catalogue", blocks[0].split(",")[0], tuple(blocks))
