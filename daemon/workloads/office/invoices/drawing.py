"""From an invoice to its PDF: manner, words, house style and layout, all drawn from the pair's own streams."""

from __future__ import annotations

from typing import cast

from daemon.workloads.office.invoices.content import Content, content_of
from daemon.workloads.office.invoices.house import draw_house
from daemon.workloads.office.invoices.layouts import LAYOUTS
from daemon.workloads.office.invoices.sheet import Sheet
from daemon.workloads.office.invoices.truth import Invoice
from daemon.workloads.office.invoices.wording import Words
from daemon.workloads.office.invoices.writing import draw_manner
from daemon.workloads.seeding import Draws
from schemas.office import InvoiceLayout, Language, Variant

_SIZES: dict[Language, tuple[float, float]] = {"cs": (595.28, 841.89), "en": (612.0, 792.0)}
"""A4 and Letter, in points."""


def worded(invoice: Invoice, draws: Draws) -> Content:
    """Choose manner and words and put the invoice into them."""
    variant = cast("Variant", invoice.outline.place.variant)
    manner = draw_manner(draws.branch("manner"), invoice.language, invoice.fields.currency)
    return content_of(invoice, Words(draws.branch("words"), invoice.language, variant), manner)


def draw_pdf(invoice: Invoice, draws: Draws) -> bytes:
    """Draw an invoice as a PDF of one page with a text layer.

    Raises: GlyphMissingError for a character that the layout's typeface does not have.
    """
    family, drawer = LAYOUTS[cast("InvoiceLayout", invoice.outline.place.layout)]
    sheet = Sheet(_SIZES[invoice.language], family)
    drawer(sheet, worded(invoice, draws), draw_house(draws.branch("house")))
    return sheet.finished()
