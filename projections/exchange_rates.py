"""Declared exchange rates, for display alone: no stored figure is ever made of one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Annotated, ClassVar

from projections.contract import EachByItself, Entry, Insertion
from projections.tables import NAME, Column, Table, TimedRow
from projections.times import utc
from schemas.events import Event, ExchangeRateDeclared


class ExchangeRateRow(TimedRow, frozen=True, kw_only=True):
    """One unit of ``base`` is ``rate`` units of ``quote``. ``time`` is when it was declared."""

    base: Annotated[str, Column(NAME, "currency that is converted")]
    quote: Annotated[str, Column(NAME, "currency that is shown")]
    rate: Annotated[Decimal, Column("Decimal(38, 12)", "units of quote for one of base")]
    day: Annotated[date, Column("Date", "day that the rate is of")]
    stated_by: Annotated[str, Column("String", "where the rate was taken from")]


EXCHANGE_RATES = Table(
    name="exchange_rates",
    row=ExchangeRateRow,
    order_by=("base", "quote", "day", "time", "source", "seq"),
    comment="exchange rates for display",
)


class ExchangeRates(EachByItself):
    """See the module."""

    name: ClassVar[str] = "exchange-rates"
    tables: ClassVar[tuple[Table, ...]] = (EXCHANGE_RATES,)
    reads: ClassVar[tuple[type[Event], ...]] = (ExchangeRateDeclared,)

    def rows(self, entry: Entry) -> Iterator[Insertion]:
        """See :class:`EachByItself`."""
        if isinstance(entry.event, ExchangeRateDeclared):
            yield Insertion(EXCHANGE_RATES, _row(entry, entry.event))


def _row(entry: Entry, event: ExchangeRateDeclared) -> ExchangeRateRow:
    return ExchangeRateRow(
        source=entry.envelope.source,
        seq=entry.envelope.seq,
        time=utc(entry.envelope.wall_ns),
        base=event.base,
        quote=event.quote,
        rate=event.rate,
        day=event.on,
        stated_by=event.source,
    )
