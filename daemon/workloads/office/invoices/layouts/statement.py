"""Statement: the account and the amount in a panel at the top right, a remittance slip to cut off at the foot."""

from __future__ import annotations

from daemon.workloads.office.invoices.content import Content
from daemon.workloads.office.invoices.house import House
from daemon.workloads.office.invoices.layouts.parts import party
from daemon.workloads.office.invoices.marks import draw_mark
from daemon.workloads.office.invoices.sheet import Ink, Sheet
from daemon.workloads.office.invoices.tables import GREY, HAIR, TableLook, draw_table

_M = 44.0
_SLIP = 128.0


def statement(sheet: Sheet, content: Content, house: House) -> None:
    """Set an invoice."""
    right = sheet.width - _M
    width = right - _M
    draw_mark(sheet, house, _M, 40, 30, content.short)
    sheet.text(_M + 40, 52, content.supplier[0], Ink(12.5, "bold"), room=width * 0.5 - 44)
    sheet.text(_M + 40, 66, ", ".join(content.supplier[1:]), Ink(8.2, "regular", GREY), room=width * 0.5 - 44)
    panel = width * 0.44
    x = right - panel
    sheet.box(x, 36, panel, 158, None, house.colour, 1.1)
    sheet.box(x, 36, panel, 28, house.colour)
    sheet.text(x + 10, 54, content.title, Ink(12, "bold", (255, 255, 255)), room=panel - 20)
    meta = (content.number, *content.dates, content.reference, *content.order)
    sheet.pairs(
        x + 10,
        80,
        meta,
        gap=0,
        ink=Ink(8.4, "regular", GREY),
        strong=Ink(8.8, "bold"),
        leading=14.6,
        right=right - 10,
    )
    y = 88.0
    for label, value in (*content.supplier_ids, *content.supplier_contact):
        sheet.text(_M, y, f"{label}: {value}", Ink(8.6), room=width * 0.5)
        y += 12.5
    sheet.text(_M, 172, content.customer_label, Ink(8, "bold", house.colour))
    y = party(sheet, _M, 188, content.customer, content.customer_ids, size=9, width=width * 0.52)
    y = draw_table(
        sheet,
        _M,
        max(y, 244) + 10,
        width,
        content.lines,
        TableLook(size=8.4, height=18, head_fill=(236, 238, 241), head_line=None, grid=HAIR, rows=HAIR),
    )
    y += 18
    start = _M + width * 0.5
    left_low = sheet.paragraph(_M, y, width * 0.42, content.note, Ink(8.2, "regular", GREY))
    sheet.text(_M, left_low + 4, f"{content.issued_by[0]}: {content.issued_by[1]}", Ink(8.4))
    if content.recap is not None and len(content.recap.rows) > 1:
        sheet.text(start, y, content.recap_label, Ink(8.4, "bold"))
        y = draw_table(
            sheet,
            start,
            y + 4,
            right - start,
            content.recap,
            TableLook(size=8, height=14, head_height=15, pad=3, head_line=GREY),
        )
        y += 20
    else:
        y = sheet.pairs(start, y, content.totals, gap=0, ink=Ink(8.8), strong=Ink(8.8), leading=14.5, right=right)
    sheet.line(start, y - 8, right, y - 8, house.colour, 1.2)
    sheet.text(start, y + 9, content.grand[0], Ink(9.6, "bold"), room=124)
    sheet.text(right, y + 10, content.grand[1], Ink(13.5, "bold"), "right", 118)
    slip = sheet.height - _SLIP - 34
    for dash in range(int(width // 7)):
        sheet.line(_M + dash * 7, slip, _M + dash * 7 + 4, slip, GREY, 0.6)
    sheet.text(_M, slip + 18, content.payment_label, Ink(9, "bold", house.colour))
    sheet.pairs(
        _M, slip + 34, content.payment, gap=108, ink=Ink(8.4, "regular", GREY), strong=Ink(8.8, "bold"), leading=14
    )
    box = width * 0.3
    sheet.box(right - box, slip + 12, box, 84, house.tint(0.08))
    sheet.text(right - box + 10, slip + 28, content.reference[0], Ink(7.6, "regular", GREY))
    sheet.text(right - box + 10, slip + 42, content.reference[1], Ink(11, "bold"))
    sheet.text(right - box + 10, slip + 62, content.grand[0], Ink(7.6, "regular", GREY))
    sheet.text(right - box + 10, slip + 79, content.grand[1], Ink(12, "bold"))
    if content.register:
        sheet.text(_M, sheet.height - 26, content.register, Ink(6.8, "regular", GREY), room=width - 60)
    sheet.text(right, sheet.height - 26, content.page, Ink(6.8, "regular", GREY), "right")
