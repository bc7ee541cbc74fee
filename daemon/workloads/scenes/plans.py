"""Plans seen from above or from the side: a floor plan, a street map, a technical drawing."""

from __future__ import annotations

from typing import Final

from daemon.workloads.scenes.canvas import Canvas, Colour, Point, mix
from daemon.workloads.seeding import Draws, wave
from daemon.workloads.text.matter.words import SURNAMES, TOWNS

_ROOMS: Final = ("Kitchen", "Living room", "Bedroom", "Study", "Bath", "Hall", "Pantry", "Children", "Workshop", "Guests", "Library", "Utility")


def _split(draws: Draws, box: tuple[int, int, int, int], depth: int) -> list[tuple[int, int, int, int]]:
    """Divide a box into rooms by straight walls on a grid of ten units."""
    left, top, right, bottom = box
    wide, high = right - left, bottom - top
    if depth == 0 or (wide < 300 and high < 300) or (depth == 1 and wide < 420 and high < 420 and draws.chance(0.35)):
        return [box]
    if wide >= high:
        cut = left + draws.between(int(wide * 0.38), int(wide * 0.62)) // 10 * 10
        return _split(draws, (left, top, cut, bottom), depth - 1) + _split(draws, (cut, top, right, bottom), depth - 1)
    cut = top + draws.between(int(high * 0.38), int(high * 0.62)) // 10 * 10
    return _split(draws, (left, top, right, cut), depth - 1) + _split(draws, (left, cut, right, bottom), depth - 1)


def _furnish(canvas: Canvas, draws: Draws, name: str, box: tuple[int, int, int, int]) -> None:
    """Draw what stands in a room, along its lower wall and corners, clear of its name."""
    left, top, right, bottom = box
    ink, soft = canvas.palette.quiet, canvas.palette.panel
    wide = right - left
    if name in {"Bedroom", "Guests", "Children"}:
        canvas.rect((left + 20, bottom - 106, left + 122, bottom - 16), soft, ink, 1.6, 6)
        canvas.rect((left + 26, bottom - 100, left + 60, bottom - 62), None, ink, 1.4, 6)
        canvas.rect((left + 26, bottom - 58, left + 60, bottom - 22), None, ink, 1.4, 6)
    elif name in {"Kitchen", "Utility", "Pantry", "Workshop"}:
        canvas.rect((left + 14, bottom - 58, right - 14, bottom - 14), soft, ink, 1.6)
        for ring in range(2):
            canvas.circle((left + 44 + ring * 36, bottom - 36), 13, None, ink, 1.5)
        canvas.rect((right - 78, bottom - 50, right - 30, bottom - 22), None, ink, 1.5, 7)
    elif name == "Bath":
        canvas.rect((left + 16, bottom - 66, left + 136, bottom - 16), soft, ink, 1.6, 20)
        canvas.ellipse((right - 40, bottom - 42), 18, 24, soft, ink, 1.6)
    elif name in {"Living room", "Library", "Study"}:
        canvas.rect((left + 18, bottom - 62, left + min(160, wide * 0.55), bottom - 18), soft, ink, 1.6, 10)
        canvas.circle((right - 62, bottom - 58), 26, soft, ink, 1.6)
        for seat in (-38, 38):
            canvas.circle((right - 62 + seat, bottom - 58), 9, None, ink, 1.4)
    elif draws.chance(0.7):
        canvas.circle((right - 46, bottom - 46), 18, soft, ink, 1.6)


