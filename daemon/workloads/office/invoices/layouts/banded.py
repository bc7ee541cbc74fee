"""Banded: a band of colour across the top with name and title in white, another one for the total."""

from __future__ import annotations

from daemon.workloads.office.invoices.content import Content
from daemon.workloads.office.invoices.house import House
from daemon.workloads.office.invoices.layouts.parts import party
from daemon.workloads.office.invoices.marks import WHITE
from daemon.workloads.office.invoices.sheet import Ink, Sheet
from daemon.workloads.office.invoices.tables import GREY, TableLook, draw_table

_M = 46.0


def banded(sheet: Sheet, content: Content, house: House) -> None:
    """Set an invoice."""
    right = sheet.width - _M
    width = right - _M
    half = width / 2
    sheet.box(0, 0, sheet.width, 92, house.colour)
    sheet.text(_M, 46, content.short, Ink(19, "bold", WHITE), room=half)
    sheet.text(_M, 64, content.supplier_contact[2][1], Ink(8.6, "regular", house.tint(0.25)))
    sheet.text(right, 44, content.title, Ink(14, "bold", WHITE), "right", half - 10)
    sheet.text(right, 62, f"{content.number[0]}: {content.number[1]}", Ink(10, "regular", WHITE), "right")
    sheet.box(0, 92, sheet.width, 50, house.tint(0.12))
    facts = (*content.dates, content.reference)
    for number, (name, value) in enumerate(facts):
        x = _M + number * width / len(facts)
        sheet.text(x, 112, name, Ink(7.4, "regular", GREY), room=width / len(facts) - 8)
        sheet.text(x, 128, value, Ink(10, "bold"), room=width / len(facts) - 8)
    label = Ink(8, "bold", house.colour)
    sheet.text(_M, 168, content.supplier_label, label)
    party(sheet, _M, 184, content.supplier, content.supplier_ids, size=9, width=half - 20)
    sheet.text(_M + half, 168, content.customer_label, label)
    y = party(sheet, _M + half, 184, content.customer, content.customer_ids, size=9, width=half)
    line = "   ".join(f"{name}: {value}" for name, value in content.order)
    sheet.text(_M, max(y, 262) + 8, line, Ink(8.2, "regular", GREY), room=width)
    y = draw_table(
        sheet,
        _M,
        max(y, 262) + 20,
        width,
        content.lines,
        TableLook(
            size=8.6,
            height=20,
            head=Ink(8, "bold", house.colour),
            head_line=house.colour,
            zebra=house.tint(0.06),
            rows=None,
            end_line=house.colour,
        ),
    )
    y += 20
    start = _M + width * 0.5
    y = sheet.pairs(start, y, content.totals, gap=0, ink=Ink(8.8), strong=Ink(8.8), leading=15, right=right - 5)
    sheet.box(start - 10, y - 2, sheet.width - start + 10, 30, house.colour)
    sheet.text(start, y + 17, content.grand[0], Ink(9.5, "bold", WHITE), room=112)
    sheet.text(right - 5, y + 18, content.grand[1], Ink(14, "bold", WHITE), "right", 122)
    y += 64
    sheet.text(_M, y, content.payment_label, label)
    low = sheet.pairs(
        _M, y + 16, content.payment, gap=104, ink=Ink(8.6, "regular", GREY), strong=Ink(8.8, "bold"), leading=14
    )
    low = sheet.paragraph(_M, low + 12, width, content.note, Ink(8.4))
    sheet.text(_M, low + 6, f"{content.issued_by[0]}: {content.issued_by[1]}", Ink(8.4))
    sheet.box(0, sheet.height - 40, sheet.width, 40, house.tint(0.12))
    contact = "   ".join(f"{name}: {value}" for name, value in content.supplier_contact[:2])
    sheet.text(_M, sheet.height - 24, contact, Ink(7.8, "regular", GREY))
    sheet.text(right, sheet.height - 24, content.page, Ink(7.8, "regular", GREY), "right")
    if content.register:
        sheet.text(_M, sheet.height - 12, content.register, Ink(6.8, "regular", GREY))
