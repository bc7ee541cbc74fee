"""Invoices of the data set under a test's salt, drawn as far as a test needs them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from daemon.workloads.office.dataset import DATA_SET, Place, plan
from daemon.workloads.office.invoices.drawing import draw_pdf
from daemon.workloads.office.invoices.outline import draw_outline
from daemon.workloads.office.invoices.truth import Invoice, draw_invoice
from daemon.workloads.office.streams import Salt, Streams
from daemon.workloads.seeding import Draws
from schemas.office import Language

SALT = Salt("a salt for tests, which guards nothing")
STREAMS = Streams(DATA_SET, SALT)
LANGUAGES: tuple[Language, ...] = ("cs", "en")


def invoice_of(place: Place, language: Language, streams: Streams = STREAMS) -> Invoice:
    """Draw one invoice's content."""
    outline = draw_outline(streams.of("invoice", place.split, place.pair, "outline"), place)
    return draw_invoice(streams.of("invoice", place.split, place.pair, language), language, outline)


def paper_of(invoice: Invoice) -> Draws:
    """Open the stream of an invoice's page."""
    place = invoice.outline.place
    return STREAMS.of("invoice", place.split, place.pair, invoice.language, "paper")


@cache
def twins(pairs: int) -> tuple[tuple[Invoice, Invoice], ...]:
    """Draw the content of many pairs, once for all tests."""
    return tuple((invoice_of(place, "cs"), invoice_of(place, "en")) for place in plan("invoice", pairs))


def page_of(invoice: Invoice) -> bytes:
    """Draw an invoice's PDF."""
    return draw_pdf(invoice, paper_of(invoice))


def sample() -> Iterator[Invoice]:
    """Choose one invoice for each layout and variant, in either language in turn."""
    seen: set[tuple[str, str]] = set()
    for number, both in enumerate(twins(1000)):
        place = both[0].outline.place
        kind = (str(place.layout), str(place.variant))
        if kind not in seen:
            seen.add(kind)
            yield both[(len(seen) + number) % 2]
