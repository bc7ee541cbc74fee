"""Source code: plausible programs in several languages, one function or declaration a block.

The programs are for reading and transforming; they are consistent in style but were never compiled.
"""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Deck, Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.grammar import Writer
from daemon.workloads.text.matter.programs import LANGUAGES

_NOUNS: Final = tuple(
    """invoice parcel sensor ticket reading booking ledger voucher shipment recipe patient lesson tariff meter article
    claim route orchard vessel permit member fixture harvest kiln locker exhibit manuscript inspection deposit
    timetable pallet sample garden contract""".split()
)
_FIELDS: Final = tuple(
    """amount weight due_day colour grade origin owner priority quantity rate region score section shelf size source
    stage status stock supplier surface tax temperature tolerance total track unit version volume width yield_kg zone
    depth angle balance batch carrier charge density duration elevation height""".split()
)
_VERBS: Final = tuple(
    """adjust aggregate allocate assess balance bucket classify collect compare compress convert deduct derive
    distribute estimate evaluate extract flag fold group index merge normalise partition project prune rank reconcile
    reduce render reorder resolve sample schedule score smooth split summarise tally trim weigh""".split()
)
_ADVERBS: Final = ("late", "open", "partial", "remote", "spare", "stale", "foreign", "seasonal", "daily", "urgent",
                   "damaged", "pending", "provisional", "returned", "shared", "local", "nested", "expired")  # fmt: skip
_REASONS: Final = (
    "the warehouse counts in pairs", "auditors ask for it every spring", "old terminals send it twice",
    "the bank rounds half to even", "a negative value means 'not yet weighed'", "the winter tariff ends on a Sunday",
    "two suppliers share this code", "the printer cannot show more", "the first row is a header in disguise",
    "import files before 2014 lack it", "the sensor saturates above this", "it must match the paper form",
    "clients cache the answer for a day", "the legacy system pads with spaces", "the law sets this limit",
)  # fmt: skip


def _camel(snake: str) -> str:
    head, *rest = snake.split("_")
    return head + "".join(part.capitalize() for part in rest)


def _bind(writer: Writer, draws: Draws, nouns: Deck[str], verbs: Deck[str], *, camel: bool) -> None:
    """Give one block its identifiers."""
    noun, verb, which = nouns.deal(), verbs.deal(), draws.pick(_ADVERBS)
    names = draws.sample(_FIELDS, 5)
    spell = _camel if camel else str
    writer.bound = {
        "noun": noun,
        "type": noun.capitalize() + draws.pick(("", "", "Row", "Record", "Entry")),
        "fn": spell(f"{verb}_{which}_{noun}s"),
        "Fn": spell(f"{verb}_{which}_{noun}s").capitalize(),
        "why": draws.pick(_REASONS),
        "verb": verb,
        "which": which,
        "limit": str(draws.between(3, 4800)),
        "small": str(draws.between(2, 48)),
        "factor": f"{draws.between(11, 990) / 100:.2f}",
        "prime": str(draws.pick((17, 31, 97, 131, 257, 509, 1021, 4093))),
        "words": ", ".join(f'"{word}"' for word in draws.sample(_ADVERBS, draws.between(3, 6))),
        "union": " | ".join(f'"{word}"' for word in draws.sample(_ADVERBS, draws.between(3, 6))),
        "numbers": ", ".join(str(draws.between(1, 9999)) for _ in range(draws.between(5, 14))),
    }
    for place, name in enumerate(names):
        writer.bound["abcde"[place]] = spell(name)


def make(draws: Draws, characters: int) -> Matter:
    """Write one program in one language."""
    language = draws.pick(LANGUAGES)
    writer = Writer(draws, {"block": language.blocks})
    nouns, verbs = Deck(draws, _NOUNS), Deck(draws, _VERBS)
    name = f"{draws.pick(_VERBS)}_{draws.pick(_NOUNS)}s{language.suffix}"
    blocks = [language.opening.replace("NAME", name)]
    written = len(blocks[0])
    while written < characters:
        _bind(writer, draws, nouns, verbs, camel=language.camel)
        blocks.append(writer.deal("block"))
        written += len(blocks[-1])
    return Matter("code", f"{name} ({language.name})", tuple(blocks))
