"""A landscape and a city: sky, hills, trees and houses, at a drawn hour and season."""

from __future__ import annotations

from typing import Final

from daemon.workloads.scenes.canvas import Canvas, Colour, Point, mix
from daemon.workloads.seeding import Draws, wave

_SKIES: Final[tuple[tuple[Colour, Colour, Colour], ...]] = (
    ((92, 158, 214), (214, 234, 246), (255, 244, 200)),
    ((44, 62, 110), (240, 150, 110), (255, 214, 150)),
    ((120, 140, 160), (206, 214, 218), (244, 244, 236)),
    ((24, 30, 62), (70, 84, 130), (236, 238, 220)),
    ((250, 176, 120), (255, 232, 196), (255, 250, 226)),
    ((96, 170, 180), (226, 240, 226), (255, 248, 214)),
)
_GROUNDS: Final[tuple[Colour, ...]] = ((86, 128, 74), (150, 142, 72), (120, 96, 70), (70, 104, 100), (196, 204, 206), (132, 120, 92))


def _sky(canvas: Canvas, draws: Draws, lower: float) -> tuple[Colour, bool]:
    """Paint sky, sun or moon and clouds; return the haze colour and whether it is night."""
    top, bottom, light = draws.pick(_SKIES)
    canvas.gradient((0, 0, 1000, lower), top, bottom)
    canvas.rect((0, lower, 1000, 1000), bottom)
    night = sum(top) < 200
    if night:
        for _ in range(110):
            canvas.circle((draws.real(0, 1000), draws.real(0, lower * 0.8)), draws.real(0.6, 1.9), (236, 238, 230))
    sun = (draws.real(140, 860), draws.real(90, lower * 0.55))
    canvas.circle(sun, 62, mix(bottom, light, 0.45))
    canvas.circle(sun, 44, light)
    for _ in range(draws.between(2, 5)):
        x, y, size = draws.real(60, 940), draws.real(60, lower * 0.6), draws.real(26, 58)
        tone = mix(bottom, light, 0.2 if night else 0.8)
        for puff in range(5):
            across = size * (1.15 - abs(puff - 2) * 0.22)
            canvas.ellipse((x + (puff - 2) * size * 0.8, y + abs(puff - 2) * size * 0.12), across, across * 0.5, tone)
    return bottom, night


def _ridge(draws: Draws, level: float, height: float, rough: float) -> list[Point]:
    """Return a skyline from left to right."""
    phases = [(draws.fraction(), draws.real(0.7, 1.3)) for _ in range(4)]
    points: list[Point] = []
    for step in range(101):
        x = step * 10.0
        y = level
        for octave, (phase, stretch) in enumerate(phases):
            y -= height / (1.9**octave) * wave(phase + stretch * step / 100 * (octave + 1) * rough)
        points.append((x, y))
    return points


def _tree(canvas: Canvas, at: Point, size: float, leaf: Colour, *, conifer: bool) -> None:
    x, y = at
    trunk = mix(leaf, (70, 48, 34), 0.75)
    canvas.rect((x - size * 0.06, y - size * 0.4, x + size * 0.06, y), trunk)
    if conifer:
        for tier in range(3):
            half, base = size * (0.36 - tier * 0.08), y - size * (0.22 + tier * 0.25)
            canvas.polygon([(x - half, base), (x + half, base), (x, base - size * 0.42)], mix(leaf, (20, 40, 30), 0.25 - tier * 0.06))
        return
    for dx, dy, part in ((-0.2, -0.56, 0.26), (0.2, -0.58, 0.25), (0, -0.78, 0.3), (0, -0.54, 0.28)):
        canvas.circle((x + dx * size, y + dy * size), part * size, mix(leaf, (255, 255, 210), 0.06 - dx * 0.4))


def _cottage(canvas: Canvas, at: Point, size: float, wall: Colour, roof: Colour, *, lit: bool) -> None:
    x, y = at
    canvas.rect((x, y - size * 0.6, x + size, y), wall)
    canvas.polygon([(x - size * 0.1, y - size * 0.58), (x + size * 1.1, y - size * 0.58), (x + size * 0.5, y - size * 1.08)], roof)
    canvas.rect((x + size * 0.72, y - size * 1.08, x + size * 0.84, y - size * 0.74), mix(roof, (40, 30, 30), 0.4))
    pane = (255, 222, 140) if lit else (120, 150, 170)
    for place in (0.14, 0.62):
        canvas.rect((x + size * place, y - size * 0.44, x + size * (place + 0.2), y - size * 0.22), pane, mix(wall, (0, 0, 0), 0.5), 1.5)
    canvas.rect((x + size * 0.4, y - size * 0.38, x + size * 0.56, y), mix(roof, (30, 20, 20), 0.5))


