"""Letters and e-mails: a correspondence over one affair between people who do not quite agree."""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.grammar import Writer
from daemon.workloads.text.matter.words import TOWNS, day_text, grammar, people

_GRAMMAR: Final = grammar("letters")


def make(draws: Draws, characters: int) -> Matter:
    """Write a correspondence among three people."""
    affair = draws.pick(_GRAMMAR["affair"])
    writers = people(draws, 3)
    mail = draws.chance(0.5)
    year = draws.between(1998, 2026)
    writer = Writer(draws, _GRAMMAR, year=year)
    blocks: list[str] = []
    written = 0
    day = draws.between(3, 60)
    while written < characters:
        sender, receiver = draws.sample(writers, 2)
        if mail:
            subject = f"Re: {affair} ({draws.between(2, 990)})"
            head = f"From: {sender}\nTo: {receiver}\nDate: {day_text(day, year)}\nSubject: {subject}"
        else:
            head = f"{draws.pick(TOWNS)}, {day_text(day, year)}"
        letter = [
            head,
            f"Dear {receiver.split()[0]}, {writer.deal('greet')} {writer.sentences('news', draws.between(2, 4))}",
        ]
        letter += [writer.sentences("news", draws.between(2, 5)) for _ in range(draws.between(0, 2))]
        letter.append(f"{writer.deal('wish')} {writer.deal('news')}")
        letter.append(f"{writer.deal('close')}, {sender}")
        blocks += letter
        written += sum(map(len, letter))
        day += draws.between(1, 8)
        if day > 365:
            day, year = day - 365, year + 1
    return Matter("letters", f"Correspondence about {affair}", tuple(blocks))
