"""Parts that several layouts share: a party's block, and the rows below the lines."""

from __future__ import annotations

from daemon.workloads.office.invoices.content import Content, Rows
from daemon.workloads.office.invoices.sheet import BLACK, Ink, Sheet


def party(sheet: Sheet, x: float, y: float, lines: tuple[str, ...], ids: Rows, *, size: float, width: float) -> float:
    """Write a party: name, address, identifiers; return the next baseline."""
    sheet.text(x, y, lines[0], Ink(size + 1.6, "bold"), room=width)
    y += size * 1.6
    for line in lines[1:]:
        sheet.text(x, y, line, Ink(size), room=width)
        y += size * 1.4
    y += size * 0.4
    for label, value in ids:
        text = f"{label}: {value}"
        sheet.text(x, y, text, Ink(size), room=width)
        y += size * 1.4
    return y


def footer(sheet: Sheet, content: Content, x: float, y: float, ink: Ink) -> None:
    """Write the register entry and the page count at the foot."""
    if content.register:
        sheet.text(x, y, content.register, ink, room=sheet.width - 2 * x - 70)
    sheet.text(sheet.width - x, y, content.page, ink, "right")


def heading(sheet: Sheet, x: float, y: float, text: str, ink: Ink | None = None) -> None:
    """Write a small heading."""
    sheet.text(x, y, text, ink or Ink(8, "bold", BLACK))
