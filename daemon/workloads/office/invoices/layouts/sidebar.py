"""Sidebar: a coloured column with the supplier and the account on the left, the invoice beside it."""

from __future__ import annotations

from daemon.workloads.office.invoices.content import Content
from daemon.workloads.office.invoices.house import House
from daemon.workloads.office.invoices.layouts.parts import party
from daemon.workloads.office.invoices.marks import draw_mark
from daemon.workloads.office.invoices.sheet import Ink, Sheet
from daemon.workloads.office.invoices.tables import GREY, TableLook, draw_table

_SIDE = 168.0
_PAD = 20.0


def sidebar(sheet: Sheet, content: Content, house: House) -> None:
    """Set an invoice."""
    sheet.box(0, 0, _SIDE, sheet.height, house.tint(0.1))
    sheet.box(0, 0, 6, sheet.height, house.colour)
    draw_mark(sheet, house, _PAD, 40, 46, content.short)
    label = Ink(8, "bold", house.colour)
    room = _SIDE - _PAD - 12
    sheet.text(_PAD, 118, content.supplier_label, label)
    y = party(sheet, _PAD, 134, content.supplier, content.supplier_ids, size=8.6, width=room) + 6
    for _, value in content.supplier_contact:
        sheet.text(_PAD, y, value, Ink(8, "regular", GREY), room=room)
        y += 12
    y += 22
    sheet.text(_PAD, y, content.payment_label, label)
    y += 15
    for name, value in content.payment:
        sheet.text(_PAD, y, name, Ink(7.2, "regular", GREY))
        sheet.text(_PAD, y + 11, value, Ink(8.6, "bold"), room=room)
        y += 26
    name, value = content.reference
    sheet.text(_PAD, y, name, Ink(7.2, "regular", GREY))
    sheet.text(_PAD, y + 12, value, Ink(9.6, "bold"), room=room)
    left, right = _SIDE + 28, sheet.width - 36
    width = right - left
    sheet.text(left, 64, content.title, Ink(19, "bold", house.colour), room=width)
    sheet.text(left, 84, f"{content.number[0]}: {content.number[1]}", Ink(11, "bold"))
    sheet.text(left, 122, content.customer_label, label)
    party(sheet, left, 138, content.customer, content.customer_ids, size=9, width=width * 0.48)
    meta = (*content.dates, *content.order)
    sheet.pairs(
        left + width * 0.5,
        138,
        meta,
        gap=0,
        ink=Ink(8, "regular", GREY),
        strong=Ink(8.4, "bold"),
        leading=14.5,
        right=right,
    )
    y = draw_table(
        sheet,
        left,
        252,
        width,
        content.lines,
        TableLook(
            size=7.8, height=20, head=Ink(7.4, "bold", (255, 255, 255)), head_fill=house.colour, head_line=None, pad=4
        ),
    )
    y += 20
    if content.recap is not None:
        sheet.text(left, y, content.recap_label, label)
        y = draw_table(
            sheet,
            left,
            y + 5,
            width,
            content.recap,
            TableLook(size=8, height=16, head_line=house.colour, head_height=17, pad=4),
        )
    y += 24
    sheet.line(left, y - 12, right, y - 12, house.colour, 1.4)
    sheet.text(left, y + 6, content.grand[0], Ink(10.5, "bold"), room=width * 0.5)
    sheet.text(right, y + 8, content.grand[1], Ink(17, "bold", house.colour), "right", width * 0.48)
    y = sheet.paragraph(left, y + 44, width, content.note, Ink(8.2, "regular", GREY))
    if content.thanks:
        y = sheet.paragraph(left, y + 4, width, content.thanks, Ink(8.2, "regular", GREY))
    sheet.text(left, y + 14, f"{content.issued_by[0]}: {content.issued_by[1]}", Ink(8.4))
    footer_ink = Ink(6.6, "regular", GREY)
    if content.register:
        sheet.paragraph(left, sheet.height - 46, width - 60, content.register, footer_ink)
    sheet.text(right, sheet.height - 46, content.page, footer_ink, "right")