def floor_plan(canvas: Canvas, draws: Draws) -> None:
    """Draw the rooms of one storey with doors, windows, furniture, areas and dimensions."""
    palette = canvas.palette
    storey = draws.pick(("Ground floor", "First floor", "Attic", "Annexe"))
    canvas.text((70, 40), f"{storey}, house {draws.pick(SURNAMES)}", 32, bold=True)
    canvas.text((70, 84), f"{draws.pick(TOWNS)}, plan no. {draws.between(10, 990)}, scale 1 : {draws.pick((50, 75, 100))}", 18, palette.quiet)
    outer = (110, 170, 110 + draws.between(70, 78) * 10, 170 + draws.between(58, 68) * 10)
    rooms = _split(draws, outer, 3)
    names = draws.shuffled(_ROOMS)
    tints = [mix(palette.paper, accent, 0.14) for accent in palette.accents]
    for place, box in enumerate(rooms):
        left, top, right, bottom = box
        canvas.rect(box, tints[place % len(tints)], palette.ink, 5)
        name = names[place % len(names)]
        middle = ((left + right) / 2, top + (bottom - top) * 0.36)
        canvas.text(middle, name, 21, anchor="mm", bold=True)
        canvas.text((middle[0], middle[1] + 28), f"{(right - left) * (bottom - top) / 10_000:.1f} m²", 17, palette.quiet, "mm")
        _furnish(canvas, draws, name, box)
        if bottom < outer[3]:  # a door in the lower wall
            at = draws.real(left + 40, right - 90)
            canvas.rect((at, bottom - 5, at + 50, bottom + 5), palette.paper)
            canvas.arc((at, bottom), 50, 270, 360, palette.quiet, 1.6)
            canvas.line([(at, bottom), (at, bottom - 50)], palette.ink, 2.4)
        if right < outer[2]:
            at = draws.real(top + 50, bottom - 90)
            canvas.rect((right - 5, at, right + 5, at + 48), palette.paper)
            canvas.line([(right, at), (right - 48, at)], palette.ink, 2.4)
            canvas.arc((right, at), 48, 90, 180, palette.quiet, 1.6)
        for edge, wall in ((left, outer[0]), (right, outer[2])):
            if edge == wall and bottom - top > 150:
                canvas.rect((edge - 6, top + 50, edge + 6, top + 120), palette.paper, palette.ink, 1.6)
                canvas.line([(edge, top + 50), (edge, top + 120)], palette.ink, 1.4)
        if top == outer[1]:
            canvas.rect((left + 60, top - 6, right - 60, top + 6), palette.paper, palette.ink, 1.6)
    canvas.rect(outer, None, palette.ink, 9)
    for start, end in (((outer[0], outer[3] + 40), (outer[2], outer[3] + 40)), ((outer[2] + 44, outer[1]), (outer[2] + 44, outer[3]))):
        dimension(canvas, start, end, f"{abs(end[0] - start[0]) + abs(end[1] - start[1]):.0f} cm")
    _compass(canvas, (70, 930), 30)


def _compass(canvas: Canvas, centre: Point, size: float) -> None:
    x, y = centre
    canvas.circle(centre, size, None, canvas.palette.quiet, 1.6)
    canvas.polygon([(x, y - size * 0.9), (x + size * 0.28, y), (x - size * 0.28, y)], canvas.palette.ink)
    canvas.polygon([(x, y + size * 0.9), (x + size * 0.28, y), (x - size * 0.28, y)], None, canvas.palette.ink, 1.4)
    canvas.text((x, y - size - 5), "N", 16, anchor="ms", bold=True)


def dimension(canvas: Canvas, start: Point, end: Point, words: str) -> None:
    """Draw a dimension line, level or upright, with arrow heads and its figure."""
    tone = canvas.palette.quiet
    canvas.line([start, end], tone, 1.6)
    level = start[1] == end[1]
    for (x, y), way in ((start, 1), (end, -1)):
        if level:
            canvas.polygon([(x, y), (x + 13 * way, y - 4), (x + 13 * way, y + 4)], tone)
            canvas.line([(x, y - 16), (x, y + 9)], tone, 1.2)
        else:
            canvas.polygon([(x, y), (x - 4, y + 13 * way), (x + 4, y + 13 * way)], tone)
            canvas.line([(x - 16, y), (x + 9, y)], tone, 1.2)
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    if level:
        canvas.text((middle[0], middle[1] - 6), words, 17, anchor="ms")
    else:
        canvas.upright((middle[0] - 13, middle[1]), words, 17)


