"""Compact: dense grey panels, small type, everything in the upper half; as wholesalers print."""

from __future__ import annotations

from daemon.workloads.office.invoices.content import Content
from daemon.workloads.office.invoices.house import House
from daemon.workloads.office.invoices.layouts.parts import footer, party
from daemon.workloads.office.invoices.marks import draw_mark
from daemon.workloads.office.invoices.sheet import Ink, Sheet
from daemon.workloads.office.invoices.tables import GREY, HAIR, TableLook, draw_table

_M = 30.0
_PANEL = (240, 241, 244)


def compact(sheet: Sheet, content: Content, house: House) -> None:
    """Set an invoice."""
    right = sheet.width - _M
    width = right - _M
    draw_mark(sheet, house, _M, 26, 24, content.short)
    sheet.text(_M + 32, 43, content.title, Ink(13, "bold"), room=width * 0.5)
    sheet.text(right, 36, content.number[0], Ink(7, "regular", GREY), "right")
    sheet.text(right, 50, content.number[1], Ink(12, "bold"), "right")
    third = (width - 12) / 3
    top = 60.0
    for number in range(3):
        sheet.box(_M + number * (third + 6), top, third, 118, _PANEL)
    label = Ink(7, "bold", house.colour)
    sheet.text(_M + 7, top + 13, content.supplier_label, label)
    party(sheet, _M + 7, top + 27, content.supplier, content.supplier_ids, size=8, width=third - 14)
    x = _M + third + 6
    sheet.text(x + 7, top + 13, content.customer_label, label)
    party(sheet, x + 7, top + 27, content.customer, content.customer_ids, size=8, width=third - 14)
    x += third + 6
    meta = (*content.dates, *content.order)
    sheet.pairs(
        x + 7, top + 15, meta, gap=0, ink=Ink(7.4), strong=Ink(7.8, "bold"), leading=13.5, right=x + third - 7
    )
    low = top + 124
    sheet.box(_M, low, width, 52, _PANEL)
    cells = (content.reference, *content.payment)
    for number, (name, value) in enumerate(cells):
        at = _M + 7 + (number % 4) * (width / 4)
        y = low + 12 + (number // 4) * 25
        sheet.text(at, y, name, Ink(6.6, "regular", GREY))
        sheet.text(at, y + 10, value, Ink(8, "bold"), room=width / 4 - 10)
    y = draw_table(
        sheet,
        _M,
        low + 62,
        width,
        content.lines,
        TableLook(
            size=7.8,
            height=15,
            head_fill=house.tint(0.18),
            head_height=16,
            head=Ink(7.4, "bold"),
            zebra=(248, 248, 250),
            rows=HAIR,
            head_line=house.colour,
        ),
    )
    y += 12
    start = _M + width * 0.56
    low_left = y
    if content.recap is not None:
        low_left = draw_table(
            sheet,
            _M,
            y,
            width * 0.5,
            content.recap,
            TableLook(size=7.4, height=13, head_height=14, pad=3, head_line=GREY),
        )
    sheet.box(start, y, right - start, 34, house.tint(0.14))
    sheet.text(start + 8, y + 13, content.grand[0], Ink(8, "bold"))
    sheet.text(right - 8, y + 27, content.grand[1], Ink(14, "bold"), "right")
    y = max(low_left, y + 34) + 20
    y = sheet.paragraph(_M, y, width, f"{content.note} {content.thanks}".strip(), Ink(7.8))
    contact = "   ".join(f"{name}: {value}" for name, value in (content.issued_by, *content.supplier_contact))
    sheet.text(_M, y + 8, contact, Ink(7.6, "regular", GREY), room=width)
    footer(sheet, content, _M, sheet.height - 26, Ink(6.6, "regular", GREY))
