"""Pages of invoices: every truth is readable on them, nothing overlaps, and worn pictures are still that page."""

from __future__ import annotations

import io
from datetime import date
from decimal import Decimal
from functools import cache

import pytest
from office_invoices import misplaced, page_of, paper_of, sample, squeezed, twins, unreadable
from PIL import Image

from daemon.judging.office.amounts import read_amount
from daemon.judging.office.dates import read_date
from daemon.wire.contract import Image as SentImage
from daemon.workloads.office.invoices.drawing import worded
from daemon.workloads.office.invoices.pictures import given_of, text_layer
from daemon.workloads.office.invoices.sheet import GlyphMissingError, Ink, Sheet
from daemon.workloads.office.invoices.truth import Invoice
from daemon.workloads.office.invoices.typefaces import face
from daemon.workloads.office.invoices.writing import draw_manner
from daemon.workloads.seeding import Draws

CZECH = "ÁáČčĎďÉéĚěÍíŇňÓóŘřŠšŤťÚúŮůÝýŽž"


@cache
def pages() -> tuple[tuple[Invoice, bytes], ...]:
    return tuple((invoice, page_of(invoice)) for invoice in sample())


def test_the_sample_has_every_layout_and_variant() -> None:
    """The pages below are forty: eight layouts in five variants."""
    assert len({(page.outline.place.layout, page.outline.place.variant) for page, _ in pages()}) == len(pages()) == 40
    assert {page.language for page, _ in pages()} == {"cs", "en"}


def test_every_truth_value_is_readable_in_the_text_layer() -> None:
    """Whatever is asked for stands in the PDF's text, as the document writes it."""
    assert [(invoice.outline.place, unread) for invoice, pdf in pages() if (unread := unreadable(invoice, pdf))] == []


def test_what_is_written_scores_as_right() -> None:
    """Amounts and dates, as two thousand documents write them, are read by the scoring as what they are."""
    for both in twins(1000):
        for invoice in both:
            fields = invoice.fields
            manner = draw_manner(paper_of(invoice).branch("manner"), invoice.language, fields.currency)
            assert read_amount(manner.amount(fields.total)) == fields.total
            assert read_amount(manner.number(invoice.lines[0].net)) == invoice.lines[0].net
            day = read_date(manner.date(fields.issue_date), invoice.language)
            assert day is not None
            assert date(day.year, day.month, day.day) == fields.issue_date


def test_every_character_of_two_thousand_documents_has_a_glyph() -> None:
    """No typeface lacks a character that any layout could be given."""
    known = frozenset.intersection(
        *(face(family, style).characters for family in ("lato", "fira", "barlow", "serif", "mono")
          for style in ("regular", "bold"))
    )  # fmt: skip
    assert set(CZECH) <= known
    for both in twins(1000):
        for invoice in both:
            content = worded(invoice, paper_of(invoice))
            characters = {sign for sign in str(content) if sign.isprintable()} | set(invoice.customer.name)
            assert not {sign for sign in characters if not sign.isspace()} - known, invoice.outline.place


def test_a_missing_glyph_is_an_error() -> None:
    """A character that the typeface does not have is never drawn as an empty box."""
    with pytest.raises(GlyphMissingError, match="no glyph"):
        Sheet((200, 200), "lato").text(10, 20, "漢", Ink())


def test_nothing_leaves_the_page_or_covers_other_text() -> None:
    """Every run of text lies on the page, and no two overlap by more than their line's slack."""
    assert [(invoice.outline.place, wrong) for invoice, pdf in pages() if (wrong := misplaced(invoice, pdf))] == []


def test_a_page_is_drawn_with_the_same_bytes_again() -> None:
    """A build of the libraries makes the same PDF and the same pictures of the same streams."""
    invoice, pdf = pages()[0]
    assert page_of(invoice) == pdf
    for tier in ("scan", "photo"):
        first, second = (given_of(pdf, tier, Draws("wear")) for _ in range(2))
        assert first == second
        assert given_of(pdf, tier, Draws("other")) != first


def test_pictures_are_of_their_kind_and_size() -> None:
    """A clean image is a PNG, scan and photo are JPEGs, all are large enough to read and differ in wear."""
    _, pdf = pages()[1]
    means = {}
    for tier, kind in (("image", "PNG"), ("scan", "JPEG"), ("photo", "JPEG")):
        given = given_of(pdf, tier, Draws("wear"))
        assert isinstance(given, SentImage)
        picture = Image.open(io.BytesIO(given.data))
        assert picture.format == kind
        assert min(picture.size) > 900
        histogram = picture.convert("L").histogram()
        means[tier] = sum(level * count for level, count in enumerate(histogram)) / sum(histogram)
    assert means["image"] > means["scan"] > means["photo"]
    assert isinstance(given_of(pdf, "pdf-text", Draws("wear")), str)


def test_negative_amounts_keep_their_sign_on_the_page() -> None:
    """A credit note's total is printed with a minus or in parentheses."""
    for invoice, pdf in pages():
        if invoice.outline.place.variant == "credit-note":
            text = squeezed(text_layer(pdf))
            manner = draw_manner(paper_of(invoice).branch("manner"), invoice.language, invoice.fields.currency)
            written = squeezed(manner.amount(invoice.fields.total))
            assert written[0] in "-\u2212(" or written[3] in "-("
            assert written in text
            assert invoice.fields.total < Decimal(0)
