"""Minutes of meetings: agenda items with discussion, votes and actions."""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Deck, Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.grammar import Writer
from daemon.workloads.text.matter.words import TOWNS, clock, date_text, grammar, people

_GRAMMAR: Final = grammar("minutes")


def make(draws: Draws, characters: int) -> Matter:
    """Write the minutes of one long meeting."""
    town, body = draws.pick(TOWNS), draws.pick(_GRAMMAR["body"])
    present = people(draws, draws.between(6, 9))
    year = draws.between(1998, 2026)
    writer = Writer(draws, {**_GRAMMAR, "who": tuple(present), "who2": tuple(present)}, year=year)
    minute = draws.between(16 * 60, 19 * 60)
    title = f"Minutes of the {body}, {town}, {date_text(draws, year)}"
    there = f"Present: {', '.join(present[:-1])} and {present[-1]}. In the chair: {present[0]}."
    away = f"Apologies: {writer.deal('person')}, {writer.deal('person')}."
    blocks = [f"{there} {away} The meeting opened at {clock(minute)} in {draws.pick(_GRAMMAR['room'])}."]
    headings: Deck[str] = Deck(draws, _GRAMMAR["matter"])
    written, item = len(blocks[0]), 1
    while written < characters:
        matter = writer.fill(headings.deal())
        writer.bound["matter"] = matter
        minute += draws.between(4, 17)
        section = [
            f"**{item}. {matter[:1].upper()}{matter[1:]}** ({clock(minute)})",
            f"{writer.deal('open')} {writer.sentences('talk', draws.between(2, 4))}",
            writer.sentences("talk", draws.between(2, 5)),
            writer.deal("result"),
        ]
        if draws.chance(0.4):
            section.insert(3, writer.sentences("talk", draws.between(1, 3)))
        blocks += section
        written += sum(map(len, section))
        item += 1
    return Matter("minutes", title, tuple(blocks))
