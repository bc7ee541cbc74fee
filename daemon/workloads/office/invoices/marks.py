"""Firms' marks: small drawings that stand for nobody, and a signature in ink."""

from __future__ import annotations

from daemon.workloads.office.invoices.house import House
from daemon.workloads.office.invoices.sheet import Colour, Ink, Sheet
from daemon.workloads.seeding import Draws, wave

WHITE: Colour = (255, 255, 255)
_INK_BLUE: Colour = (36, 52, 140)


def draw_mark(sheet: Sheet, house: House, x: float, y: float, size: float, name: str) -> None:
    """Draw a mark into a square: one of six, in the house's colour, two of them with the firm's first letter."""
    colour, draws = house.colour, house.draws
    middle_x, middle_y = x + size / 2, y + size / 2
    match draws.below(6):
        case 0:
            sheet.disc(middle_x, middle_y, size / 2, colour)
            sheet.text(middle_x, middle_y + size * 0.19, name[0], Ink(size * 0.56, "bold", WHITE), "center")
        case 1:
            sheet.box(x, y, size, size, colour)
            sheet.text(middle_x, middle_y + size * 0.21, name[0], Ink(size * 0.6, "bold", WHITE), "center")
        case 2:
            sheet.shape([(x, y + size), (middle_x, y), (x + size, y + size)], colour)
            sheet.shape([(x + size * 0.3, y + size), (middle_x, y + size * 0.6), (x + size * 0.7, y + size)], WHITE)
        case 3:
            for step in range(3):
                sheet.box(
                    x + step * size * 0.36,
                    y + size * (0.6 - step * 0.3),
                    size * 0.26,
                    size * (0.4 + step * 0.3),
                    colour,
                )
        case 4:
            sheet.ring(middle_x, middle_y, size * 0.42, colour, size * 0.13)
            sheet.disc(middle_x, middle_y, size * 0.16, colour)
        case _:
            half = size / 2
            sheet.shape([(middle_x, y), (x + size, middle_y), (middle_x, y + size), (x, middle_y)], colour)
            sheet.box(middle_x - half * 0.28, middle_y - half * 0.28, half * 0.56, half * 0.56, WHITE)


def sign(sheet: Sheet, draws: Draws, x: float, y: float, width: float) -> None:
    """Write a signature that nobody can read: loops that grow smaller."""
    phase, lean = draws.real(0, 1), draws.real(0.5, 1.2)
    points = []
    steps = 90
    for step in range(steps + 1):
        along = step / steps
        height = 13 * (1 - along * 0.75) * wave(phase + along * 5.3)
        back = 6 * wave(phase + along * 5.3 + 0.3)
        points.append((x + width * along + back * lean, y - height - along * 5))
    sheet.stroke(points, _INK_BLUE, 0.9)
