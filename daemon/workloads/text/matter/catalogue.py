"""Catalogue entries: lots of an auction, plants, instruments, walks, each a paragraph with its data."""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.grammar import Writer
from daemon.workloads.text.matter.words import COMMON, TOWNS, date_text

_AUCTION: Final = {
    **COMMON,
    "entry": (
        "{Object}, {region}, about {year2}. {Material}, {state}. {Mark} {Story} Height {n} cm, width {n} cm. Estimate {money}.",
        "{Object}. {Mark} {Material}; {state}. {region2}, {year2}. {Story} {Story} Reserve {money}, provenance: {person}, {town}.",
        "{region2} {object}, {year2}, {material}. {Story} {State}. {Mark} {n} × {n} cm. From the estate of {person}; {money}.",
    ),
    "object": ("longcase clock", "writing slope", "set of six chairs", "brass telescope", "tea caddy", "sampler", "barometer",
               "salt cellar", "miniature portrait", "toy locomotive", "fiddle", "globe", "sea chest", "butter mould",
               "chess set", "stoneware jug", "map of the coast", "silver ladle", "rocking horse", "prayer rug", "album of ferns",
               "theodolite", "carved cradle", "music box", "walking stick with a compass", "pewter tankard"),
    "region": ("Upper Rhine", "Frisian", "Bohemian", "Scottish", "Venetian", "Baltic", "Tyrolean", "Provençal", "Danish",
               "Galician", "Silesian", "Welsh"),
    "region2": ("Northern German", "Southern Swedish", "Catalan", "Flemish", "Irish", "Moravian", "Lombard", "Swiss", "Norman"),
    "year2": tuple(str(year) for year in range(1690, 1938, 3)),
    "material": ("walnut and maple veneer", "cast brass on a mahogany stand", "painted pine", "salt-glazed clay",
                 "silver, 800 fineness", "silk on linen", "blackened pear wood", "rosewood with ivory-coloured inlay",
                 "oil on copper", "sheet iron with remains of gilding", "blown glass", "leather over beech"),
    "state": ("one foot replaced", "in working order", "the lock missing its key", "old worm holes, treated", "lightly faded",
              "restored in {year}", "a hairline crack below the rim", "original finish, some losses", "strings renewed",
              "two screws of later date", "the glass not original", "unrestored, as found in {town}"),
    "mark": ("signed \"{surname}, {town}\" on the back.", "stamped {n} beneath the base.", "unmarked.",
             "with the paper label of {firm}.", "monogram {given}, hardly legible.", "inventory number {n}/{n} in red paint.",
             "dated by a coin of {year2} found in the case."),
    "story": ("it stood in the harbour office of {town} until {year}.", "by family tradition a gift to {person} on leaving {town}.",
              "a companion piece was sold for {money} in {year}.", "shown at the exhibition of {town}, {year}, number {n}.",
              "{person} bought it for {money} from a barge.", "rescued from a fire at {firm} in {year}.",
              "exchanged for a cow, according to a note by {person}.", "long thought lost, it came to light in {town} during repairs.",
              "published by {person} in the yearbook of {year}, page {n}."),
}  # fmt: skip

