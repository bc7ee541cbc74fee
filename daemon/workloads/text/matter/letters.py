"""Letters and e-mails: a correspondence over one affair between people who do not quite agree."""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.grammar import Writer
from daemon.workloads.text.matter.words import COMMON, TOWNS, day_text, people

_AFFAIRS: Final = (
    "the delayed delivery of the loom", "the garden wall between 14 and 16", "the translation of the cookery book",
    "the inheritance of the vineyard", "the cancelled summer school", "the organ restoration", "the mistaken invoice",
    "the lost parcel of seed potatoes", "the loan of the fresco fragments", "the flat above the bakery",
    "the supplier of the new ovens", "the reunion of the class of 1986", "the survey of the mill stream",
    "the rescue dog called Pepper", "the missing chapter of the thesis", "the contract for the weather station",
    "the move of the archive", "the broken promise about the piano", "the wedding in the barn", "the boundary stone",
    "the second-hand lathe", "the choir's journey north", "the insurance claim after the hail", "the beehives on the roof",
)  # fmt: skip

_RULES: Final = {
    **COMMON,
    "greet": (
        "thank you for yours of {weekday}, which reached me in {town} by way of {person}.",
        "I had meant to answer before {month}, but {trouble} got in the way.",
        "your message crossed mine, so let me begin again.",
        "I write at once, because the matter cannot wait until you are back from {town}.",
        "I have read your letter {n} times and am still not certain what you propose.",
        "forgive the typing; I am on the train to {town} and the table shakes.",
        "since we spoke on {weekday} three things have happened, and only one of them is good.",
        "I promised you figures, and here they are, such as they are.",
        "it was kind of you to send {person}, who was a great help in spite of {trouble}.",
    ),
    "trouble": (
        "the flood in the cellar", "a strike at the depot", "my sister's operation", "the audit", "a week of fog",
        "the new accounting program", "{firm}'s change of owner", "the measles at school", "a broken axle near {town}",
        "the absence of the notary", "the festival", "a wasps' nest in the letter box", "the power cut of {month}",
        "an allergy to the varnish", "the burst main in Station Street", "the search for the second key",
        "my own forgetfulness", "the translation, which says the opposite", "the customs office in {town}",
    ),
    "news": (
        "{firm} now asks for {money} in advance, and {money} when everything stands, which is {pct} more than in {year}.",
        "According to {person}, the papers of {year} are in {town}, in a box marked with the wrong name.",
        "I measured it on {weekday}: {n} centimetres by {n}, not a finger more, whatever the drawing says.",
        "{person} tells me that {trouble} has cost them {n} days and that they will not pay for it.",
        "We have found someone in {town} who will do it for {money}, though only from {month}.",
        "The enclosed receipt is for {money}; the other, for {money}, went missing during {trouble}.",
        "If {person} agrees, I should like to leave {town} on the {weekday} and be with you by {month}.",
        "You ask why I never mentioned {trouble}: I did, in {month}, on the second page.",
        "Your cousin {given} remembers it otherwise and says that {firm} had offered twice as much in {year}.",
        "The expert, one {person}, spent {n} minutes on it and charged {money}.",
        "It would help if {firm} put in writing what {person} said on the telephone about {trouble}.",
        "Nobody in {town} has heard of the rule that you quote, and {person} has sat on the council since {year}.",
        "We are {n} people now, of whom {few} cannot manage the stairs, so {town} would be better than {town2}.",
        "I have paid the first {money} to {firm} under protest and marked the transfer accordingly.",
        "The children have begun to call it the affair of the {n} excuses, and I cannot say that they are wrong.",
        "{firm} would take the old one back for {money}, provided that {person} certifies its age.",
        "What worries me is less the {money} than {trouble}, which could happen again any {weekday}.",
        "In the archive of {town} there is a plan of {year} on which the line runs {n} paces further east.",
        "{person} has offered to mediate, and as far as I know has never taken sides since {year}.",
        "My notes of {month} say \"{given} to ask {firm}\", and beside it, in your hand, \"no hurry\".",
        "Of the {n} pieces, {few} arrived damaged; I photographed all of them before signing.",
    ),
    "few": ("two", "three", "four", "five", "six"),
    "town2": TOWNS,
    "wish": (
        "Would you please send me {wanted} by {weekday}?",
        "I should be glad of {wanted}, even unsigned.",
        "May I ask you for {wanted}, and for a word on whether {person} knows?",
        "Let us settle it when you come in {month}; until then, please keep {wanted} safe.",
        "Unless I hear otherwise by the {n2}th, I shall ask {firm} to go ahead.",
        "Tell me frankly whether {money} is too much; I would rather know now than in {month}.",
        "All I need is {wanted} and your agreement in one sentence.",
        "Do not answer {firm} before we have talked; {trouble} has taught me that much.",
    ),
    "wanted": (
        "the original invoice", "a copy of the lease", "{person}'s address", "the photographs of {month}", "the spare key",
        "a list of the {n} items", "the measurements of the north room", "the name of the notary in {town}",
        "the second draft", "your bank details", "the letter from {firm}", "the map of {year}", "a firm date",
    ),
    "n2": tuple(str(number) for number in range(4, 21)),
    "close": ("With kind regards", "Yours sincerely", "Ever yours", "In haste", "With warm wishes from {town}",
              "Yours, a little wiser", "Faithfully", "Until {month}", "With thanks and apologies", "Best wishes"),
}  # fmt: skip


def make(draws: Draws, characters: int) -> Matter:
    """Write a correspondence among three people."""
    affair = draws.pick(_AFFAIRS)
    writers = people(draws, 3)
    mail = draws.chance(0.5)
    year = draws.between(1998, 2026)
    writer = Writer(draws, _RULES, year=year)
    blocks: list[str] = []
    written = 0
    day = draws.between(3, 60)
    while written < characters:
        sender, receiver = draws.sample(writers, 2)
        if mail:
            head = f"From: {sender}\nTo: {receiver}\nDate: {day_text(day, year)}\nSubject: Re: {affair} ({draws.between(2, 990)})"
        else:
            head = f"{draws.pick(TOWNS)}, {day_text(day, year)}"
        letter = [head, f"Dear {receiver.split()[0]}, {writer.deal('greet')} {writer.sentences('news', draws.between(2, 4))}"]
        letter += [writer.sentences("news", draws.between(2, 5)) for _ in range(draws.between(0, 2))]
        letter.append(f"{writer.deal('wish')} {writer.deal('news')}")
        letter.append(f"{writer.deal('close')}, {sender}")
        blocks += letter
        written += sum(map(len, letter))
        day += draws.between(1, 8)
        if day > 365:
            day, year = day - 365, year + 1
    return Matter("letters", f"Correspondence about {affair}", tuple(blocks))
