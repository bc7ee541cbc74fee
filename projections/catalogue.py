"""What was declared: endpoints, prices and accounts as rows, one set per declaration; the newest one counts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Annotated, ClassVar

import msgspec

from projections.contract import EachByItself, Entry, Insertion
from projections.tables import MAYBE_NAME, NAME, Column, Table, TimedRow
from projections.times import utc
from schemas.events import CatalogueDeclared, Event

_USD = "Decimal(38, 12)"


class DeclarationRow(TimedRow, frozen=True, kw_only=True):
    """One declaration as a whole."""

    sha256: Annotated[str, Column("String", "hash of the catalogue's content")]
    vantage: Annotated[str, Column(NAME, "where this source measures from")]
    definition: Annotated[str, Column(NAME, "definitions in the daemon's configuration at that time")]
    endpoints: Annotated[int, Column("UInt32", "count of endpoints")]
    accounts: Annotated[int, Column("UInt32", "count of accounts")]


class EndpointRow(TimedRow, frozen=True, kw_only=True):
    """One endpoint of one declaration."""

    vantage: Annotated[str, Column(NAME, "where this source measures from")]
    endpoint: Annotated[str, Column(NAME, "name")]
    provider: Annotated[str, Column(NAME, "provider's name")]
    provider_title: Annotated[str | None, Column("Nullable(String)", "provider's name for people")]
    dialect: Annotated[str, Column(NAME, "wire format")]
    base_url: Annotated[str, Column("String", "where requests go")]
    model: Annotated[str, Column(NAME, "model asked for")]
    reasoning: Annotated[str, Column(NAME, "none, shown, hidden or unknown")]
    vision: Annotated[bool, Column("Bool", "takes pictures")]
    simulated: Annotated[bool, Column("Bool", "reference endpoint")]
    pinned_provider: Annotated[str | None, Column(MAYBE_NAME, "provider that a router is held to")]
    quantization: Annotated[str | None, Column(MAYBE_NAME, "as the provider states it")]
    context_tokens: Annotated[int | None, Column("Nullable(UInt64)", "context length, tokens")]
    region: Annotated[str | None, Column(MAYBE_NAME, "where it runs")]
    overrides: Annotated[str, Column("String", "parameters that differ from the methodology, JSON")]


class PriceRow(TimedRow, frozen=True, kw_only=True):
    """One price of one endpoint of one declaration, USD per million tokens."""

    endpoint: Annotated[str, Column(NAME, "endpoint's name")]
    valid_from: Annotated[date, Column("Date", "first UTC day on which it holds")]
    input_usd: Annotated[Decimal, Column(_USD, "input")]
    output_usd: Annotated[Decimal, Column(_USD, "output")]
    cached_input_usd: Annotated[Decimal | None, Column(f"Nullable({_USD})", "input from a cache")]
    cache_write_usd: Annotated[Decimal | None, Column(f"Nullable({_USD})", "input written to a cache")]
    stated_by: Annotated[str | None, Column("Nullable(String)", "where the price was found")]


class AccountRow(TimedRow, frozen=True, kw_only=True):
    """One account of one declaration, by name only."""

    account: Annotated[str, Column(NAME, "account's name")]
    provider: Annotated[str, Column(NAME, "provider's name")]
    kind: Annotated[str, Column(NAME, "primary, funded, anonymous or provider-given")]


DECLARATIONS = Table(
    name="declarations", row=DeclarationRow, order_by=("source", "seq"), comment="catalogues that were declared"
)
ENDPOINTS = Table(
    name="endpoints", row=EndpointRow, order_by=("source", "seq", "endpoint"), comment="endpoints by declaration"
)
PRICES = Table(
    name="prices", row=PriceRow, order_by=("source", "seq", "endpoint", "valid_from"), comment="prices by declaration"
)
ACCOUNTS = Table(
    name="accounts", row=AccountRow, order_by=("source", "seq", "account"), comment="accounts by declaration"
)


class Catalogue(EachByItself):
    """See the module."""

    name: ClassVar[str] = "catalogue"
    tables: ClassVar[tuple[Table, ...]] = (DECLARATIONS, ENDPOINTS, PRICES, ACCOUNTS)
    reads: ClassVar[tuple[type[Event], ...]] = (CatalogueDeclared,)

    def rows(self, entry: Entry) -> Iterator[Insertion]:
        """See :class:`EachByItself`."""
        if isinstance(entry.event, CatalogueDeclared):
            yield from _rows(entry, entry.event)


def _rows(entry: Entry, declared: CatalogueDeclared) -> Iterator[Insertion]:
    source, seq, time = entry.envelope.source, entry.envelope.seq, utc(entry.envelope.wall_ns)
    titles = {provider.name: provider.title for provider in declared.providers}
    yield Insertion(
        DECLARATIONS,
        DeclarationRow(
            source=source,
            seq=seq,
            time=time,
            sha256=declared.sha256,
            vantage=declared.vantage,
            definition=declared.definitions.id,
            endpoints=len(declared.endpoints),
            accounts=len(declared.accounts),
        ),
    )
    for facts in declared.endpoints:
        yield Insertion(
            ENDPOINTS,
            EndpointRow(
                source=source,
                seq=seq,
                time=time,
                vantage=declared.vantage,
                endpoint=facts.name,
                provider=facts.provider,
                provider_title=titles.get(facts.provider),
                dialect=facts.dialect,
                base_url=facts.base_url,
                model=facts.model,
                reasoning=facts.reasoning,
                vision=facts.vision,
                simulated=facts.simulated,
                pinned_provider=facts.pinned_provider,
                quantization=facts.quantization,
                context_tokens=facts.context_tokens,
                region=facts.region,
                overrides=msgspec.json.encode(facts.overrides).decode(),
            ),
        )
        for price in facts.prices:
            yield Insertion(
                PRICES,
                PriceRow(
                    source=source,
                    seq=seq,
                    time=time,
                    endpoint=facts.name,
                    valid_from=price.valid_from,
                    input_usd=price.input_usd,
                    output_usd=price.output_usd,
                    cached_input_usd=price.cached_input_usd,
                    cache_write_usd=price.cache_write_usd,
                    stated_by=price.source,
                ),
            )
    for account in declared.accounts:
        yield Insertion(
            ACCOUNTS,
            AccountRow(
                source=source,
                seq=seq,
                time=time,
                account=account.name,
                provider=account.provider,
                kind=account.kind,
            ),
        )
