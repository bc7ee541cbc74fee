"""The page that layouts draw on: text, lines and shapes in points from the top left corner, over fpdf2.

Every character must be in the font: what is missing is an error, never an empty box. What a layout draws is text in
the PDF's text layer, in the order in which it is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Literal

import msgspec
from fpdf import FPDF

from daemon.workloads.office.invoices.typefaces import Family, Style, face
from schemas.errors import MesswerkError

Colour = tuple[int, int, int]
Align = Literal["left", "right", "center"]

BLACK: Colour = (25, 25, 28)
_LETTERS: dict[Style, Literal["", "B", "I"]] = {"regular": "", "bold": "B", "italic": "I"}


class GlyphMissingError(MesswerkError):
    """A text has a character that its font does not have."""


class Ink(msgspec.Struct, frozen=True):
    """How a text looks."""

    size: float = 9.0
    style: Style = "regular"
    colour: Colour = BLACK
    family: Family | None = None


class Sheet:
    """One page."""

    def __init__(self, size: tuple[float, float], family: Family) -> None:
        self.width, self.height = size
        self._family: Family = family
        self._pdf = FPDF(unit="pt", format=size)
        self._pdf.set_auto_page_break(auto=False)
        self._pdf.set_creation_date(datetime(2026, 1, 1, tzinfo=UTC))
        self._pdf.set_producer("")
        self._pdf.add_page()
        self._added: set[tuple[Family, Style]] = set()

    def finished(self) -> bytes:
        """Return the PDF."""
        return bytes(self._pdf.output())

    def measure(self, text: str, ink: Ink) -> float:
        """Width of a text in points."""
        self._take(ink)
        return float(self._pdf.get_string_width(text))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        ink: Ink | None = None,
        align: Align = "left",
        room: float = 0,
    ) -> None:
        """Write on a baseline; ``room`` narrows a text that would be wider by a smaller size."""
        used = ink or Ink()
        self._check(text, used)
        width = self.measure(text, used)
        if room and width > room:
            used = msgspec.structs.replace(used, size=used.size * room / width)
            width = self.measure(text, used)
        self._take(used)
        self._pdf.set_text_color(*used.colour)
        self._pdf.text(x - {"left": 0.0, "right": width, "center": width / 2}[align], y, text)

    def paragraph(self, x: float, y: float, width: float, text: str, ink: Ink, leading: float = 1.35) -> float:
        """Write words on as many lines as they take; return the baseline after the last."""
        for line in self._broken(text, width, ink):
            self.text(x, y, line, ink)
            y += ink.size * leading
        return y

    def pairs(
        self,
        x: float,
        y: float,
        rows: Iterable[tuple[str, str]],
        *,
        gap: float,
        ink: Ink,
        strong: Ink | None = None,
        leading: float = 14.0,
        right: float | None = None,
    ) -> float:
        """Write labels with their values beside them, or flush right at ``right``; return the next baseline."""
        for label, value in rows:
            self.text(x, y, label, ink, room=gap - 4 if right is None else 0)
            if right is None:
                self.text(x + gap, y, value, strong or ink)
            else:
                self.text(right, y, value, strong or ink, "right")
            y += leading
        return y

    def box(  # noqa: PLR0917  # four numbers are one rectangle
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: Colour | None,
        edge: Colour | None = None,
        thick: float = 0.7,
    ) -> None:
        """Draw a rectangle, filled, outlined or both."""
        if fill is not None:
            self._pdf.set_fill_color(*fill)
        if edge is not None:
            self._pdf.set_draw_color(*edge)
            self._pdf.set_line_width(thick)
        kind = f"{'D' if edge is not None else ''}{'F' if fill is not None else ''}"
        self._pdf.rect(x, y, width, height, style=kind)

    def line(self, x0: float, y0: float, x1: float, y1: float, colour: Colour = BLACK, thick: float = 0.7) -> None:
        """Draw a straight line."""
        self._pdf.set_draw_color(*colour)
        self._pdf.set_line_width(thick)
        self._pdf.line(x0, y0, x1, y1)

    def disc(self, x: float, y: float, radius: float, fill: Colour) -> None:
        """Draw a filled circle around a point."""
        self._pdf.set_fill_color(*fill)
        self._pdf.ellipse(x - radius, y - radius, 2 * radius, 2 * radius, style="F")

    def ring(self, x: float, y: float, radius: float, colour: Colour, thick: float) -> None:
        """Draw a circle around a point."""
        self._pdf.set_draw_color(*colour)
        self._pdf.set_line_width(thick)
        self._pdf.ellipse(x - radius, y - radius, 2 * radius, 2 * radius, style="D")

    def shape(self, points: Sequence[tuple[float, float]], fill: Colour) -> None:
        """Draw a filled polygon."""
        self._pdf.set_fill_color(*fill)
        self._pdf.polygon(list(points), style="F")

    def stroke(self, points: Sequence[tuple[float, float]], colour: Colour, thick: float) -> None:
        """Draw an open line through points."""
        self._pdf.set_draw_color(*colour)
        self._pdf.set_line_width(thick)
        self._pdf.polyline(list(points))

    def stamp(self, x: float, y: float, lines: Sequence[str], colour: Colour, angle: float) -> None:
        """Press a rubber stamp: a frame with lines of text, turned."""
        inks = [
            Ink(9.5 if number == 0 else 7.5, "bold" if number == 0 else "regular", colour)
            for number in range(len(lines))
        ]
        width = max(self.measure(line, ink) for line, ink in zip(lines, inks, strict=True)) + 18
        with self._pdf.rotation(angle, x + width / 2, y):
            self.box(x, y, width, 12 * len(lines) + 10, None, colour, 1.3)
            for number, (line, ink) in enumerate(zip(lines, inks, strict=True)):
                self.text(x + width / 2, y + 14 + 12 * number, line, ink, "center")

    def _broken(self, text: str, width: float, ink: Ink) -> list[str]:
        lines: list[str] = []
        for word in text.split(" "):
            if lines and self.measure(f"{lines[-1]} {word}", ink) <= width:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        return lines

    def _take(self, ink: Ink) -> None:
        family = ink.family or self._family
        if (family, ink.style) not in self._added:
            self._pdf.add_font(family, _LETTERS[ink.style], face(family, ink.style).path)
            self._added.add((family, ink.style))
        self._pdf.set_font(family, _LETTERS[ink.style], ink.size)

    def _check(self, text: str, ink: Ink) -> None:
        family = ink.family or self._family
        missing = sorted(set(text) - face(family, ink.style).characters)
        if missing:
            raise GlyphMissingError(
                f"{family} {ink.style} has no glyph for {missing} in {text!r}; take another word or another typeface"
            )
