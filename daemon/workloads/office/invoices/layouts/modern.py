"""Modern: much white, a mark, a large title, thin lines; as web invoicing services make them."""

from __future__ import annotations

from daemon.workloads.office.invoices.content import Content
from daemon.workloads.office.invoices.house import House
from daemon.workloads.office.invoices.layouts.parts import footer, party
from daemon.workloads.office.invoices.marks import draw_mark
from daemon.workloads.office.invoices.sheet import Ink, Sheet
from daemon.workloads.office.invoices.tables import GREY, HAIR, TableLook, draw_table

_M = 52.0


def modern(sheet: Sheet, content: Content, house: House) -> None:
    """Set an invoice."""
    right = sheet.width - _M
    width = right - _M
    draw_mark(sheet, house, _M, 48, 34, content.short)
    sheet.text(_M + 44, 70, content.short, Ink(13, "bold", house.colour), room=width * 0.42)
    sheet.text(right, 62, content.title, Ink(18, "bold"), "right", width * 0.46)
    sheet.text(right, 78, f"{content.number[0]} {content.number[1]}", Ink(10, "regular", GREY), "right")
    label = Ink(7.8, "bold", house.colour)
    column = width / 3
    sheet.text(_M, 122, content.supplier_label.upper(), label)
    party(sheet, _M, 138, content.supplier, content.supplier_ids, size=8.6, width=column - 12)
    sheet.text(_M + column, 122, content.customer_label.upper(), label)
    party(sheet, _M + column, 138, content.customer, content.customer_ids, size=8.6, width=column - 22)
    x = _M + 2 * column - 12  # room for the longest label before the longest date
    sheet.pairs(
        x,
        122,
        (*content.dates, content.reference),
        gap=0,
        ink=Ink(8, "regular", GREY),
        strong=Ink(8.6, "bold"),
        leading=17,
        right=right,
    )
    sheet.pairs(
        x, 196, content.order, gap=0, ink=Ink(7.6, "regular", GREY), strong=Ink(7.6), leading=12.5, right=right
    )
    y = draw_table(
        sheet,
        _M,
        252,
        width,
        content.lines,
        TableLook(size=8.6, height=23, head=Ink(7.8, "bold", GREY), head_line=house.colour, rows=HAIR, pad=3),
    )
    y += 24
    start = _M + width * 0.52
    y = sheet.pairs(
        start, y, content.totals, gap=0, ink=Ink(8.8, "regular", GREY), strong=Ink(9), leading=16, right=right - 3
    )
    sheet.box(start - 10, y - 4, right - start + 10, 32, house.colour)
    sheet.text(start, y + 16, content.grand[0], Ink(9.5, "bold", (255, 255, 255)), room=112)
    sheet.text(right - 8, y + 17, content.grand[1], Ink(14, "bold", (255, 255, 255)), "right", 118)
    low = max(y + 70, sheet.height - 250)
    sheet.text(_M, low, content.payment_label.upper(), label)
    sheet.pairs(_M, low + 17, content.payment, gap=98, ink=Ink(8.4, "regular", GREY), strong=Ink(8.6), leading=14)
    aside = _M + width * 0.63  # behind the longest name of a bank
    sheet.text(aside, low, content.issued_by[0].upper(), label)
    sheet.text(aside, low + 17, content.issued_by[1], Ink(8.6))
    for number, (_, value) in enumerate(content.supplier_contact):
        sheet.text(aside, low + 31 + 13 * number, value, Ink(8.2, "regular", GREY))
    sheet.paragraph(_M, low + 118, width, f"{content.note} {content.thanks}".strip(), Ink(8.2, "italic", GREY))
    sheet.line(_M, sheet.height - 48, right, sheet.height - 48, HAIR)
    footer(sheet, content, _M, sheet.height - 34, Ink(7, "regular", GREY))
