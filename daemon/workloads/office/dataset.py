"""A data set's plan: which pair has which tier, variant and layout, and whether it is private.

Shares are exact for any number of pairs, by largest remainders, in the whole set and in the private third of it.
Pairs come in blocks of thirty, in which every share is a whole number, so that a larger set begins with the smaller
one's full blocks, unchanged. A pair is one place, so it cannot straddle the split.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import get_args

import msgspec

from daemon.workloads.office.shares import controlled, largest_remainders
from daemon.workloads.seeding import Draws
from schemas.office import EmailShape, InvoiceLayout, Layout, PersonalKind, Split, Task, Tier, Variant

DATA_SET = "2"
"""Version of the data set. A version and a salt are one content: any change to a generator or a list that changes one
truth is another version, and a golden hash sees to it."""

PAIRS = 150
"""How many pairs a task has unless it is said."""

BLOCK = 30
TIERS: dict[Tier, Fraction] = {
    "pdf-text": Fraction(3, 10),
    "image": Fraction(3, 10),
    "scan": Fraction(3, 10),
    "photo": Fraction(1, 10),
}
VARIANTS: dict[Variant, Fraction] = {
    "standard": Fraction(6, 10),
    "no-vat": Fraction(1, 10),
    "advance": Fraction(1, 10),
    "credit-note": Fraction(1, 10),
    "foreign-currency": Fraction(1, 10),
}
PRIVATE = Fraction(1, 3)

_LAYOUTS: dict[Task, tuple[Layout, ...]] = {
    "invoice": get_args(InvoiceLayout),
    "email": get_args(EmailShape),
    "personal": get_args(PersonalKind),
}


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A pair's place in its data set; pairs count from 1. Tier and variant are an invoice's."""

    task: Task
    pair: int
    split: Split
    layout: Layout
    tier: Tier | None = None
    variant: Variant | None = None

    @property
    def pair_id(self) -> str:
        """Name of the pair, which both twins' ids begin with: "invoice-0007"."""
        return f"{self.task}-{self.pair:04}"


def plan(task: Task, pairs: int) -> tuple[Place, ...]:
    """Lay out a data set of this many pairs. The plan is no secret: it says nothing of any content."""
    places: list[Place] = []
    for start in range(0, pairs, BLOCK):
        places += _block(task, start, min(BLOCK, pairs - start))
    return tuple(places)


def _block(task: Task, start: int, size: int) -> list[Place]:
    draws = Draws("office-plan", task, str(start), str(size))
    cells = _invoice_cells(size) if task == "invoice" else _plain_cells(size)
    numbers = draws.shuffled(range(1, size + 1))
    layouts = _LAYOUTS[task]
    places = []
    for number, (tier, variant, split) in zip(numbers, cells, strict=True):
        pair = start + number
        layout = layouts[(pair - 1) % len(layouts)]
        places.append(Place(task=task, pair=pair, split=split, layout=layout, tier=tier, variant=variant))
    return sorted(places, key=lambda place: place.pair)


def _plain_cells(size: int) -> list[tuple[None, None, Split]]:
    private, _ = largest_remainders(size, (PRIVATE, 1 - PRIVATE))
    return [(None, None, "private" if number < private else "open") for number in range(size)]


def _invoice_cells(size: int) -> list[tuple[Tier, Variant, Split]]:
    rows = largest_remainders(size, tuple(VARIANTS.values()))
    columns = largest_remainders(size, tuple(TIERS.values()))
    whole = [[Fraction(row * column, size) for column in columns] for row in rows]
    counts = controlled(whole, rows, columns)
    privates = _private_cells(counts, rows, columns)
    cells: list[tuple[Tier, Variant, Split]] = []
    for row, variant in enumerate(VARIANTS):
        for column, tier in enumerate(TIERS):
            hidden = privates[row][column]
            cells += [(tier, variant, "private")] * hidden
            cells += [(tier, variant, "open")] * (counts[row][column] - hidden)
    return cells


def _private_cells(counts: list[list[int]], rows: Sequence[int], columns: Sequence[int]) -> list[list[int]]:
    """Take a third of the cells, of every variant and every tier; of a few pairs that may be impossible."""
    size = sum(rows)
    private, _ = largest_remainders(size, (PRIVATE, 1 - PRIVATE))
    table = [[Fraction(count * private, size) for count in row] for row in counts]
    try:
        return controlled(table, _thirds(rows, private, size), _thirds(columns, private, size), most=counts)
    except ValueError:
        flat = largest_remainders(private, [Fraction(count, size) for row in counts for count in row])
        return [flat[start : start + len(columns)] for start in range(0, len(flat), len(columns))]


def _thirds(totals: Sequence[int], private: int, size: int) -> list[int]:
    return largest_remainders(private, tuple(Fraction(total, size) for total in totals))
