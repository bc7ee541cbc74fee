"""Ledger: fixed pitch and ruled lines, as a matrix printer or an old accounting system prints."""

from __future__ import annotations

from daemon.workloads.office.invoices.content import Content
from daemon.workloads.office.invoices.house import House
from daemon.workloads.office.invoices.sheet import BLACK, Ink, Sheet
from daemon.workloads.office.invoices.tables import TableLook, draw_table

_M = 44.0
_INK = Ink(8)
_BOLD = Ink(8, "bold")


def ledger(sheet: Sheet, content: Content, house: House) -> None:
    """Set an invoice; a printer of this kind knows no colour."""
    del house
    right = sheet.width - _M
    width = right - _M
    half = width / 2
    sheet.text(_M, 50, content.title.upper(), Ink(12, "bold"), room=half + 20)
    sheet.text(right, 50, f"{content.number[0]}: {content.number[1]}", Ink(9.5, "bold"), "right", half - 30)
    _rule(sheet, 58, right)
    y = 74.0
    sheet.text(_M, y, f"{content.supplier_label}:", _INK)
    sheet.text(_M + half, y, f"{content.customer_label}:", _INK)
    left_y = _party(sheet, _M + 8, y + 14, content.supplier, content.supplier_ids, half - 20)
    for label, value in content.supplier_contact[:2]:
        sheet.text(_M + 8, left_y, f"{label}: {value}", _INK, room=half - 20)
        left_y += 11.5
    right_y = _party(sheet, _M + half + 8, y + 14, content.customer, content.customer_ids, half - 12)
    y = max(left_y, right_y) + 2
    _rule(sheet, y, right, 0.5)
    y += 15
    below = sheet.pairs(_M, y, (*content.dates, content.reference), gap=138, ink=_INK, strong=_BOLD, leading=12)
    other = sheet.pairs(_M + half, y, content.order, gap=126, ink=_INK, strong=_INK, leading=12)
    y = max(below, other) - 3
    _rule(sheet, y, right)
    y = draw_table(
        sheet,
        _M,
        y + 3,
        width,
        content.lines,
        TableLook(size=7.6, height=14, head_height=17, head=Ink(7.4, "bold"), head_line=BLACK, rows=None, pad=2),
    )
    _rule(sheet, y + 4, right)
    y += 22
    if content.recap is not None:
        sheet.text(_M, y, f"{content.recap_label}:", _BOLD)
        y = draw_table(
            sheet,
            _M,
            y + 3,
            width * 0.72,
            content.recap,
            TableLook(size=7.8, height=13, head_height=15, rows=None, pad=2),
        )
        _rule(sheet, y + 4, right, 0.5)
        y += 22
    sheet.text(_M, y, f"{content.grand[0].upper()}:", Ink(10.5, "bold"))
    sheet.text(right, y, content.grand[1], Ink(12, "bold"), "right")
    _rule(sheet, y + 8, right)
    _rule(sheet, y + 11, right)
    y += 30
    sheet.text(_M, y, f"{content.payment_label}:", _BOLD)
    y = sheet.pairs(_M + 8, y + 13, content.payment, gap=140, ink=_INK, strong=_INK, leading=12)
    y = sheet.paragraph(_M, y + 12, width, content.note, _INK)
    sheet.text(_M, y + 12, f"{content.issued_by[0]}: {content.issued_by[1]}", _INK)
    if content.register:
        sheet.paragraph(_M, y + 30, width, content.register, Ink(7))
    sheet.text(right, sheet.height - 34, content.page, Ink(7), "right")


def _party(
    sheet: Sheet, x: float, y: float, lines: tuple[str, ...], ids: tuple[tuple[str, str], ...], width: float
) -> float:
    for number, line in enumerate((*lines, *(f"{label}: {value}" for label, value in ids))):
        sheet.text(x, y, line, Ink(8.6, "bold") if number == 0 else _INK, room=width)
        y += 11.5
    return y


def _rule(sheet: Sheet, y: float, right: float, thick: float = 1.0) -> None:
    sheet.line(_M, y, right, y, BLACK, thick)
