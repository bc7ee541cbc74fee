"""Timetables of trains, buses and ferries: stops down the page, departures across it, with footnotes."""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.words import TOWNS, clock

_LINES: Final = (
    "Railway line",
    "Country bus",
    "Ferry",
    "Night tram",
    "Mountain railway",
    "Express coach",
    "River bus",
)
_NOTES: Final = ("a Mondays to Fridays only", "b on school days", "c request stop", "d not in {month}",
                 "e change here for {town}",
                 "f bicycles carried", "g on market day via {town}", "h from {month} until the end of {until}",
                  "k first class only",
                 "l waits for the connection from {town}", "m sets down only",
                  "n replaced by a bus until {month}")  # fmt: skip
_MONTHS: Final = ("January", "March", "May", "July", "September", "November", "December")


def make(draws: Draws, characters: int) -> Matter:
    """Write several lines' timetables, both directions apart."""
    kind = draws.pick(_LINES)
    blocks: list[str] = []
    written = 0
    while written < characters:
        stops = draws.sample(TOWNS, draws.between(7, 13))
        departures = sorted(draws.between(4 * 60, 23 * 60) for _ in range(draws.between(6, 9)))
        signs = draws.sample("abcdefghklmn", 3)
        head = f"{kind} {draws.between(1, 990)}: {stops[0]} to {stops[-1]}"
        block = [head, "| stop | km | " + " | ".join(f"{draws.between(100, 9999)}" for _ in departures) + " |"]
        block.append("|---|---|" + "---|" * len(departures))
        kilometre, minutes = 0.0, [float(start) for start in departures]
        for stop in stops:
            cells = []
            for column, minute in enumerate(minutes):
                missed = kilometre > 0 and draws.chance(0.08)
                sign = draws.pick(signs) if draws.chance(0.05) else ""
                cells.append("..." if missed else f"{clock(int(minute))}{sign}")
                minutes[column] = minute + draws.real(4, 16)
            block.append(f"| {stop} | {kilometre:.1f} | " + " | ".join(cells) + " |")
            kilometre += draws.real(1.8, 14.5)
        notes = [note for note in _NOTES if note[0] in signs]
        filled = [
            note.format(month=draws.pick(_MONTHS), until=draws.pick(_MONTHS), town=draws.pick(TOWNS))
            for note in notes
        ]
        block.append(
            f"{'; '.join(filled)}. Fares: zone {draws.between(1, 9)}, {draws.between(190, 3900) / 100:.2f} euros."
        )
        blocks += block
        written += sum(map(len, block))
    return Matter("timetable", f"Timetable extract, {kind.lower()} services", tuple(blocks), joint="\n")
