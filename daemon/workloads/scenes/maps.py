"""Street maps: blocks, streets, a river, parks, a tram line and numbered places."""

from __future__ import annotations

from typing import Final

import msgspec

from daemon.workloads.scenes.canvas import Canvas, Colour, Point, mix
from daemon.workloads.scenes.drafting import compass
from daemon.workloads.seeding import Draws, wave
from daemon.workloads.text.matter.words import TOWNS

_STREETS: Final = (
    "Mill Street", "Harbour Road", "School Lane", "Long Row", "Tanner Street", "Church Walk", "Station Road",
    "Castle Street", "Rope Walk", "Elm Avenue",
)  # fmt: skip
_PLACES: Final = (
    "Town hall", "Library", "Station", "Hospital", "Market", "Museum", "Baths", "Theatre", "Post", "Fire brigade",
    "Mosque", "Cinema", "School",
)  # fmt: skip


class _Bend(msgspec.Struct, frozen=True):
    """Bends the straight grid of streets a little, the same way everywhere on a map."""

    phase: float

    def at(self, x: float, y: float) -> Point:
        """Move a point of the straight grid to where it lies on the map."""
        return x + 16 * wave(y / 900 + self.phase), y + 18 * wave(x / 800 + self.phase)


def street_map(canvas: Canvas, draws: Draws) -> None:
    """Draw a quarter with streets, blocks, a river, a park, a tram line and numbered places."""
    palette = canvas.palette
    land = mix(palette.paper, palette.panel, 0.6)
    road = mix(palette.paper, palette.ink, 0.16) if sum(palette.paper) < 300 else (255, 255, 255)
    canvas.rect((0, 0, 1000, 1000), mix(land, palette.quiet, 0.12))
    columns, rows = [float(x) for x in _stations(draws)], [float(y) for y in _stations(draws)]
    bend = _Bend(draws.fraction())
    park = (draws.between(1, len(columns) - 3), draws.between(1, len(rows) - 3))
    for column in range(len(columns) - 1):
        for row in range(len(rows) - 1):
            box = (columns[column] + 9, rows[row] + 9, columns[column + 1] - 9, rows[row + 1] - 9)
            green = (column, row) == park or draws.chance(0.06)
            _block(canvas, draws, bend, box, land, green=green)
    for grid, upright in ((columns, True), (rows, False)):
        for place, at in enumerate(grid):
            wide = 18 if place == len(grid) // 2 else 11
            way = [bend.at(at, step * 25.0) if upright else bend.at(step * 25.0, at) for step in range(-2, 43)]
            canvas.line(way, mix(road, palette.quiet, 0.4), wide + 3)
            canvas.line(way, road, wide)
    _river_and_tram(canvas, draws, [bend.at(columns[len(columns) // 2], step * 25.0) for step in range(-2, 43)], road)
    streets = draws.shuffled(_STREETS)
    for row, at in enumerate(rows[1:-1]):
        x, y = bend.at(draws.pick((170.0, 330.0, 640.0)), at)
        canvas.text((x, y), streets[row % len(streets)], 14, mix(palette.ink, palette.quiet, 0.3), "mm")
    _places(canvas, draws)
    canvas.rect((30, 934, 262, 978), palette.paper, palette.quiet, 1.2, 6)
    canvas.line([(50, 962), (170, 962)], palette.ink, 3)
    canvas.text((184, 962), f"{draws.pick((100, 200, 250, 500))} m", 17, anchor="lm")
    compass(canvas, (930, 930), 30)


def _block(
    canvas: Canvas, draws: Draws, bend: _Bend, box: tuple[float, float, float, float], land: Colour, *, green: bool
) -> None:
    """Draw what lies between four streets: houses, or a park with trees."""
    palette = canvas.palette
    left, top, right, bottom = box
    corners = [bend.at(left, top), bend.at(right, top), bend.at(right, bottom), bend.at(left, bottom)]
    if green:
        lawn = mix((110, 168, 96), palette.paper, 0.35)
        canvas.polygon(corners, lawn)
        for _ in range(9):
            tree = bend.at(draws.real(left + 8, right - 8), draws.real(top + 8, bottom - 8))
            canvas.circle(tree, 6, mix(lawn, (40, 96, 50), 0.4))
        return
    canvas.polygon(corners, mix(land, palette.accents[5], 0.06))
    for _ in range(draws.between(3, 7)):
        x, y = draws.real(left + 3, right - 28), draws.real(top + 3, bottom - 26)
        east, south = min(x + draws.real(18, 42), right - 2), min(y + draws.real(14, 30), bottom - 2)
        shape = [bend.at(x, y), bend.at(east, y), bend.at(east, south), bend.at(x, south)]
        canvas.polygon(shape, mix(land, palette.quiet, 0.42))


def _river_and_tram(canvas: Canvas, draws: Draws, bridge: list[Point], road: Colour) -> None:
    """Draw a river across the map, and over it the main street with the tram line."""
    palette = canvas.palette
    start = draws.real(100, 900)
    water = mix((108, 164, 206), palette.paper, 0.2)
    river = [(step * 25.0, start + (500 - start) * step / 80 + 130 * wave(0.3 + step / 46)) for step in range(-2, 43)]
    canvas.line(river, mix(water, (20, 50, 90), 0.2), 66)
    canvas.line(river, water, 60)
    canvas.line(bridge, road, 17)
    canvas.line(bridge, palette.accents[1], 4)
    for x, y in bridge[3:-3:6]:
        canvas.circle((x, y), 7, palette.paper, palette.accents[1], 3)


def _places(canvas: Canvas, draws: Draws) -> None:
    """Draw numbered places and the legend that names them."""
    palette = canvas.palette
    places = draws.sample(_PLACES, 7)
    for number, _ in enumerate(places, start=1):
        x, y = draws.real(60, 660), draws.real(150, 940)
        canvas.circle((x, y), 16, palette.accents[3], (255, 255, 255), 2.4)
        canvas.text((x, y), str(number), 18, (255, 255, 255), "mm", bold=True)
    canvas.rect((716, 24, 976, 320), palette.paper, palette.quiet, 1.4, 8)
    canvas.text((736, 42), draws.pick(TOWNS), 26, bold=True)
    for number, name in enumerate(places, start=1):
        canvas.text((738, 62 + number * 28), f"{number}  {name}", 18)
    canvas.line([(736, 294), (776, 294)], palette.accents[1], 4)
    canvas.text((786, 294), f"tram {draws.between(1, 19)}", 16, anchor="lm")


def _stations(draws: Draws) -> list[int]:
    """Draw where parallel streets run, from edge to edge."""
    at, found = -60, []
    while at < 1060:
        found.append(at)
        at += draws.between(96, 168)
    return [*found, 1080]