def landscape(canvas: Canvas, draws: Draws) -> None:
    """Paint hills, a river or lake, trees, houses and birds."""
    horizon = draws.real(400, 520)
    haze, night = _sky(canvas, draws, horizon + 90)
    ground = draws.pick(_GROUNDS)
    if night:
        ground = mix(ground, (16, 24, 44), 0.55)
    for layer in range(4):
        level = horizon + layer * 62
        ridge = _ridge(draws, level, draws.real(60, 120) * (1 - layer * 0.2), 2.0 + layer)
        colour = mix(haze, ground, 0.32 + layer * 0.2)
        canvas.polygon([(0, 1000), *ridge, (1000, 1000)], colour)
        if layer in {1, 2}:
            for _ in range(draws.between(10, 26)):
                spot = ridge[draws.between(2, 98)]
                _tree(canvas, (spot[0], spot[1] + 6), 22 + layer * 14, mix(colour, (30, 70, 40), 0.5), conifer=draws.chance(0.6))
    meadow = mix(ground, (255, 255, 160), 0.08)
    canvas.gradient((0, 700, 1000, 1000), meadow, mix(meadow, (20, 30, 20), 0.3))
    water = mix(haze, (60, 110, 150), 0.5)
    if draws.chance(0.5):
        centre, reach = draws.real(300, 700), draws.real(180, 330)
        canvas.ellipse((centre, 830), reach, 72, mix(water, (255, 255, 255), 0.2))
        canvas.ellipse((centre, 834), reach - 7, 66, water)
        for _ in range(14):
            x, y = centre + draws.real(-0.7, 0.7) * reach, 834 + draws.real(-40, 40)
            canvas.line([(x, y), (x + draws.real(16, 50), y)], mix(water, (255, 255, 255), 0.4), 2)
        boat = centre + draws.real(-80, 80)
        canvas.polygon([(boat - 40, 820), (boat + 40, 820), (boat + 26, 838), (boat - 26, 838)], (120, 60, 44))
        canvas.polygon([(boat, 814), (boat, 740), (boat + 36, 810)], (246, 240, 226))
        canvas.line([(boat, 820), (boat, 736)], (70, 50, 40), 3)
    else:
        spring, phase = draws.real(400, 600), draws.fraction()
        middle = [(spring + 190 * wave(phase + step / 34) * step / 42, 700 + step * 7.4) for step in range(43)]
        left = [(x - 8 - step * 2.1, y) for step, (x, y) in enumerate(middle)]
        right = [(x + 8 + step * 2.1, y) for step, (x, y) in enumerate(middle)]
        canvas.polygon(left + right[::-1], water)
    for _ in range(draws.between(1, 3)):
        size = draws.real(64, 104)
        at = (draws.pick((60.0, 150.0, 720.0, 820.0)) + draws.real(-30, 30), draws.real(720, 770))
        _cottage(canvas, at, size, draws.pick(((238, 228, 208), (214, 190, 160), (196, 200, 204))), draws.pick(((150, 62, 48), (84, 80, 88), (120, 84, 60))), lit=night)
    for _ in range(draws.between(4, 9)):
        y = draws.real(800, 985)
        _tree(canvas, (draws.pick((draws.real(0, 230), draws.real(770, 1000))), y), 70 + (y - 780) * 0.6, mix(ground, (50, 110, 50), 0.6), conifer=draws.chance(0.4))
    for _ in range(draws.between(3, 9)):
        x, y = draws.real(120, 880), draws.real(120, 360)
        canvas.line([(x - 13, y - 6), (x, y), (x + 13, y - 6)], mix(haze, (20, 20, 30), 0.8), 2.4)