_WALKS: Final = {
    **COMMON,
    "entry": (
        "{From} {town} to {town}, {n} km, ascent {n}0 m, about {hours}. {Way} {Way} {Advice} {Food}",
        "Round walk from {town}, {hours}, {n} km. {Way} {Sight} {Way} {Advice}",
        "{From} the station at {town}; {hours}; {n} km with {n}0 m of descent. {Sight} {Way} {Food} {Advice}",
    ),
    "from": ("from", "leaving", "starting at", "beginning below", "out of"),
    "hours": ("two hours", "three and a half hours", "a long day", "four hours", "half a day", "six hours with rests"),
    "way": ("the path climbs through {wood} and forks after {n} minutes; keep left at the {thing}.",
            "follow the {colour} marks along the stream as far as the {thing}, then cross by stepping stones.",
            "a farm track of {year} leads past the {thing} to a gate; close it behind you.",
            "above the {thing} the view opens towards {town}, and on clear days as far as {town}.",
            "the lane turns to gravel, passes under the railway and reaches the {thing} in {n} minutes.",
            "where the {colour} marks vanish, aim for the {thing} on the skyline and bear east through {wood}."),
    "wood": ("beech wood", "young larches", "an old orchard", "alder swamp", "heather", "hazel coppice", "pines", "vineyards"),
    "thing": ("ruined lime kiln", "chapel of {given}", "boundary stone", "pumping house", "reservoir", "sheepfold", "iron bridge",
              "quarry", "forester's hut", "water tower", "wayside cross of {year}", "ford", "lightning-struck oak", "kiosk"),
    "colour": ("red", "yellow", "blue", "white-and-green", "orange", "black"),
    "sight": ("the {thing} was built by {person} after the flood of {year}.", "in {month} the slopes are covered with {flower}.",
              "a board explains how {town} lost its harbour in {year}.", "look for {flower} beside the {thing}.",
              "{n} steps lead down to the {thing}, which the people of {town} still visit in {month}."),
    "flower": ("wood anemones", "lady's slipper", "wild garlic", "autumn crocus", "marsh marigold", "bilberries", "foxgloves"),
    "advice": ("Wet after rain; boots needed.", "Not suitable for prams.", "The last bus leaves on {weekday} at {n2} past six.",
               "Dogs on a lead from {month} to {month}.", "Carry water: the spring dries up in {month}.",
               "Closed for hunting on {weekday}s in {month}.", "Waymarks renewed in {year} by {person}."),
    "n2": ("five", "ten", "twelve", "eighteen", "twenty", "twenty-five"),
    "food": ("Soup at the {surname} farm, closed on {weekday}.", "Bread and cheese at the {thing}, honesty box.",
             "The inn at {town} bakes in the mornings; ask for {given}.", "Nothing to eat before {town}."),
}  # fmt: skip

_PLANTS: Final = {
    **COMMON,
    "entry": (
        "{Plant} '{given} {surname}'. {Habit}, {n} cm. {Flower} {Care} Raised by {person} at {town} in {year}. Pot of {n} mm: {price}.",
        "{Plant} '{town}'. {Flower} {Habit} to {n} cm. {Care} {Care} {price} each, {n} in stock.",
        "{Plant} '{firmhead}'. Introduced {year}, {town}. {Habit}; {flower} {Care} From {price}.",
    ),
    "plant": ("iris", "peony", "clematis", "hellebore", "phlox", "daylily", "cranesbill", "salvia", "aster", "dahlia", "primula",
              "rose", "auricula", "snowdrop", "hydrangea", "sweet pea", "quince", "gooseberry", "pear", "plum"),
    "habit": ("upright and bushy", "creeping", "a loose fan of stems", "clump-forming", "a vigorous climber", "slow and compact",
              "spreading, with arching shoots", "best trained against a wall"),
    "flower": ("cream with a brown throat, in {month}.", "deep violet, fading to slate after {n} days.",
               "single, apricot, scented of cloves.", "dark red, edged with white; fruit from {month}.",
               "pale blue in sun, almost grey in shade.", "copper, with {n} petals, after frost.", "greenish, opening in {month}."),
    "care": ("Plant {n} cm deep.", "Wants lime.", "Divide every {few} years.", "Shelter from east wind.",
             "Resents moving after {month}.", "Cut back in {month} to a hand's breadth.", "Feed once, in {month}.",
             "Slugs avoid it in {town}, but not elsewhere.", "Hardy at {town} down to minus {n2} degrees."),
    "few": ("two", "three", "four", "five"), "n2": ("8", "12", "15", "18", "22", "26"),
    "price": tuple(f"{cents / 100:.2f} euros" for cents in range(290, 4200, 35)),
}  # fmt: skip

_SORTS: Final = (
    ("Sale catalogue of the auction house at", "Lot", _AUCTION),
    ("Forty walks around", "Walk", _WALKS),
    ("Plant list of the nursery at", "No.", _PLANTS),
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
