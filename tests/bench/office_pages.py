"""The laws of pages over many invoices: ``python tests/bench/office_pages.py [PAIRS]``.

Draws the PDFs of as many pairs as given (1,000) and says of how many a truth value is not readable in the text layer,
a text leaves the page or covers another one, or a character has no glyph (which ends it). The tests hold the same
over one page of each layout and variant; this is for whoever changes a layout. Ends with code 1 if any page is wrong.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from office_invoices import misplaced, page_of, twins, unreadable


def main(pairs: int) -> int:
    """Draw, look, print."""
    begun, pages, wrong = time.process_time(), 0, 0
    for both in twins(pairs):
        for invoice in both:
            pdf = page_of(invoice)
            found = {"unreadable": unreadable(invoice, pdf), "misplaced": misplaced(invoice, pdf)}
            pages += 1
            if any(found.values()):
                wrong += 1
                print(invoice.outline.place, invoice.language, found)
    print(f"{pages} pages, {wrong} of them wrong, {time.process_time() - begun:.0f} s of the processor")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000))
