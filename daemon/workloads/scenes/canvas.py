"""The drawing surface of all scenes: 1000 by 1000 units, smooth edges, one font, drawn palettes.

Everything is drawn at twice the size and reduced at the end, since Pillow's shapes have hard edges. Texts use
the font that comes with Pillow, so no system font is needed and every machine draws the same letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import msgspec
from PIL import Image, ImageDraw, ImageFont

from daemon.workloads.scenes.lettering import plain
from daemon.workloads.seeding import Draws

SIDE: Final = 1000
"""Units and finished pixels of each side: exactly one megapixel."""

_FINE: Final = 2

Point = tuple[float, float]
Colour = tuple[int, int, int]


class Palette(msgspec.Struct, frozen=True):
    """Colours that go together: paper, ink, a quiet tone, and accents."""

    paper: Colour
    panel: Colour
    ink: Colour
    quiet: Colour
    accents: tuple[Colour, ...]


def _hex(text: str) -> Colour:
    value = int(text, 16)
    return value >> 16, value >> 8 & 255, value & 255


def _palette(paper: str, panel: str, ink: str, quiet: str, accents: str) -> Palette:
    return Palette(_hex(paper), _hex(panel), _hex(ink), _hex(quiet), tuple(_hex(each) for each in accents.split()))


PALETTES: Final = (
    _palette("fbfaf7", "efece4", "22252b", "8b8f98", "3366a8 d9773c 3f9b6c b8485a 7a5fa8 c9a227"),
    _palette("f4f7f9", "e2eaef", "14303f", "7f95a1", "0f7c8a e0a33e c5513f 5b8f3a 6a57a5 2f4f8f"),
    _palette("16202b", "213040", "e8edf2", "7d8fa0", "5fb3f0 f2b45c 7fd6a0 f0766b b79bf2 e8dd7a"),
    _palette("fdf6ec", "f5e6cf", "3a2c23", "a08f7e", "b5532d 2f6f73 d9a441 6b7f3a 8c4a6b 4a5f8f"),
    _palette("ffffff", "f1f3f5", "111111", "8a8a8a", "1b6ca8 e4572e 76b041 ffc914 8d5a97 17bebb"),
    _palette("eef3ea", "dbe6d3", "1f3524", "7c9180", "2f6b3c c26b2b 3b6f9e a8993a 8f3f4f 5c5c8a"),
    _palette("221a26", "33273a", "f4ecf3", "9a889f", "f2849e 7fc8c2 f5c76e a5a0f0 9fd67a f09a5d"),
    _palette("f7f4fb", "e8e1f3", "2b2340", "948bab", "6c4ab6 d1495b 00798c edae49 30638e 66a182"),
)


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """Blend two colours; ``share`` 0 is the first, 1 the second."""
    return (
        int(first[0] + (second[0] - first[0]) * share),
        int(first[1] + (second[1] - first[1]) * share),
        int(first[2] + (second[2] - first[2]) * share),
    )


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size=size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("Pillow was built without FreeType and cannot draw text of a given size")
    return font


class Canvas:
    """What scenes draw on. Coordinates run right and down from (0, 0) to (1000, 1000)."""

    def __init__(self, palette: Palette) -> None:
        self.palette = palette
        self._image = Image.new("RGB", (SIDE * _FINE, SIDE * _FINE), palette.paper)
        self._draw = ImageDraw.Draw(self._image)

    def finished(self) -> Image.Image:
        """Return the picture, 1000 by 1000 pixels."""
        return self._image.reduce(_FINE)

    def rect(
        self,
        box: tuple[float, float, float, float],
        fill: Colour | None = None,
        outline: Colour | None = None,
        width: float = 1,
        radius: float = 0,
    ) -> None:
        """Draw a rectangle from (left, top) to (right, bottom), with round corners if wanted."""
        left, top, right, bottom = (value * _FINE for value in box)
        if right < left or bottom < top:
            return
        corners = (left, top, right, bottom)
        self._draw.rounded_rectangle(corners, radius * _FINE, fill, outline, self._width(width))

    def line(self, points: Sequence[Point], colour: Colour, width: float = 1) -> None:
        """Draw an open line through points."""
        self._draw.line(self._points(points), colour, self._width(width), joint="curve")

    def dashes(
        self, start: Point, end: Point, colour: Colour, width: float = 1, pattern: Sequence[float] = (9, 6)
    ) -> None:
        """Draw a broken line: drawn and left-out lengths in turn."""
        length = ((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2) ** 0.5
        at, turn = 0.0, 0
        while at < length:
            until = min(at + pattern[turn % len(pattern)], length)
            if turn % 2 == 0:
                ends = [
                    (start[0] + (end[0] - start[0]) * way / length, start[1] + (end[1] - start[1]) * way / length)
                    for way in (at, until)
                ]
                self.line(ends, colour, width)
            at, turn = until, turn + 1

    def polygon(
        self, points: Sequence[Point], fill: Colour | None, outline: Colour | None = None, width: float = 1
    ) -> None:
        """Draw a closed shape."""
        self._draw.polygon(self._points(points), fill, outline, self._width(width))

    def circle(
        self,
        centre: Point,
        radius: float,
        fill: Colour | None = None,
        outline: Colour | None = None,
        width: float = 1,
    ) -> None:
        """Draw a disc or ring."""
        self.ellipse(centre, radius, radius, fill, outline, width)

    def ellipse(
        self,
        centre: Point,
        across: float,
        down: float,
        fill: Colour | None = None,
        outline: Colour | None = None,
        width: float = 1,
    ) -> None:
        """Draw an ellipse by its two radii."""
        x, y = centre
        box = ((x - across) * _FINE, (y - down) * _FINE, (x + across) * _FINE, (y + down) * _FINE)
        self._draw.ellipse(box, fill, outline, self._width(width))

    def sector(
        self, centre: Point, radius: float, start: float, end: float, fill: Colour, outline: Colour | None = None
    ) -> None:
        """Draw a slice of a disc; angles in degrees, clockwise from three o'clock."""
        x, y = centre
        box = ((x - radius) * _FINE, (y - radius) * _FINE, (x + radius) * _FINE, (y + radius) * _FINE)
        self._draw.pieslice(box, start, end, fill, outline, self._width(2))

    def arc(self, centre: Point, radius: float, start: float, end: float, colour: Colour, width: float = 1) -> None:
        """Draw a part of a circle's edge; angles as for ``sector``."""
        x, y = centre
        box = ((x - radius) * _FINE, (y - radius) * _FINE, (x + radius) * _FINE, (y + radius) * _FINE)
        self._draw.arc(box, start, end, colour, self._width(width))

    def text(
        self,
        at: Point,
        words: str,
        size: float,
        colour: Colour | None = None,
        anchor: str = "la",
        *,
        bold: bool = False,
    ) -> None:
        """Write one line; ``anchor`` is Pillow's (horizontal l, m, r and vertical a, m, s)."""
        ink = colour or self.palette.ink
        place = (at[0] * _FINE, at[1] * _FINE)
        stroke = max(1, round(size * _FINE / 32)) if bold else 0
        self._draw.text(
            place, plain(words), ink, _font(round(size * _FINE)), anchor, stroke_width=stroke, stroke_fill=ink
        )

    def upright(self, at: Point, words: str, size: float, colour: Colour | None = None) -> None:
        """Write one line turned a quarter to the left, centred on a point."""
        words = plain(words)
        font = _font(round(size * _FINE))
        left, top, right, bottom = font.getbbox(words)
        mask = Image.new("L", (int(right - left) + 8, int(bottom - top) + 8), 0)
        ImageDraw.Draw(mask).text((4 - left, 4 - top), words, 255, font)
        turned = mask.transpose(Image.Transpose.ROTATE_90)
        corner = (round(at[0] * _FINE - turned.width / 2), round(at[1] * _FINE - turned.height / 2))
        self._image.paste(Image.new("RGB", turned.size, colour or self.palette.ink), corner, turned)

    def width_of(self, words: str, size: float) -> float:
        """Measure one line in units."""
        return _font(round(size * _FINE)).getlength(plain(words)) / _FINE

    def paragraph(
        self, box: tuple[float, float, float], words: str, size: float, colour: Colour | None = None
    ) -> float:
        """Write text into (left, top, width), broken between words; return the y below the last line."""
        left, top, width = box
        line = ""
        for word in words.split():
            longer = f"{line} {word}".strip()
            if line and self.width_of(longer, size) > width:
                self.text((left, top), line, size, colour)
                top += size * 1.42
                line = word
            else:
                line = longer
        self.text((left, top), line, size, colour)
        return top + size * 1.42

    def gradient(self, box: tuple[float, float, float, float], top: Colour, bottom: Colour) -> None:
        """Fill a box from one colour above to another below."""
        left, upper, right, lower = (round(value * _FINE) for value in box)
        for row in range(upper, lower):
            share = (row - upper) / max(1, lower - upper)
            self._draw.line((left, row, right, row), mix(top, bottom, share))

    def _points(self, points: Sequence[Point]) -> list[Point]:
        return [(x * _FINE, y * _FINE) for x, y in points]

    @staticmethod
    def _width(width: float) -> int:
        return max(1, round(width * _FINE))


def blank(draws: Draws) -> Canvas:
    """Return an empty canvas with a drawn palette."""
    return Canvas(draws.pick(PALETTES))
