"""How an invoice writes dates, amounts and rates: one manner for a whole document, drawn from those in use."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

import msgspec

from daemon.workloads.office.lists.months import CZECH_MONTHS, ENGLISH_MONTHS
from daemon.workloads.seeding import Draws
from schemas.office import Language

DateManner = Literal["spaced", "zeros", "month", "short-month", "iso"]
MoneyManner = Literal["code", "sign"]
MinusManner = Literal["-", "\u2212", "()"]

_SIGNS = {"CZK": "Kč", "EUR": "€", "USD": "$", "GBP": "£"}
_SPACE = "\u00a0"


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """A document's manner of writing. ``money``: by ISO code or by sign; what has no sign of its own has its code."""

    language: Language
    currency: str
    dates: DateManner
    money: MoneyManner
    minus: MinusManner
    grouping: str

    def date(self, day: date) -> str:
        """Write a date as the document's country does."""
        if self.dates == "iso":
            return day.isoformat()
        if self.language == "cs":
            if self.dates == "month":
                return f"{day.day}. {CZECH_MONTHS[day.month - 1]} {day.year}"
            return f"{day:%d.%m.%Y}" if self.dates == "zeros" else f"{day.day}. {day.month}. {day.year}"
        if self.dates == "zeros":
            return f"{day:%m/%d/%Y}"
        month = ENGLISH_MONTHS[day.month - 1]
        return f"{month if self.dates == 'month' else month[:3]} {day.day}, {day.year}"

    def number(self, amount: Decimal) -> str:
        """Write an amount without its currency."""
        return self._signed(amount, "")

    def amount(self, amount: Decimal) -> str:
        """Write an amount with its currency."""
        sign = _SIGNS.get(self.currency) if self.money == "sign" else None
        if self.language == "en" and sign is not None:
            return self._signed(amount, sign)
        if self.language == "en":
            return f"{self.currency}{_SPACE}{self._signed(amount, '')}"
        return f"{self._signed(amount, '')}{_SPACE}{sign or self.currency}"

    def rate(self, rate: Decimal) -> str:
        """Write a tax rate."""
        text = f"{rate.normalize():f}"
        return f"{text.replace('.', ',')}{_SPACE}%" if self.language == "cs" else f"{text}%"

    def _signed(self, amount: Decimal, before: str) -> str:
        groups, decimals = f"{abs(amount):,.2f}".split(".")
        text = f"{before}{groups.replace(',', self.grouping)}{',' if self.language == 'cs' else '.'}{decimals}"
        if amount >= 0:
            return text
        return f"({text})" if self.minus == "()" else f"{self.minus}{text}"


def draw_manner(draws: Draws, language: Language, currency: str) -> Manner:
    """Draw a manner that is usual in the language."""
    czech = language == "cs"
    date_manners: tuple[DateManner, ...] = (
        ("spaced", "spaced", "zeros", "zeros", "month") if czech else ("zeros", "zeros", "month", "short-month")
    )
    minus: tuple[MinusManner, ...] = ("-", "-", "\u2212") if czech else ("-", "()", "()")
    by_sign = currency in {"CZK", "EUR", "GBP"} or (currency == "USD" and not czech)
    return Manner(
        language=language,
        currency=currency,
        dates=draws.pick(date_manners),
        money="sign" if by_sign and draws.chance(0.7) else "code",
        minus=draws.pick(minus),
        grouping=draws.pick((_SPACE, _SPACE, _SPACE, ".")) if czech else ",",
    )
