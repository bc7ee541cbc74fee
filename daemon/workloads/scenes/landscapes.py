"""Landscapes: hills, water, trees, cottages and birds."""

from __future__ import annotations

from typing import Final

from daemon.workloads.scenes.canvas import Canvas, Colour, Point, mix
from daemon.workloads.scenes.sky import sky
from daemon.workloads.seeding import Draws, wave

_GROUNDS: Final[tuple[Colour, ...]] = (
    (86, 128, 74),
    (150, 142, 72),
    (120, 96, 70),
    (70, 104, 100),
    (196, 204, 206),
    (132, 120, 92),
)


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
            canvas.polygon(
                [(x - half, base), (x + half, base), (x, base - size * 0.42)],
                mix(leaf, (20, 40, 30), 0.25 - tier * 0.06),
            )
        return
    for dx, dy, part in ((-0.2, -0.56, 0.26), (0.2, -0.58, 0.25), (0, -0.78, 0.3), (0, -0.54, 0.28)):
        canvas.circle((x + dx * size, y + dy * size), part * size, mix(leaf, (255, 255, 210), 0.06 - dx * 0.4))


def _cottage(canvas: Canvas, at: Point, size: float, wall: Colour, roof: Colour, *, lit: bool) -> None:
    x, y = at
    canvas.rect((x, y - size * 0.6, x + size, y), wall)
    canvas.polygon(
        [(x - size * 0.1, y - size * 0.58), (x + size * 1.1, y - size * 0.58), (x + size * 0.5, y - size * 1.08)],
        roof,
    )
    canvas.rect((x + size * 0.72, y - size * 1.08, x + size * 0.84, y - size * 0.74), mix(roof, (40, 30, 30), 0.4))
    pane = (255, 222, 140) if lit else (120, 150, 170)
    for place in (0.14, 0.62):
        canvas.rect(
            (x + size * place, y - size * 0.44, x + size * (place + 0.2), y - size * 0.22),
            pane,
            mix(wall, (0, 0, 0), 0.5),
            1.5,
        )
    canvas.rect((x + size * 0.4, y - size * 0.38, x + size * 0.56, y), mix(roof, (30, 20, 20), 0.5))


def landscape(canvas: Canvas, draws: Draws) -> None:
    """Paint hills, a river or lake, trees, houses and birds."""
    horizon = draws.real(400, 520)
    haze, night = sky(canvas, draws, horizon + 90)
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
                _tree(
                    canvas,
                    (spot[0], spot[1] + 6),
                    22 + layer * 14,
                    mix(colour, (30, 70, 40), 0.5),
                    conifer=draws.chance(0.6),
                )
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
        _cottage(
            canvas,
            at,
            size,
            draws.pick(((238, 228, 208), (214, 190, 160), (196, 200, 204))),
            draws.pick(((150, 62, 48), (84, 80, 88), (120, 84, 60))),
            lit=night,
        )
    for _ in range(draws.between(4, 9)):
        y = draws.real(800, 985)
        _tree(
            canvas,
            (draws.pick((draws.real(0, 230), draws.real(770, 1000))), y),
            70 + (y - 780) * 0.6,
            mix(ground, (50, 110, 50), 0.6),
            conifer=draws.chance(0.4),
        )
    for _ in range(draws.between(3, 9)):
        x, y = draws.real(120, 880), draws.real(120, 360)
        canvas.line([(x - 13, y - 6), (x, y), (x + 13, y - 6)], mix(haze, (20, 20, 30), 0.8), 2.4)
