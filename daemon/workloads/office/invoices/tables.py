"""Tables on a sheet: one way to set columns and rows, many ways for them to look."""

from __future__ import annotations

import msgspec

from daemon.workloads.office.invoices.content import Table
from daemon.workloads.office.invoices.sheet import BLACK, Colour, Ink, Sheet

GREY: Colour = (120, 122, 128)
HAIR: Colour = (205, 207, 212)


class TableLook(msgspec.Struct, frozen=True, kw_only=True):
    """How a table looks. ``zebra`` fills every other row; ``grid`` draws every cell; ``rows`` a line below each."""

    size: float = 8.6
    height: float = 19.0
    head: Ink | None = None
    head_fill: Colour | None = None
    head_height: float = 20.0
    head_line: Colour | None = BLACK
    zebra: Colour | None = None
    grid: Colour | None = None
    rows: Colour | None = HAIR
    end_line: Colour | None = None
    pad: float = 5.0


def draw_table(sheet: Sheet, x: float, y: float, width: float, table: Table, look: TableLook) -> float:
    """Draw a table from its upper left corner; return the y of its lower edge."""
    whole = sum(column.share for column in table.columns)
    edges = [x]
    for column in table.columns:
        edges.append(edges[-1] + width * column.share / whole)
    head = look.head or Ink(look.size, "bold")
    if look.head_fill is not None:
        sheet.box(x, y, width, look.head_height, look.head_fill)
    headings = tuple(column.heading for column in table.columns)
    _row(sheet, edges, y + look.head_height * 0.66, table, headings, head, pad=look.pad)
    top = y
    y += look.head_height
    if look.head_line is not None:
        sheet.line(x, y, x + width, y, look.head_line, 0.9)
    for number, row in enumerate(table.rows):
        if look.zebra is not None and number % 2 == 0:
            sheet.box(x, y, width, look.height, look.zebra)
        _row(sheet, edges, y + look.height * 0.66, table, row, Ink(look.size), pad=look.pad)
        y += look.height
        if look.rows is not None:
            sheet.line(x, y, x + width, y, look.rows, 0.5)
    if look.grid is not None:
        sheet.box(x, top, width, y - top, None, look.grid, 0.8)
        for edge in edges[1:-1]:
            sheet.line(edge, top, edge, y, look.grid, 0.5)
    if look.end_line is not None:
        sheet.line(x, y, x + width, y, look.end_line, 0.9)
    return y


def _row(
    sheet: Sheet, edges: list[float], y: float, table: Table, cells: tuple[str, ...], ink: Ink, *, pad: float
) -> None:
    for place, (column, cell) in enumerate(zip(table.columns, cells, strict=True)):
        left, right = edges[place], edges[place + 1]
        room = right - left - 2 * pad
        if column.right:
            sheet.text(right - pad, y, cell, ink, "right", room)
        else:
            sheet.text(left + pad, y, cell, ink, "left", room)
