"""From an invoice's PDF to what a model is given: the text layer, or a picture, clean, scanned or photographed."""

from __future__ import annotations

import io

import pypdfium2
from PIL import Image as Pillow

from daemon.wire.contract import Image
from daemon.workloads.office.invoices.worn import photograph, scan
from daemon.workloads.seeding import Draws
from schemas.office import Tier

_CLEAN_DPI = 120
_SCAN_DPI = 130
_PHOTO_DPI = 130


def given_of(pdf: bytes, tier: Tier, draws: Draws) -> str | Image:
    """Make what a model of this tier is given, text or a picture; ``draws`` decide how a page is worn."""
    if tier == "pdf-text":
        return text_layer(pdf)
    if tier == "image":
        return Image("image/png", _png(render(pdf, _CLEAN_DPI)))
    if tier == "scan":
        return Image("image/jpeg", scan(render(pdf, _SCAN_DPI), draws))
    return Image("image/jpeg", photograph(render(pdf, _PHOTO_DPI), draws))


def text_layer(pdf: bytes) -> str:
    """Read a PDF's text in the order in which it was drawn, one line a line."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        page = document[0]
        text: str = page.get_textpage().get_text_range()
    finally:
        document.close()
    return text.replace("\r\n", "\n")


def render(pdf: bytes, dots_per_inch: int) -> Pillow.Image:
    """Render the one page."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        picture: Pillow.Image = document[0].render(scale=dots_per_inch / 72).to_pil().convert("RGB")
    finally:
        document.close()
    return picture


def _png(picture: Pillow.Image) -> bytes:
    kept = io.BytesIO()
    picture.save(kept, "PNG", compress_level=4)
    return kept.getvalue()
