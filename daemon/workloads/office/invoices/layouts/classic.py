"""Classic: framed boxes for both parties, every cell of the table ruled; as accounting software prints."""

from __future__ import annotations

from daemon.workloads.office.invoices.content import Content
from daemon.workloads.office.invoices.house import House
from daemon.workloads.office.invoices.layouts.parts import footer, party
from daemon.workloads.office.invoices.marks import sign
from daemon.workloads.office.invoices.sheet import BLACK, Ink, Sheet
from daemon.workloads.office.invoices.tables import GREY, TableLook, draw_table

_M = 40.0


def classic(sheet: Sheet, content: Content, house: House) -> None:
    """Set an invoice."""
    right = sheet.width - _M
    width = right - _M
    half = width / 2
    sheet.text(_M, 52, content.title, Ink(15, "bold"), room=half + 60)
    sheet.text(right, 52, f"{content.number[0]}: {content.number[1]}", Ink(11.5, "bold"), "right", half - 70)
    top = 62.0
    sheet.box(_M, top, width, 196, None, BLACK, 0.9)
    sheet.line(_M + half, top, _M + half, top + 196)
    label = Ink(7.5, "regular", GREY)
    sheet.text(_M + 8, top + 14, content.supplier_label, label)
    y = party(sheet, _M + 8, top + 30, content.supplier, content.supplier_ids, size=9, width=half - 16)
    y = sheet.pairs(_M + 8, max(y + 8, top + 118), content.payment, gap=92, ink=Ink(8), strong=Ink(8), leading=11.5)
    sheet.text(_M + half + 8, top + 14, content.customer_label, label)
    party(sheet, _M + half + 8, top + 30, content.customer, content.customer_ids, size=9, width=half - 16)
    sheet.line(_M + half, top + 112, right, top + 112)
    meta = (content.reference, *content.dates, *content.order)
    strong = Ink(8, "bold")
    sheet.pairs(_M + half + 8, top + 125, meta, gap=130, ink=Ink(8), strong=strong, leading=10.6)
    sheet.text(_M, 280, f"{content.greeting}", Ink(8.5, "italic"))
    y = draw_table(
        sheet,
        _M,
        290,
        width,
        content.lines,
        TableLook(size=8.2, height=17, head_fill=(232, 232, 235), grid=BLACK, rows=None, head_height=18),
    )
    y += 16
    if content.recap is not None:
        sheet.text(_M, y + 4, content.recap_label, Ink(8, "bold"))
        low = draw_table(
            sheet,
            _M,
            y + 8,
            half + 10,
            content.recap,
            TableLook(size=7.8, height=14, head_height=15, grid=GREY, rows=None),
        )
    else:
        low = y
    box = half - 26
    sheet.box(right - box, y + 8, box, 40, (242, 242, 244), BLACK, 1.1)
    sheet.text(right - box + 9, y + 23, content.grand[0], Ink(8.5))
    sheet.text(right - 9, y + 41, content.grand[1], Ink(15, "bold"), "right", box - 18)
    y = max(low, y + 48) + 26
    sheet.paragraph(_M, y, half, content.note, Ink(8))
    sheet.text(_M, y + 40, f"{content.issued_by[0]}: {content.issued_by[1]}", Ink(8.5))
    foot = min(y + 96, sheet.height - 70)
    sheet.line(right - 170, foot, right, foot, GREY)
    sheet.text(right - 85, foot + 11, content.stamp_label, label, "center")
    sign(sheet, house.draws.branch("signature"), right - 135, foot - 4, 90)
    sheet.stamp(right - 190, foot - 62, (content.supplier[0], *content.supplier[1:]), (44, 64, 150), 4)
    footer(sheet, content, _M, sheet.height - 34, Ink(7, "regular", GREY))
