"""Contract clauses and by-laws: numbered sections of plausible legal prose."""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Deck, Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.grammar import Writer
from daemon.workloads.text.matter.words import TOWNS, date_text, firm, grammar

_GRAMMAR: Final = grammar("clauses")

_AGREEMENTS: Final = (
    ("Lease of Business Premises", "the Landlord", "the Tenant"), ("Agreement on Software Maintenance",
     "the Supplier", "the Customer"),
    ("Charter Party for an Inland Vessel", "the Owner", "the Charterer"), ("Publishing Agreement", "the Author",
     "the Publisher"),
    ("Loan of Works of Art", "the Lender", "the Borrower"), ("Supply of District Heat", "the Utility",
     "the Subscriber"),
    ("Statutes of the Cooperative", "the Cooperative", "the Member"), ("Catering Framework Contract", "the Caterer",
     "the Host"),
    ("Research Data Agreement", "the Provider", "the Recipient"), ("Grazing Licence", "the Grantor", "the Grazier"),
    ("Apprenticeship Agreement", "the Master", "the Apprentice"), ("Terms of the Car-Sharing Club", "the Club",
     "the User"),
)  # fmt: skip


def make(draws: Draws, characters: int) -> Matter:
    """Write the numbered sections of one agreement."""
    name, first, second = draws.pick(_AGREEMENTS)
    year = draws.between(1998, 2026)
    writer = Writer(draws, _GRAMMAR, {"a": first, "b": second}, year=year)
    parties = (
        f"between {firm(draws)}, {draws.pick(TOWNS)} ({first}) and {firm(draws)}, {draws.pick(TOWNS)} ({second})"
    )
    blocks = [f"{name} {parties}, dated {date_text(draws, year)}."]
    topics: Deck[str] = Deck(draws, _GRAMMAR["topic"])
    written, number = len(blocks[0]), 1
    while written < characters:
        section = [f"§ {number} {topics.deal()}"]
        for sub in range(1, draws.between(2, 5) + 1):
            text = " ".join(writer.deal("rule") for _ in range(draws.between(1, 3)))
            section.append(f"({sub}) {text}")
        blocks += section
        written += sum(map(len, section))
        number += 1
    return Matter("clauses", name, tuple(blocks))
