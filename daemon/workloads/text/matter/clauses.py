"""Contract clauses and by-laws: numbered sections of plausible legal prose."""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Deck, Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.grammar import Writer
from daemon.workloads.text.matter.words import COMMON, TOWNS, date_text, firm

_AGREEMENTS: Final = (
    ("Lease of Business Premises", "the Landlord", "the Tenant"), ("Agreement on Software Maintenance", "the Supplier", "the Customer"),
    ("Charter Party for an Inland Vessel", "the Owner", "the Charterer"), ("Publishing Agreement", "the Author", "the Publisher"),
    ("Loan of Works of Art", "the Lender", "the Borrower"), ("Supply of District Heat", "the Utility", "the Subscriber"),
    ("Statutes of the Cooperative", "the Cooperative", "the Member"), ("Catering Framework Contract", "the Caterer", "the Host"),
    ("Research Data Agreement", "the Provider", "the Recipient"), ("Grazing Licence", "the Grantor", "the Grazier"),
    ("Apprenticeship Agreement", "the Master", "the Apprentice"), ("Terms of the Car-Sharing Club", "the Club", "the User"),
)  # fmt: skip

_RULES: Final = {
    **COMMON,
    "topic": (
        "Definitions", "Term", "Payment", "Deposit", "Delivery", "Inspection", "Warranty", "Liability", "Insurance",
        "Confidentiality", "Termination", "Force majeure", "Notices", "Assignment", "Governing law", "Arbitration",
        "Maintenance", "Access", "Records", "Price adjustment", "Sub-contractors", "Personal data", "Intellectual property",
        "Quality", "Complaints", "Penalties", "Return", "Storage", "Transport", "Safety", "Noise and emissions",
        "Amendments", "Severability", "Audit", "Training", "Emergency repairs", "Set-off", "Publicity", "Transition",
    ),
    "rule": (
        "{A} shall {duty} within {days} of {trigger}, failing which {b} may {remedy}.",
        "Where {trigger} occurs, {b} is entitled to {remedy}, unless {a} proves that {excuse}.",
        "{B} may not {ban} without the prior written consent of {a}, which shall not be unreasonably withheld where {excuse}.",
        "Sums in excess of {money} require the signature of two persons named in Schedule {n}; {a} keeps the list current.",
        "If {a} fails to {duty}, {b} may, after a reminder and a further {days}, {remedy}.",
        "For the purposes of this section, \"{term}\" means {meaning}, but does not include {meaning}.",
        "The obligation to {duty} survives the end of this agreement by {days}, save where {excuse}.",
        "Liability for {loss} is limited to {money} per event and to {money} in any calendar year; this does not apply to intent.",
        "{A} bears the cost of {thing} up to {money}; beyond that it is shared in the proportion of {n} to {n}.",
        "Until {b} has {done}, {a} may suspend {thing} and shall say so in the form of Schedule {n}.",
        "Notice under this section is given to {person} at {town}, and takes effect {days} after dispatch.",
        "The parties acknowledge that {excuse}; neither may rely on it in order to {ban}.",
        "{B} shall keep records of {thing} for {n} years and allow {firm}, or another auditor, to inspect them.",
        "A delay caused by {excuse2} extends the period in subsection {n} day for day, but by no more than {days}.",
        "Any dispute over {thing} is first put to {person}, whose opinion, given within {days}, binds until a court decides.",
    ),
    "duty": ("deliver the certificates", "repair the defect", "return all copies", "name a deputy", "submit the accounts",
             "restore the surface", "insure the goods at their full value", "clear the loading bay", "publish the tariff",
             "hand over the keys", "replace the meter", "report every accident", "remove the scaffolding", "pay the balance"),
    "days": ("three working days", "ten days", "fourteen days", "twenty-one days", "one month", "six weeks", "a quarter",
             "forty-eight hours", "ninety days"),
    "trigger": ("receipt of a complaint", "the first of {month}", "a change of ownership", "the failure of an inspection",
                "the written demand", "the opening of insolvency proceedings", "a breach of section {n}", "the acceptance test",
                "the arrival at {town}", "the loss of a permit", "the report of {firm}", "a rise in the index by {pct}"),
    "remedy": ("withhold {pct} of the price", "terminate without notice", "have the work done at the other's cost",
               "claim interest at {pct}", "reduce the fee in proportion", "demand security of {money}", "take back the goods",
               "refuse further deliveries", "call in {firm} as substitute"),
    "excuse": ("the weather made it unsafe", "the authority in {town} withdrew its consent", "no substitute could be had in time",
               "the other party had caused the delay", "the defect was visible on delivery", "the cost would exceed {money}",
               "the records had been destroyed by fire", "the period fell within the closed season"),
    "excuse2": ("flood", "strike at {firm}", "an order of the authority in {town}", "the lack of a permit", "frost",
                "an epidemic", "the failure of the grid", "war or blockade"),
    "ban": ("sub-let any part", "alter the façade", "use the mark in advertising", "export the data", "keep animals",
            "store inflammable liquids", "assign a claim", "employ the other's staff", "exceed {n} tonnes", "work at night",
            "disclose the price list", "set off a disputed claim"),
    "term": ("Working Day", "Defect", "Net Weight", "Confidential Information", "Vessel", "Season", "Index", "Common Parts",
             "Affiliate", "Handover", "Reasonable Wear", "Business Hours"),
    "meaning": ("any day on which banks in {town} are open", "what is listed in Schedule {n}", "a deviation of more than {pct}",
                "the part used by both parties", "goods delivered after {month}", "information marked as such",
                "persons controlled by {firm}", "the period from {month} to {month}", "damage reported by {b}"),
    "loss": ("loss of profit", "damage to stored goods", "delay", "loss of data", "contamination", "damage in transit"),
    "thing": ("cleaning", "the annual inspection", "transport to {town}", "packaging", "the replacement of filters", "training",
              "insurance", "disposal", "the survey by {firm}", "electricity", "translation", "the escrow account"),
    "done": ("paid the deposit", "produced the permit", "named a contact in {town}", "repaired the fence", "passed the test",
             "returned the former equipment", "replied to the notice"),
}  # fmt: skip


def make(draws: Draws, characters: int) -> Matter:
    """Write the numbered sections of one agreement."""
    name, first, second = draws.pick(_AGREEMENTS)
    year = draws.between(1998, 2026)
    writer = Writer(draws, _RULES, {"a": first, "b": second}, year=year)
    parties = f"between {firm(draws)}, {draws.pick(TOWNS)} ({first}) and {firm(draws)}, {draws.pick(TOWNS)} ({second})"
    blocks = [f"{name} {parties}, dated {date_text(draws, year)}."]
    topics: Deck[str] = Deck(draws, _RULES["topic"])
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
