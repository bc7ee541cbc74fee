"""Minutes of meetings: agenda items with discussion, votes and actions."""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Deck, Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.grammar import Writer
from daemon.workloads.text.matter.words import COMMON, TOWNS, clock, date_text, people

_BODIES: Final = (
    "Parish Council", "Works Committee", "Board of the Allotment Society", "Library Users' Group", "Harbour Commission",
    "School Governors", "Tenants' Association", "Museum Trustees", "Road Safety Panel", "Choir Committee",
    "Water Board", "Hospital Friends", "Cycling Forum", "Market Traders' Assembly", "Theatre Cooperative",
    "Flood Defence Working Party", "Residents' Assembly", "Faculty Senate", "Energy Cooperative", "Rowing Club",
    "Seed Bank Steering Group", "Ferry Users' Committee", "Housing Cooperative", "Heritage Panel",
)  # fmt: skip

_RULES: Final = {
    **COMMON,
    "matter": (
        "the roof over the east hall", "the lease of the boat shed", "winter opening hours", "the tree survey",
        "bicycle parking behind the station", "the annual accounts", "noise from the bottle bank", "the damp in the archive",
        "a new boiler", "the footbridge at the weir", "volunteer insurance", "the summer fair", "broadband in the annexe",
        "the drainage of the lower field", "fees for non-members", "the memorial bench", "street lighting in Mill Lane",
        "the kitchen refurbishment", "safeguarding training", "the oral history recordings", "the lift in the north wing",
        "parking permits", "the complaint about the bells", "a charging point for vans", "the website's successor",
        "the loan of the harpsichord", "school transport", "the pond and its fencing", "storage of chemicals",
        "the twinning visit", "the grant for solar panels", "the retaining wall", "fire doors on the second floor",
        "the catering contract", "the bus shelter", "dog waste on the towpath", "the emergency generator",
        "membership cards", "the playground inspection", "the translation of the leaflet", "the bequest of Miss {surname}",
        "asbestos in the pump house", "the tender for cleaning", "the river-level gauge", "the apprenticeship scheme",
        "an exhibition on the quarry strike", "the deer fence", "rota gaps at weekends", "the crossing near the chemist",
    ),
    "open": (
        "{who} introduced {matter} and reminded members that it had been deferred {n} weeks before.",
        "A paper by {who} on {matter} had been circulated; it put the cost at {money} and the time at {n} working days.",
        "{who} reported on {matter} after a site visit with {firm} on the {weekday} before the meeting.",
        "The chair invited {who} to speak to {matter}, since the letter from {town} had raised it again.",
        "On {matter}, {who} tabled three quotations, the lowest from {firm} at {money}.",
        "Arising from the last minutes, {who} gave an account of {matter} and of what had been tried since {month}.",
        "{who} asked that {matter} be taken early, as the offer by {firm} would lapse on {weekday}.",
        "The sub-committee on {matter} had met {n} times; {who} read out its findings.",
    ),
    "talk": (
        "{who} wondered whether {concern} had been considered, and was told that it had, though only {briefly}.",
        "{who} thought the figure of {money} too low, given what {town} had paid in {year}.",
        "It was pointed out by {who} that {concern} would fall in the busiest fortnight of the year.",
        "{who} had spoken with {person} of {firm}, who could start in {month} but not before.",
        "In reply to {who}, the treasurer said the reserve stood at {money} and should not fall below {money}.",
        "{who} declared an interest, having worked for {firm} until {year}, and took no part in the vote.",
        "{who} reminded everyone that {pct} of households had answered the survey, and that most had mentioned {concern}.",
        "There was some discussion of {concern}; {who} offered to put the arguments on one page.",
        "{who} objected that the same had been promised in {year} and nothing had come of it.",
        "Members agreed with {who} that {concern} was the real difficulty, not the money.",
        "{who} had measured it again: {n} metres instead of the {n} on the plan.",
        "A letter from {person} was read, asking for {concern} to be settled before {month}.",
        "{who} described how {town} had solved the matter with {n} volunteers and a borrowed van.",
        "{who} asked for the word \"temporary\" to be defined; after debate it was taken to mean {n} months.",
        "The secretary noted that {firm} had not replied to letters of {month} and {month}.",
        "{who} warned that a decision taken {briefly} would be hard to explain to the {n} people on the waiting list.",
        "It emerged that {concern} was covered by the policy with {firm}, excess {money}.",
        "{who} preferred to wait for {person}'s drawings, which were expected in week {n}.",
        "{who} and {who2} disagreed about {concern}, and it was left to the chair to find out.",
        "{who} observed that visitors from {town} had asked about this {n} times since {month}.",
    ),
    "concern": (
        "access for wheelchairs", "the nesting season", "insurance cover", "the neighbours' right of way", "delivery times",
        "the smell", "the conservation officer's view", "value added tax", "staff cover at weekends", "frost damage",
        "the age of the wiring", "the listed status of the façade", "data protection", "the shortage of keys",
        "lead times for slate", "a possible appeal", "the noise after ten at night", "matching funds", "drainage",
        "the state of the foundations", "public liability", "the deadline of the foundation in {town}", "child safety",
        "the rising price of copper", "who would hold the passwords", "the view from {town} Road", "maintenance afterwards",
        "the promise made to the school", "the turning circle of the fire engine", "the tide table",
    ),
    "briefly": ("in passing", "at the end of a long evening", "by e-mail", "without figures", "in a hurry", "orally",
                "on the back of an estimate", "among three people"),
    "result": (
        "**Resolved** by {n} votes to {few}: to accept the offer of {firm} at {money}, subject to a written guarantee.",
        "**Resolved** unanimously: to defer the item until {person} has reported, and not later than {month}.",
        "**Action:** {who} to obtain two further quotations and to write to {firm} by the {n2}th.",
        "**Action:** {who} to inspect with {who2} and to bring photographs to the next meeting.",
        "**Decision:** a budget of up to {money} is released; {who} signs for it together with the treasurer.",
        "**Not carried** ({few} for, {n} against): the proposal of {who} to spend {money} from the reserve.",
        "**Noted.** The item returns in {month}; {who} keeps the file.",
        "**Action:** {who} to answer {person} politely and to enclose the plan of {year}.",
        "**Resolved** with {few} abstentions: a trial of {n2} weeks, to be judged by complaints received and by cost.",
        "**Referred** to the working party under {who}, with the request to hear {firm} and the school.",
    ),
    "few": ("one", "two", "three", "four", "five"),
    "n2": tuple(str(number) for number in range(4, 21)),
}  # fmt: skip


def make(draws: Draws, characters: int) -> Matter:
    """Write the minutes of one long meeting."""
    town, body = draws.pick(TOWNS), draws.pick(_BODIES)
    present = people(draws, draws.between(6, 9))
    year = draws.between(1998, 2026)
    writer = Writer(draws, {**_RULES, "who": tuple(present), "who2": tuple(present)}, year=year)
    minute = draws.between(16 * 60, 19 * 60)
    title = f"Minutes of the {body}, {town}, {date_text(draws, year)}"
    blocks = [
        f"Present: {', '.join(present[:-1])} and {present[-1]}. Apologies: {writer.deal('person')}, "
        f"{writer.deal('person')}. In the chair: {present[0]}. The meeting opened at {clock(minute)} in {draws.pick(_ROOMS)}.",
    ]
    headings: Deck[str] = Deck(draws, _RULES["matter"])
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


_ROOMS: Final = ("the reading room", "the old fire station", "room 2.14", "the vestry", "the canteen", "the net loft",
                 "the council chamber", "the back room of the Swan", "the school hall", "the archive")  # fmt: skip