def street_map(canvas: Canvas, draws: Draws) -> None:
    """Draw a quarter with streets, blocks, a river, a park, a tram line and numbered places."""
    palette = canvas.palette
    dark = sum(palette.paper) < 300
    land = mix(palette.paper, palette.panel, 0.6)
    road = mix(palette.paper, palette.ink, 0.16) if dark else (255, 255, 255)
    canvas.rect((0, 0, 1000, 1000), mix(land, palette.quiet, 0.12))
    columns, rows = [float(x) for x in _stations(draws)], [float(y) for y in _stations(draws)]

    def bend(x: float, y: float) -> Point:
        return x + 16 * wave(y / 900 + phase), y + 18 * wave(x / 800 + phase)

    phase = draws.fraction()
    green: Colour = mix((110, 168, 96), palette.paper, 0.35)
    park = (draws.between(1, len(columns) - 3), draws.between(1, len(rows) - 3))
    for column in range(len(columns) - 1):
        for row in range(len(rows) - 1):
            edge = 9
            left, right = columns[column] + edge, columns[column + 1] - edge
            top, bottom = rows[row] + edge, rows[row + 1] - edge
            corners = [bend(left, top), bend(right, top), bend(right, bottom), bend(left, bottom)]
            if (column, row) == park or draws.chance(0.06):
                canvas.polygon(corners, green)
                for _ in range(9):
                    canvas.circle(bend(draws.real(left + 8, right - 8), draws.real(top + 8, bottom - 8)), 6, mix(green, (40, 96, 50), 0.4))
                continue
            canvas.polygon(corners, mix(land, palette.accents[5], 0.06))
            for _ in range(draws.between(3, 7)):
                x, y = draws.real(left + 3, right - 28), draws.real(top + 3, bottom - 26)
                wide, high = draws.real(18, 42), draws.real(14, 30)
                shape = [bend(x, y), bend(min(x + wide, right - 2), y), bend(min(x + wide, right - 2), min(y + high, bottom - 2)), bend(x, min(y + high, bottom - 2))]
                canvas.polygon(shape, mix(land, palette.quiet, 0.42))
    for grid, upright in ((columns, True), (rows, False)):
        for place, at in enumerate(grid):
            wide = 18 if place == len(grid) // 2 else 11
            way = [bend(at, step * 25.0) if upright else bend(step * 25.0, at) for step in range(-2, 43)]
            canvas.line(way, mix(road, palette.quiet, 0.4), wide + 3)
            canvas.line(way, road, wide)
    start = draws.real(100, 900)
    water = mix((108, 164, 206), palette.paper, 0.2)
    river = [(step * 25.0, start + (500 - start) * step / 80 + 130 * wave(0.3 + step / 46)) for step in range(-2, 43)]
    canvas.line(river, mix(water, (20, 50, 90), 0.2), 66)
    canvas.line(river, water, 60)
    middle = columns[len(columns) // 2]
    bridge = [bend(middle, step * 25.0) for step in range(-2, 43)]
    canvas.line(bridge, road, 17)
    tram = palette.accents[1]
    canvas.line(bridge, tram, 4)
    for x, y in bridge[3:-3:6]:
        canvas.circle((x, y), 7, palette.paper, tram, 3)
    streets = draws.shuffled(("Mill Street", "Harbour Road", "School Lane", "Long Row", "Tanner Street", "Church Walk", "Station Road", "Castle Street", "Rope Walk", "Elm Avenue"))
    for row, at in enumerate(rows[1:-1]):
        x, y = bend(draws.pick((170.0, 330.0, 640.0)), at)
        canvas.text((x, y), streets[row % len(streets)], 14, mix(palette.ink, palette.quiet, 0.3), "mm")
    places = draws.sample(("Town hall", "Library", "Station", "Hospital", "Market", "Museum", "Baths", "Theatre", "Post", "Fire brigade", "Mosque", "Cinema", "School"), 7)
    for number, _ in enumerate(places, start=1):
        x, y = draws.real(60, 660), draws.real(150, 940)
        canvas.circle((x, y), 16, palette.accents[3], (255, 255, 255), 2.4)
        canvas.text((x, y), str(number), 18, (255, 255, 255), "mm", bold=True)
    canvas.rect((716, 24, 976, 320), palette.paper, palette.quiet, 1.4, 8)
    canvas.text((736, 42), draws.pick(TOWNS), 26, bold=True)
    for number, name in enumerate(places, start=1):
        canvas.text((738, 62 + number * 28), f"{number}  {name}", 18)
    canvas.line([(736, 294), (776, 294)], tram, 4)
    canvas.text((786, 294), f"tram {draws.between(1, 19)}", 16, anchor="lm")
    canvas.rect((30, 934, 262, 978), palette.paper, palette.quiet, 1.2, 6)
    canvas.line([(50, 962), (170, 962)], palette.ink, 3)
    canvas.text((184, 962), f"{draws.pick((100, 200, 250, 500))} m", 17, anchor="lm")
    _compass(canvas, (930, 930), 30)


def _stations(draws: Draws) -> list[int]:
    """Draw where parallel streets run, from edge to edge."""
    at, found = -60, []
    while at < 1060:
        found.append(at)
        at += draws.between(96, 168)
    return [*found, 1080]


def technical_drawing(canvas: Canvas, draws: Draws) -> None:
    """Draw a flanged shaft from the side and from the front, with dimensions, a parts list and a title block."""
    palette = canvas.palette
    ink = palette.ink
    canvas.rect((24, 24, 976, 976), None, ink, 2.4)
    axis_y, x = 320.0, 110.0
    sections = [(draws.between(60, 120), draws.between(50, 220)) for _ in range(draws.between(4, 6))]
    scale = 520 / sum(length for length, _ in sections)
    widest = max(across for _, across in sections)
    canvas.dashes((80, axis_y), (660, axis_y), palette.accents[0], 1.4, (22, 6, 5, 6))
    for place, (length, across) in enumerate(sections):
        end = x + length * scale
        half = across * 0.6
        canvas.rect((x, axis_y - half, end, axis_y + half), mix(palette.paper, palette.accents[place % 6], 0.1), ink, 2.6)
        if draws.chance(0.45):
            at = x
            while at < end - 8:
                canvas.line([(at, axis_y + half), (at + 8, axis_y + half - 12)], palette.quiet, 1.2)
                at += 9
        if draws.chance(0.4) and half > 40:
            canvas.rect((x + 12, axis_y - 13, end - 12, axis_y + 13), None, ink, 1.6, 12)
        dimension(canvas, (x, axis_y + 166), (end, axis_y + 166), f"{length}")
        canvas.text(((x + end) / 2, axis_y - half - 9), f"Ø{across}", 17, anchor="ms")
        x = end
    dimension(canvas, (110, axis_y + 210), (x, axis_y + 210), f"{sum(length for length, _ in sections)}")
    dimension(canvas, (76, axis_y - widest * 0.6), (76, axis_y + widest * 0.6), f"Ø{widest}")
    centre, radius = (800.0, axis_y), 128.0
    canvas.circle(centre, radius, mix(palette.paper, palette.accents[0], 0.08), ink, 2.6)
    canvas.circle(centre, radius * 0.42, palette.paper, ink, 2.6)
    canvas.circle(centre, radius * 0.74, None, palette.accents[0], 1.2)
    holes = draws.pick((4, 6, 8))
    for hole in range(holes):
        turn = hole / holes
        canvas.circle((centre[0] + radius * 0.74 * wave(turn + 0.25), centre[1] + radius * 0.74 * wave(turn)), 13, palette.paper, ink, 2.2)
    canvas.dashes((centre[0] - radius - 22, centre[1]), (centre[0] + radius + 22, centre[1]), palette.accents[0], 1.2, (18, 5, 4, 5))
    canvas.dashes((centre[0], centre[1] - radius - 22), (centre[0], centre[1] + radius + 22), palette.accents[0], 1.2, (18, 5, 4, 5))
    canvas.line([(centre[0] + 60, centre[1] + 76), (centre[0] + 92, centre[1] + 166)], ink, 1.4)
    canvas.text((centre[0] + 96, centre[1] + 184), f"{holes} × M{draws.pick((6, 8, 10, 12))}", 18, anchor="mm")
    canvas.text((centre[0], centre[1] - 172), f"Section {draws.pick('ABC')}–{draws.pick('ABC')}", 20, anchor="mm", bold=True)
    canvas.text((60, 60), f"Drive shaft {draws.pick(TOWNS)} {draws.between(2, 60)}", 28, bold=True)
    canvas.text((60, 100), f"all dimensions in mm, general tolerance ±0.{draws.between(1, 5)}", 17, palette.quiet)
    rows = [(str(n + 1), str(draws.between(1, 12)), draws.pick(_PARTS), draws.pick(_STEELS), f"{draws.between(3, 900) / 10:.1f} kg") for n in range(6)]
    grid(canvas, (60, 620, 940, 850), ("Pos.", "Qty", "Part", "Material", "Weight"), rows, (0.08, 0.1, 0.4, 0.26, 0.16))
    canvas.rect((520, 872, 976, 976), None, ink, 2)
    canvas.text((536, 884), f"Drawn: {draws.pick(SURNAMES)}    Checked: {draws.pick(SURNAMES)}", 17)
    canvas.text((536, 914), f"Scale {draws.pick(('1 : 1', '1 : 2', '2 : 1', '1 : 5'))}    Sheet {draws.between(1, 4)} of 4", 17)
    canvas.text((536, 944), f"No. {draws.between(100, 999)}-{draws.between(10, 99)}-{draws.pick('ABCDEF')}    Rev. {draws.between(0, 9)}", 17)


_PARTS: Final = ("Shaft, turned", "Ball bearing 6204", "Feather key", "Retaining ring", "Flange", "Hex bolt", "Washer", "Oil seal", "Bushing", "Spacer", "Lock nut")
_STEELS: Final = ("C45", "42CrMo4", "S235JR", "X5CrNi18-10", "CuSn8", "EN-GJL-250", "NBR", "100Cr6")


def grid(
    canvas: Canvas,
    box: tuple[float, float, float, float],
    head: tuple[str, ...],
    rows: list[tuple[str, ...]],
    shares: tuple[float, ...],
) -> None:
    """Draw a table; ``shares`` are the columns' parts of its width."""
    left, top, right, bottom = box
    high = (bottom - top) / (len(rows) + 1)
    size = min(18.0, high * 0.52)
    palette = canvas.palette
    canvas.rect((left, top, right, top + high), mix(palette.paper, palette.accents[0], 0.22))
    for number, row in enumerate([head, *rows]):
        y = top + high * number
        if number and number % 2 == 0:
            canvas.rect((left, y, right, y + high), palette.panel)
        canvas.line([(left, y), (right, y)], palette.quiet, 1)
        x = left
        for cell, share in zip(row, shares, strict=True):
            canvas.text((x + 10, y + high / 2), cell, size, anchor="lm", bold=number == 0)
            x += share * (right - left)
    canvas.rect(box, None, palette.ink, 1.6)
