"""Tables, as CSV or Markdown: stock, staff, harvests, accounts, sports results, patients' trials, libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from daemon.workloads.seeding import Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.words import FIRM_HEADS, FIRM_TAILS, TOWNS, iso_date, person

Cell = Callable[[Draws, int], str]


class _Plan(msgspec.Struct, frozen=True):
    """A table's subject, its columns and how a row's cells are drawn (with the row's number)."""

    title: str
    columns: tuple[tuple[str, Cell], ...]


def _code(prefix: str) -> Cell:
    return lambda draws, row: f"{prefix}-{1000 + row * 7 + draws.below(7)}"


def _date(draws: Draws, _row: int) -> str:
    year, month, day = iso_date(draws)
    return f"{year}-{month:02d}-{day:02d}"


def _integer(low: int, high: int) -> Cell:
    return lambda draws, _row: str(draws.between(low, high))


def _decimal(low: int, high: int, places: int = 2) -> Cell:
    return lambda draws, _row: f"{draws.between(low, high) / 10**places:.{places}f}"


def _of(*options: str) -> Cell:
    return lambda draws, _row: draws.pick(options)


def _town(draws: Draws, _row: int) -> str:
    return draws.pick(TOWNS)


def _person(draws: Draws, _row: int) -> str:
    return person(draws)


def _firm(draws: Draws, _row: int) -> str:
    return f"{draws.pick(FIRM_HEADS)} {draws.pick(FIRM_TAILS)}"


_PLANS: Final = (
    _Plan("Stock list of the central warehouse", (
        ("article", _code("ST")), ("description", _of("hex bolt M8", "linen tape", "ball valve", "oak dowel",
         "ink pad",
         "gasket 40 mm", "seed tray", "bearing 6204", "fuse 16 A", "hose clamp", "drill bit 5 mm", "rivet",
          "wood glue",
         "cable tie", "sanding disc", "brass hinge", "paint roller", "copper pipe", "safety goggles", "chain link")),
        ("bin", _of("A1", "A4", "B2", "B7", "C3", "C9", "D5", "E1", "F8", "G2")), ("on hand", _integer(0, 4800)),
        ("reserved", _integer(0, 300)), ("unit price", _decimal(12, 19_000)), ("supplier", _firm), ("counted",
         _date))),
    _Plan("Harvest records of the experimental orchard", (
        ("tree", _code("T")), ("variety", _of("Boskoop", "Gravenstein", "Berlepsch", "Topaz", "Rubinola", "Elstar",
         "Alkmene", "Finkenwerder", "Jonathan", "Santana")), ("rootstock", _of("M9", "M26", "MM106", "seedling")),
        ("kilograms", _decimal(8, 1800, 1)), ("Brix", _decimal(92, 171, 1)), ("firmness N/cm²", _decimal(38, 96, 1)),
        ("scab 0-9", _integer(0, 9)), ("picked", _date), ("picker", _person))),
    _Plan("Ledger of the society, current year", (
        ("entry", _code("L")), ("date", _date), ("payee or payer", _firm), ("account", _of("4010 Subscriptions",
         "4100 Donations", "5020 Rent", "5200 Printing", "5310 Repairs", "5400 Insurance", "5500 Travel",
          "6000 Bank")),
        ("debit", _decimal(0, 240_000)), ("credit", _decimal(0, 240_000)), ("approved by", _person),
        ("note", _of("receipt missing", "see minutes", "standing order", "part payment", "corrected", "cash", "")))),
    _Plan("Results of the regional long-distance races", (
        ("bib", _code("R")), ("runner", _person), ("club", _town), ("age group", _of("W20", "W30", "W40", "W50",
         "M20",
         "M30", "M40", "M50", "M60")), ("5 km", _decimal(1500, 3200)), ("10 km", _decimal(3200, 6800)),
        ("15 km", _decimal(5100, 9900)), ("finish", _decimal(7600, 15_800)), ("remarks", _of("", "", "",
         "personal best",
         "did not finish", "late start", "course record attempt")))),
    _Plan("Loans of the travelling library", (
        ("copy", _code("B")), ("subject", _of("geology", "cookery", "travel", "poetry", "law", "gardening", "music",
         "astronomy", "local history", "crime", "chess", "knitting")), ("stop", _town), ("reader", _person),
        ("lent", _date), ("days kept", _integer(1, 96)), ("renewals", _integer(0, 5)), ("fine", _decimal(0, 1900)),
        ("condition", _of("as new", "good", "worn", "spine loose", "water stain", "pages missing")))),
    _Plan("Vehicle inspections of the municipal fleet", (
        ("vehicle", _code("V")), ("type", _of("gritter", "refuse lorry", "minibus", "van", "sweeper", "tractor",
         "ladder truck", "cargo bicycle")), ("depot", _town), ("kilometres", _integer(900, 410_000)),
        ("brake %", _decimal(420, 890, 1)), ("tread mm", _decimal(12, 94, 1)), ("CO g/km", _decimal(80, 990, 1)),
        ("verdict", _of("pass", "pass", "pass", "advisory", "fail", "re-test")), ("inspector", _person), ("date",
         _date))),
    _Plan("Water samples of the bathing lakes", (
        ("sample", _code("W")), ("lake", _town), ("taken", _date), ("temperature °C", _decimal(61, 264, 1)),
        ("pH", _decimal(610, 890)), ("E. coli /100 ml", _integer(0, 1900)), ("visibility m", _decimal(3, 74, 1)),
        ("oxygen mg/l", _decimal(41, 127, 1)), ("algae", _of("none", "traces", "moderate", "bloom")), ("by",
         _person))),
    _Plan("Offers received for the renovation", (
        ("offer", _code("Q")), ("bidder", _firm), ("seat", _town), ("lot", _of("scaffolding", "roof", "windows",
         "plaster",
         "electrics", "heating", "floors", "lift", "landscaping")), ("net price", _integer(3_200, 940_000)),
        ("discount %", _decimal(0, 90, 1)), ("weeks", _integer(2, 60)), ("warranty years", _integer(1, 10)),
        ("complete", _of("yes", "yes", "no: no insurance", "no: unsigned", "no: no references")), ("opened", _date))),
)  # fmt: skip


def make(draws: Draws, characters: int) -> Matter:
    """Write one table, its head and separator as the first block."""
    plan = draws.pick(_PLANS)
    columns = plan.columns
    first = draws.between(0, 1200)
    markdown = draws.chance(0.5)
    names = [name for name, _ in columns]
    head = f"| {' | '.join(names)} |\n|{'---|' * len(names)}" if markdown else ";".join(names)
    blocks = [head]
    written = len(head)
    row = first
    while written < characters:
        cells = [cell(draws, row) for _, cell in columns]
        blocks.append(f"| {' | '.join(cells)} |" if markdown else ";".join(cells))
        written += len(blocks[-1]) + 1
        row += 1
    return Matter("table", f"{plan.title} ({draws.pick(TOWNS)})", tuple(blocks), joint="\n")
