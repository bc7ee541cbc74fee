"""Interviews and diaries: one speaker's questions and another's answers, or one person's dated entries."""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.grammar import Writer
from daemon.workloads.text.matter.words import MONTHS, TOWNS, WEEKDAYS, grammar, person

_GRAMMAR: Final = grammar("conversation")


def interview(draws: Draws, characters: int) -> Matter:
    """Write a long conversation with a craftsperson."""
    guest, town, trade = person(draws), draws.pick(TOWNS), draws.pick(_GRAMMAR["trade"])
    writer = Writer(draws, _GRAMMAR, {"trade": trade})
    blocks = [f"{guest}, {trade} in {town}, talks to {person(draws)} about {draws.between(21, 55)} years of work."]
    written = len(blocks[0])
    surname = guest.split()[1]
    while written < characters:
        pair = [f"**{writer.deal('question')}**", f"{surname}: {writer.sentences('answer', draws.between(2, 5))}"]
        if draws.chance(0.3):
            pair.append(writer.sentences("answer", draws.between(2, 4)))
        blocks += pair
        written += sum(map(len, pair))
    return Matter("interview", f"Conversation with {guest}, {trade}", tuple(blocks))


def diary(draws: Draws, characters: int) -> Matter:
    """Write dated entries of one person's diary, some days skipped."""
    keeper, town = person(draws), draws.pick(TOWNS)
    year, month, day, weekday = draws.between(1931, 2018), draws.below(12), draws.between(1, 6), draws.below(7)
    writer = Writer(draws, _GRAMMAR, year=year)
    blocks: list[str] = []
    written = 0
    while written < characters:
        head = f"{WEEKDAYS[weekday]}, {day} {MONTHS[month]} {year}."
        blocks.append(f"{head} {writer.sentences('note', draws.between(2, 6))}")
        written += len(blocks[-1])
        gap = draws.between(1, 4)
        day, weekday = day + gap, (weekday + gap) % 7
        if day > 28:  # every month ends here, so that no date is impossible
            day, month = day - 28, month + 1
            if month == 12:
                year, month = year + 1, 0
            weekday = draws.below(7)
    return Matter("diary", f"Diary of {keeper}, {town}, {year}", tuple(blocks))