def city(canvas: Canvas, draws: Draws) -> None:
    """Paint a street front of houses with windows, shops, a tram and people."""
    haze, night = _sky(canvas, draws, 640)
    shade = (18, 24, 40) if night else (88, 98, 116)
    x = -20.0
    while x < 1000:
        width, height = draws.real(50, 110), draws.real(190, 420)
        canvas.rect((x, 680 - height, x + width, 700), mix(haze, shade, 0.4))
        x += width
    x = -draws.real(0, 60)
    shops = draws.shuffled(("BAKERY", "BOOKS", "CYCLES", "CAFÉ", "TAILOR", "MUSIC", "FLOWERS", "CHEMIST", "TEA", "KEYS", "TOYS", "OPTICS"))
    while x < 1000:
        width, floors = draws.real(124, 196), draws.between(3, 6)
        height = floors * 74 + 96.0
        wall = mix(draws.pick(canvas.palette.accents), (236, 226, 206), draws.real(0.35, 0.75))
        if night:
            wall = mix(wall, (20, 26, 52), 0.6)
        top = 800 - height
        canvas.rect((x, top, x + width, 800), wall)
        if draws.chance(0.55):
            canvas.polygon([(x - 6, top), (x + width + 6, top), (x + width * 0.5, top - draws.real(40, 80))], mix(wall, (90, 40, 30), 0.65))
        else:
            canvas.rect((x - 5, top - 14, x + width + 5, top), mix(wall, (40, 40, 50), 0.5))
        columns = draws.between(2, 4)
        for floor in range(floors):
            for column in range(columns):
                wide = width / columns
                left, upper = x + wide * column + wide * 0.24, top + 18 + floor * 74
                lit = draws.chance(0.55 if night else 0.12)
                pane = (255, 220, 130) if lit else mix((70, 96, 120), haze, 0.25)
                canvas.rect((left - 3, upper - 3, left + wide * 0.52 + 3, upper + 49), mix(wall, (255, 255, 255), 0.5))
                canvas.rect((left, upper, left + wide * 0.52, upper + 46), pane)
                canvas.line([(left + wide * 0.26, upper), (left + wide * 0.26, upper + 46)], mix(wall, (255, 255, 255), 0.4), 2)
        tone = draws.pick(canvas.palette.accents)
        canvas.rect((x + 10, 728, x + width - 10, 800), (255, 228, 160) if night else (176, 200, 212))
        canvas.rect((x + 6, 704, x + width - 6, 732), mix(tone, (0, 0, 0), 0.25))
        canvas.text((x + width / 2, 718), shops.pop() if shops else "TO LET", 17, (255, 255, 255), "mm", bold=True)
        canvas.rect((x + width * 0.6, 740, x + width * 0.8, 800), mix(tone, (30, 20, 20), 0.5))
        x += width
    canvas.gradient((0, 800, 1000, 1000), mix(haze, (120, 118, 116), 0.8), mix(haze, (66, 66, 72), 0.9))
    canvas.rect((0, 800, 1000, 826), mix(haze, (170, 164, 156), 0.8))
    for y in (900.0, 944.0):
        canvas.line([(0, y), (1000, y)], (60, 60, 64), 3.5)
    paint, left = draws.pick(canvas.palette.accents), draws.real(60, 420)
    canvas.rect((left, 806, left + 470, 926), paint, radius=16)
    canvas.rect((left, 884, left + 470, 926), mix(paint, (20, 20, 30), 0.4), radius=12)
    for window in range(6):
        canvas.rect((left + 20 + window * 74, 826, left + 80 + window * 74, 872), (255, 236, 180) if night else (206, 226, 236), radius=6)
    canvas.text((left + 235, 905), f"{draws.between(1, 29)}  {draws.pick(('Harbour', 'Old Market', 'Hospital', 'West Park', 'Station'))}", 20, (255, 255, 255), "mm", bold=True)
    for wheel in (90.0, 150.0, 320.0, 380.0):
        canvas.circle((left + wheel, 930), 17, (40, 40, 44), (150, 150, 150), 3)
    canvas.line([(left + 235, 806), (left + 205, 770), (left + 265, 752)], (50, 50, 54), 3)
    canvas.line([(0, 752), (1000, 748)], (50, 50, 54), 2)
    for _ in range(draws.between(5, 11)):
        at, size, coat = draws.real(20, 980), draws.real(0.85, 1.15), draws.pick(canvas.palette.accents)
        y = draws.pick((822.0, 822.0, 985.0))
        canvas.rect((at - 9 * size, y - 52 * size, at + 9 * size, y - 20 * size), mix(coat, (30, 30, 40), 0.25), radius=6)
        canvas.line([(at - 4, y - 22 * size), (at - 6, y)], (40, 40, 50), 5)
        canvas.line([(at + 4, y - 22 * size), (at + 6, y)], (40, 40, 50), 5)
        canvas.circle((at, y - 60 * size), 8 * size, (226, 188, 158))
