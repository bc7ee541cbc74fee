"""Letter: a business letter with a letterhead, an address in the window, a subject line and a signature."""

from __future__ import annotations

from daemon.workloads.office.invoices.content import Content
from daemon.workloads.office.invoices.house import House
from daemon.workloads.office.invoices.layouts.parts import footer
from daemon.workloads.office.invoices.marks import sign
from daemon.workloads.office.invoices.sheet import Ink, Sheet
from daemon.workloads.office.invoices.tables import GREY, HAIR, TableLook, draw_table

_M = 58.0


def letter(sheet: Sheet, content: Content, house: House) -> None:
    """Set an invoice."""
    right = sheet.width - _M
    width = right - _M
    middle = sheet.width / 2
    sheet.text(middle, 56, content.supplier[0], Ink(17, "bold", house.colour), "center", width)
    sheet.text(middle, 72, ", ".join(content.supplier[1:]), Ink(8.6), "center")
    contact = "  •  ".join(value for _, value in content.supplier_contact)
    sheet.text(middle, 85, contact, Ink(8.2, "regular", GREY), "center", width)
    identifiers = "   ".join(f"{label}: {value}" for label, value in content.supplier_ids)
    sheet.text(middle, 98, identifiers, Ink(8.6), "center")
    sheet.line(_M, 108, right, 108, house.colour, 1.2)
    sheet.line(_M, 111, right, 111, house.colour, 0.4)
    sheet.text(_M, 142, f"{content.customer_label}:", Ink(8, "italic", GREY))
    y = 158.0
    for number, line in enumerate(content.customer):
        sheet.text(_M, y, line, Ink(10.2, "bold" if number == 0 else "regular"), room=width * 0.5)
        y += 14
    for label, value in content.customer_ids:
        sheet.text(_M, y + 2, f"{label}: {value}", Ink(8.8))
        y += 12
    sheet.pairs(
        _M + width * 0.56,
        142,
        (*content.dates, content.reference, *content.order),
        gap=112,
        ink=Ink(8.6),
        strong=Ink(8.8, "bold"),
        leading=14,
    )
    sheet.text(_M, 252, content.title, Ink(14, "bold"), room=width * 0.58)
    sheet.text(right, 252, f"{content.number[0]}: {content.number[1]}", Ink(10.5, "bold"), "right", width * 0.4)
    sheet.text(_M, 274, content.greeting, Ink(9.4))
    y = draw_table(
        sheet,
        _M,
        284,
        width,
        content.lines,
        TableLook(size=8.8, height=18, rows=None, head_line=GREY, end_line=GREY, pad=3),
    )
    y += 20
    start = _M + width * 0.45
    y = sheet.pairs(start, y, content.totals, gap=0, ink=Ink(9), strong=Ink(9), leading=14, right=right - 3)
    sheet.line(start, y - 7, right, y - 7, GREY, 0.6)
    sheet.text(start, y + 8, content.grand[0], Ink(10, "bold"))
    sheet.text(right - 3, y + 8, content.grand[1], Ink(11.5, "bold"), "right")
    sheet.line(start, y + 14, right, y + 14, GREY, 0.6)
    sheet.line(start, y + 16, right, y + 16, GREY, 0.6)
    y += 42
    sheet.text(_M, y, f"{content.payment_label}:", Ink(9, "bold"))
    y = sheet.pairs(_M, y + 15, content.payment, gap=120, ink=Ink(9), strong=Ink(9), leading=13)
    y = sheet.paragraph(_M, y + 8, width, f"{content.note} {content.thanks}".strip(), Ink(9))
    y = min(y + 50, sheet.height - 74)
    sign(sheet, house.draws.branch("signature"), _M + 4, y - 14, 92)
    sheet.text(_M, y + 8, content.issued_by[1], Ink(9.2))
    sheet.text(_M, y + 20, content.issued_by[0], Ink(7.6, "italic", GREY))
    sheet.line(_M, sheet.height - 48, right, sheet.height - 48, HAIR)
    footer(sheet, content, _M, sheet.height - 36, Ink(7.2, "italic", GREY))
