"""A firm's house style: colour, mark and manner; every firm has its own, whatever the layout."""

from __future__ import annotations

import msgspec

from daemon.workloads.office.invoices.sheet import Colour
from daemon.workloads.seeding import Draws

COLOURS: tuple[Colour, ...] = (
    (23, 78, 122), (158, 42, 43), (34, 105, 78), (84, 60, 122), (191, 98, 20), (40, 53, 71), (0, 110, 120),
    (120, 40, 90), (70, 90, 30), (30, 64, 175),
)  # fmt: skip


class House(msgspec.Struct, frozen=True):
    """Colour and a stream for what is drawn by chance, such as the mark; a layout may ask for a lighter tint."""

    colour: Colour
    draws: Draws

    def tint(self, share: float) -> Colour:
        """Mix the colour with white; 0 is white, 1 the colour."""
        red, green, blue = (round(255 - (255 - part) * share) for part in self.colour)
        return (red, green, blue)


def draw_house(draws: Draws) -> House:
    """Draw a house style."""
    return House(draws.pick(COLOURS), draws.branch("mark"))
