"""What the two invoices of a pair share: layout, variant, tier, dates, lines and how many rates there are."""

from __future__ import annotations

from datetime import date, timedelta

import msgspec

from daemon.workloads.office.dataset import Place
from daemon.workloads.office.firms import FirmKind
from daemon.workloads.office.lists.trades import TRADES, Item, Trade
from daemon.workloads.seeding import Draws

FIRST_DAY = date(2025, 7, 1)
DAYS = 330


class OutlineLine(msgspec.Struct, frozen=True):
    """A line: what, how many, and by how much its price is off the usual one."""

    item: Item
    quantity: int
    price_factor: float


class Outline(msgspec.Struct, frozen=True, kw_only=True):
    """A pair's outline.

    prints_account: a credit note need not say where money comes from. own_reference: the payment reference is no
    part of the invoice number. prints_order: an order's number and date stand on it, which are no fields.
    """

    place: Place
    trade: Trade
    supplier_kind: FirmKind
    lines: tuple[OutlineLine, ...]
    issued: date
    supplied: date
    due: date
    prints_account: bool
    own_reference: bool
    prints_order: bool
    prints_customer_id: bool


def draw_outline(draws: Draws, place: Place) -> Outline:
    """Draw what both languages share."""
    trade = draws.pick(TRADES)
    items = [item for item in trade.items if place.variant != "credit-note" or item.rate != "zero"]
    most = min(len(items), 3 if place.variant == "credit-note" else 7)
    chosen = draws.sample(items, draws.between(min(2, most), most))
    issued = FIRST_DAY + timedelta(days=draws.between(0, DAYS))
    kinds: tuple[FirmKind, ...] = ("limited", "limited", "limited", "joint-stock")
    if place.variant == "no-vat":
        kinds = ("sole-trader", "sole-trader", "limited")
    return Outline(
        place=place,
        trade=trade,
        supplier_kind=draws.pick(kinds),
        lines=tuple(
            OutlineLine(item, max(1, draws.between(item.most // 8, item.most)), draws.real(0.85, 1.2))
            for item in chosen
        ),
        issued=issued,
        supplied=issued - timedelta(days=draws.pick((0, 0, 1, 2, 3, 6))),
        due=issued + timedelta(days=draws.pick((7, 10, 14, 14, 14, 21, 30, 30))),
        prints_account=place.variant != "credit-note" or draws.chance(0.5),
        own_reference=draws.chance(0.3),
        prints_order=draws.chance(0.6),
        prints_customer_id=draws.chance(0.7),
    )
