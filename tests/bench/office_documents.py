"""How fast invoices are made: ``python tests/bench/office_documents.py``.

150 pairs with all tiers, as ``messwerk office generate`` makes them, without writing them. Beside it what the
libraries need underneath: fpdf2 for a page with as many texts, in the same cut typefaces, and Pillow and PDFium for
rendering and encoding a page of the tier. Processor seconds, so that other work does not count.
"""

from __future__ import annotations

import io
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from fpdf import FPDF
from office_invoices import LANGUAGES, STREAMS, invoice_of, page_of

from daemon.workloads.office.dataset import PAIRS, plan
from daemon.workloads.office.documents import truths
from daemon.workloads.office.invoices.pictures import given_of, render, text_layer
from daemon.workloads.office.invoices.typefaces import face

TEXTS = 110  # that an invoice has on average


def spent_s(run: Callable[[], object]) -> float:
    """Seconds of this process on the processor."""
    begun = time.process_time()
    run()
    return time.process_time() - begun


def bare_page() -> bytes:
    """Draw a page of as many texts by fpdf2 alone."""
    pdf = FPDF(unit="pt", format="A4")
    for style, name in (("", "regular"), ("B", "bold")):
        pdf.add_font("lato", style, face("lato", name).path)
    pdf.add_page()
    for number in range(TEXTS):
        pdf.set_font("lato", "B" if number % 4 == 0 else "", 8 + number % 3)
        pdf.text(40 + number % 5 * 100, 40 + number * 6, f"Příliš žluťoučký kůň {number * 37},50 Kč")
    return bytes(pdf.output())


def bare_picture(pdf: bytes, tier: str) -> None:
    """Render and encode a page by PDFium and Pillow alone, in the tier's resolution and format."""
    if tier == "pdf-text":
        text_layer(pdf)
        return
    picture = render(pdf, 120 if tier == "image" else 130)
    kept = io.BytesIO()
    picture.save(kept, "PNG" if tier == "image" else "JPEG", **({"compress_level": 4} if tier == "image" else {}))


def main() -> None:
    """Print the figures."""
    places = plan("invoice", PAIRS)
    page_of(invoice_of(places[0], "cs"))
    for family in ("lato", "fira", "barlow", "serif", "mono"):
        for style in ("regular", "bold"):
            face(family, style)
    print(f"truths of {len(places)} pairs: {spent_s(lambda: [truths(place, STREAMS) for place in places]):.2f} s")
    pages: list[tuple[str, bytes]] = []
    invoices = [invoice_of(place, language) for place in places for language in LANGUAGES]
    drawing = spent_s(lambda: pages.extend((str(each.outline.place.tier), page_of(each)) for each in invoices))
    bare = spent_s(lambda: [bare_page() for _ in invoices])
    print(f"{len(pages)} pages: {drawing:.1f} s, {drawing / len(pages) * 1000:.0f} ms each; "
          f"fpdf2 alone {bare:.1f} s; ratio {drawing / bare:.2f}")  # fmt: skip
    made: dict[str, float] = defaultdict(float)
    alone: dict[str, float] = defaultdict(float)
    counts: dict[str, int] = defaultdict(int)
    for number, (tier, pdf) in enumerate(pages):
        wear = STREAMS.of("invoice", "open", number, "bench")
        made[tier] += spent_s(lambda pdf=pdf, tier=tier, wear=wear: given_of(pdf, tier, wear))  # type: ignore[misc, arg-type]
        alone[tier] += spent_s(lambda pdf=pdf, tier=tier: bare_picture(pdf, tier))  # type: ignore[misc]
        counts[tier] += 1
    for tier, count in counts.items():
        print(f"{tier}: {made[tier] / count * 1000:.0f} ms each; rendered and encoded alone "
              f"{alone[tier] / count * 1000:.0f} ms; ratio {made[tier] / max(alone[tier], 1e-9):.2f}")  # fmt: skip
    whole = drawing + sum(made.values())
    print(f"150 pairs with all tiers: {whole:.1f} s, {whole / len(places) * 1000:.0f} ms a pair")


if __name__ == "__main__":
    main()
