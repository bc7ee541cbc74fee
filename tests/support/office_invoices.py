"""Invoices of the data set under a test's salt, drawn as far as a test needs them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pypdfium2

from daemon.workloads.office.dataset import DATA_SET, Place, plan
from daemon.workloads.office.invoices.drawing import draw_pdf
from daemon.workloads.office.invoices.outline import draw_outline
from daemon.workloads.office.invoices.pictures import text_layer
from daemon.workloads.office.invoices.truth import Invoice, draw_invoice
from daemon.workloads.office.invoices.writing import draw_manner
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


def squeezed(text: str) -> str:
    """Take all white space out."""
    return re.sub(r"\s+", "", text)


def printed(invoice: Invoice) -> list[str]:
    """All truth values, as the document writes them."""
    fields = invoice.fields
    manner = draw_manner(paper_of(invoice).branch("manner"), invoice.language, fields.currency)
    texts = [fields.supplier_name, fields.company_id, fields.vat_id, fields.invoice_number, fields.payment_reference]
    dates = [fields.issue_date, fields.due_date, fields.supply_date]
    parts = (*fields.net_by_rate, *fields.tax_by_rate)
    amounts = [re.sub(r"[^\d.,]", "", manner.number(part.amount)) for part in parts]
    forms = [] if fields.bank_account is None else list(fields.bank_account.forms)
    if invoice.language == "en":
        forms = [part for form in forms for part in form.split("/")]
    return [
        *(text for text in texts if isinstance(text, str)),
        *(manner.date(day) for day in dates if day is not None and hasattr(day, "isoformat")),
        *amounts,
        *(manner.rate(part.rate) for part in parts),
        manner.amount(fields.total),
        fields.currency,
        *forms,
    ]


def unreadable(invoice: Invoice, pdf: bytes) -> list[str]:
    """Return truth values that are not in the PDF's text as the document writes them."""
    text = squeezed(text_layer(pdf))
    return [value for value in printed(invoice) if squeezed(value) not in text]


def misplaced(invoice: Invoice, pdf: bytes) -> list[str]:
    """Return runs of text that leave the page, or that another one covers by more than their line's slack."""
    document = pypdfium2.PdfDocument(pdf)
    page = document[0]
    width, height = page.get_size()
    text = page.get_textpage()
    boxes = [text.get_rect(number) for number in range(text.count_rects())]
    stamp = invoice.outline.place.layout == "classic"  # its stamp is turned and pressed over the signature's line
    wrong = []
    for number, (left, low, right, top) in enumerate(boxes):
        covered = not stamp and any(
            min(right, other_right) - max(left, other_left) >= 1.5
            and min(top, other_top) - max(low, other_low) >= 2.5
            for other_left, other_low, other_right, other_top in boxes[number + 1 :]
        )
        if covered or not (0 <= left <= right <= width and 0 <= low <= top <= height):
            wrong.append(text.get_text_bounded(left, low, right, top))
    document.close()
    return wrong
