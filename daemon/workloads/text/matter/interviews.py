"""Interviews and diaries: one speaker's questions and another's answers, or one person's dated entries."""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.grammar import Writer
from daemon.workloads.text.matter.words import COMMON, MONTHS, TOWNS, WEEKDAYS, person

_TRADES: Final = (
    "lock keeper", "piano tuner", "beekeeper", "night nurse", "signal engineer", "bookbinder", "crane driver", "midwife",
    "cheesemaker", "lighthouse technician", "court stenographer", "glassblower", "bus inspector", "map engraver",
    "avalanche observer", "stage carpenter", "seed collector", "ferry captain", "baker", "organ builder", "translator",
    "stonemason", "weather forecaster", "tram mechanic", "archive photographer", "orchard warden", "puppet maker",
)  # fmt: skip

_RULES: Final = {
    **COMMON,
    "question": (
        "What did you learn first in this trade?", "You left {town} in {year}. Was that planned?", "And {hardship}?",
        "How did {person} react to that?", "People say “{saying}”. Do you agree?", "Is {thing} still done by hand?",
        "What would you change, if {firm} asked you?", "Do you remember {event}?", "Who taught you about {thing}?",
        "How much of it is patience, and how much is {thing}?", "Were you paid properly for it?",
        "What does a day in {month} look like?", "Has {thing} become easier since {year}?", "Did you ever think of giving up?",
        "You wrote in {year}: “{Saying}.” Would you write it again?", "And the apprentices?", "What went wrong at {town}?",
        "Which tool would you save from a fire?", "How do you explain {hardship} to somebody who has never seen it?",
    ),
    "answer": (
        "{Person} used to say “{saying}”, and I laughed at it until {event}.",
        "We had {n} of them and space for {few}, so the rest stood in the yard at {town} all through {month}.",
        "Nobody tells you about {hardship}; you find out on a {weekday}, alone, with the {n2} o'clock train already gone.",
        "For {thing} you need good light and {n2} quiet minutes, and you never get both.",
        "I kept a notebook from {year} on: every day of {thing}, every mistake, {n} pages a year.",
        "In {year} {firm} offered me {money} to come over, and I asked for {n2} days to think and forgot to answer.",
        "My father worked as {trade2} in {town}, so I knew {hardship} before I knew the alphabet.",
        "The worst was {event}, because the papers wrote “{saying}”, which was {judgement}.",
        "You can measure it, of course: {pct} one year and {pct} the next, but the ear knows first.",
        "{Person} from {town} could do it in {n2} minutes; I've never been below {n}.",
        "Then came the machines from {firm}, {n} of them, and for {few} years {thing} was out of fashion.",
        "I once lost {money} over {thing}, and it was the cheapest lesson I ever had.",
        "If it smells of {smell}, you stop; that rule has saved {few} people I could name.",
        "It is {judgement} to repeat “{saying}”; ask anybody who was in {town} during {event}.",
        "We married in {month} {year}, between two shifts, with {person} holding the lamp.",
        "A good {trade2} leaves no trace, and a bad one leaves {n2} of them, usually near the {place}.",
        "The young ones ask me about {thing} and look at the telephone while I answer, yet {few} of them will be better than I was.",
        "At {n2} in the morning the {place} sounds different, and then you know that {hardship} is on its way.",
        "After {event} we changed {few} things: the {place}, the order of {thing}, and who holds the key.",
        "I have nothing against {firm}, but “{saying}” was printed on their calendars, not ours.",
    ),
    "note": (
        "Up at {n2}; {smell} all through the house, and {hardship} again.",
        "{Person} came from {town} with {n} kilos of apples and the news of {event}.",
        "Wrote to {firm} about {thing} once more, {n2} lines this time.",
        "Worked on the {place} until dark, {n2} hours, and got {pct} of it done.",
        "Read an essay titled “{Saying}”; found it {judgement}.",
        "Thermometer at minus {n2}, then rain, then a {weekday} like in {month}.",
        "Paid {money} for {thing}, which {person} would have had for half.",
        "The {trade2} next door thinks {hardship} will be over by {month}. I bet him {n} cents.",
        "Dreamt of {town} and of the {place} there, which was pulled down in {year}.",
        "Forgot the keys at the {place}; walked back {n2} kilometres and met {person}, who had them.",
        "Sorted letters from {year}: {n} kept, {n} burnt, one put aside because of {event}.",
        "Learnt from {given} how {thing} is done in {town}: the other way round, and {judgement}.",
        "Counted {n} swifts over the {place}, against {n} last year on the same day.",
        "The doctor in {town} says “{saying}”. He charged {money} for it.",
    ),
    "trade": _TRADES,
    "trade2": _TRADES,
    "hardship": ("the cold in the hands", "the waiting", "being blamed for the weather", "the dust", "the dark months",
                 "working beside someone who does not speak", "the noise at low water", "paperwork from {town}",
                 "a supplier who stops answering", "the stairs, all {n} of them", "the silence after a mistake",
                 "losing your apprentice to {firm}", "damp that comes from nowhere", "the last hour before dawn"),
    "saying": ("a sharp tool forgives a dull mind", "what is quick is never finished", "the river remembers its bed",
               "you pay for cheap wood twice", "every system is older than it looks", "nobody misses what they never repaired",
               "one clock is always right and two are an argument", "trust the second measurement", "old rope talks before it breaks",
               "a list is half the work", "strangers see the cracks first", "maps lie politely", "habit is the best alarm"),
    "thing": ("tuning", "splicing", "reading the sky", "the glaze", "counting by ear", "the second coat", "the handover",
              "sharpening", "the winter check", "grafting", "proofing the dough", "greasing the points", "cataloguing",
              "the sealing wax", "setting the type", "cleaning the lens", "the tally sheet", "the emergency drill"),
    "event": ("the flood of {year}", "the strike at {firm}", "the night the bridge at {town} froze", "the fire in the {place}",
              "the visit of {person}", "the summer without rain", "the great inventory of {year}", "the collapse of the {place}",
              "the blackout of {month} {year}", "the quarrel with {town}", "the {n} days of fog"),
    "place": ("boat shed", "north tower", "switch room", "cellar", "drying loft", "signal box", "weighbridge", "cold store",
              "sacristy", "engine house", "reading room", "slipway", "kiln", "lower sluice", "machine hall", "bell chamber"),
    "smell": ("burnt sugar", "wet iron", "ozone", "turpentine", "sour milk", "tar", "almonds", "hot dust", "vinegar"),
    "judgement": ("nonsense", "half true", "a comfortable lie", "truer than I liked", "unkind but correct", "what I feared"),
    "few": ("two", "three", "four", "five", "six", "seven"),
    "n2": tuple(str(number) for number in range(2, 13)),
}  # fmt: skip


def interview(draws: Draws, characters: int) -> Matter:
    """Write a long conversation with a craftsperson."""
    guest, town, trade = person(draws), draws.pick(TOWNS), draws.pick(_TRADES)
    writer = Writer(draws, _RULES, {"trade": trade})
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
    writer = Writer(draws, _RULES, year=year)
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
