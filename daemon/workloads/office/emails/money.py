"""Amounts of money in letters: drawn as cents, printed as people print them."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

import msgspec

from daemon.workloads.seeding import Draws
from schemas.office import Language

AmountSize = Literal["low", "small", "large"]
"""Large ones lie above the amount at which a priority rises, the others below; none is close to it."""

LARGE: dict[str, Decimal] = {"CZK": Decimal(25_000), "EUR": Decimal(1_000), "USD": Decimal(1_000)}
"""From which amount on a priority rises, by currency; the prompt says the same."""

_RANGES: dict[tuple[str, AmountSize], tuple[int, int]] = {
    ("CZK", "low"): (1_900, 4_900),
    ("CZK", "small"): (4_900, 24_000),
    ("CZK", "large"): (26_000, 94_000),
    ("EUR", "low"): (75, 195),
    ("EUR", "small"): (195, 960),
    ("EUR", "large"): (1_050, 3_900),
    ("USD", "low"): (80, 225),
    ("USD", "small"): (225, 960),
    ("USD", "large"): (1_050, 4_400),
}

_STYLES: dict[str, tuple[str, ...]] = {
    "CZK": ("{whole} Kč", "{cents} Kč", "{whole},- Kč", "{cents} CZK"),
    "EUR": ("{whole} EUR", "{cents} €", "{whole} €", "{cents} EUR"),
    "USD": ("${whole}", "${cents}", "USD {whole}", "${cents}"),
    "EUR en": ("€{whole}", "€{cents}", "EUR {whole}", "EUR {cents}"),
}
"""In the order whole, cents, whole, cents."""

STYLES = 4


class Money(msgspec.Struct, frozen=True):
    """An amount, its currency's ISO 4217 code, and how it is printed."""

    amount: Decimal
    currency: str
    printed: str


def draw_money(draws: Draws, language: Language, size: AmountSize, style: int, *, foreign: bool) -> Money:
    """Draw an amount in the country's currency, or in euros where it is foreign."""
    currency = "EUR" if foreign else {"cs": "CZK", "en": "USD"}[language]
    low, high = _RANGES[currency, size]
    whole = draws.between(low, high)
    if whole > 2_000 and draws.chance(0.5):
        whole -= whole % 50
    cents = draws.between(1, 99) if style % 2 else 0
    amount = Decimal(whole) + Decimal(cents) / 100
    template = _STYLES["EUR en" if (currency, language) == ("EUR", "en") else currency][style]
    separator, point = (" ", ",") if language == "cs" else (",", ".")
    grouped = f"{whole:,}".replace(",", separator)
    return Money(
        amount=amount.quantize(Decimal("0.01")),
        currency=currency,
        printed=template.format(whole=grouped, cents=f"{grouped}{point}{cents:02}"),
    )
