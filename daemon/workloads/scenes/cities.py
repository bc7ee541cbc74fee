"""Cities: a street front of houses and shops, a tram and people."""

from __future__ import annotations

from typing import Final

from daemon.workloads.scenes.canvas import Canvas, Colour, mix
from daemon.workloads.scenes.sky import sky
from daemon.workloads.seeding import Draws

_SHOPS: Final = (
    "BAKERY", "BOOKS", "CYCLES", "CAFE", "TAILOR", "MUSIC", "FLOWERS", "CHEMIST", "TEA", "KEYS", "TOYS", "OPTICS",
)  # fmt: skip
_STOPS: Final = ("Harbour", "Old Market", "Hospital", "West Park", "Station")


def city(canvas: Canvas, draws: Draws) -> None:
    """Paint a street front of houses with windows, shops, a tram and people."""
    haze, night = sky(canvas, draws, 640)
    shade = (18, 24, 40) if night else (88, 98, 116)
    x = -20.0
    while x < 1000:
        width, height = draws.real(50, 110), draws.real(190, 420)
        canvas.rect((x, 680 - height, x + width, 700), mix(haze, shade, 0.4))
        x += width
    x = -draws.real(0, 60)
    shops = draws.shuffled(_SHOPS)
    while x < 1000:
        x += _house(canvas, draws, x, shops.pop() if shops else "TO LET", haze, night=night)
    canvas.gradient((0, 800, 1000, 1000), mix(haze, (120, 118, 116), 0.8), mix(haze, (66, 66, 72), 0.9))
    canvas.rect((0, 800, 1000, 826), mix(haze, (170, 164, 156), 0.8))
    for y in (900.0, 944.0):
        canvas.line([(0, y), (1000, y)], (60, 60, 64), 3.5)
    _tram(canvas, draws, night=night)
    for _ in range(draws.between(5, 11)):
        _passer_by(canvas, draws)


def _house(canvas: Canvas, draws: Draws, x: float, sign: str, haze: Colour, *, night: bool) -> float:
    """Paint one house with its shop from ``x`` on and return its width."""
    width, floors = draws.real(124, 196), draws.between(3, 6)
    height = floors * 74 + 96.0
    wall = mix(draws.pick(canvas.palette.accents), (236, 226, 206), draws.real(0.35, 0.75))
    if night:
        wall = mix(wall, (20, 26, 52), 0.6)
    top = 800 - height
    canvas.rect((x, top, x + width, 800), wall)
    if draws.chance(0.55):
        canvas.polygon(
            [(x - 6, top), (x + width + 6, top), (x + width * 0.5, top - draws.real(40, 80))],
            mix(wall, (90, 40, 30), 0.65),
        )
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
            canvas.line(
                [(left + wide * 0.26, upper), (left + wide * 0.26, upper + 46)],
                mix(wall, (255, 255, 255), 0.4),
                2,
            )
    tone = draws.pick(canvas.palette.accents)
    canvas.rect((x + 10, 728, x + width - 10, 800), (255, 228, 160) if night else (176, 200, 212))
    canvas.rect((x + 6, 704, x + width - 6, 732), mix(tone, (0, 0, 0), 0.25))
    canvas.text((x + width / 2, 718), sign, 17, (255, 255, 255), "mm", bold=True)
    canvas.rect((x + width * 0.6, 740, x + width * 0.8, 800), mix(tone, (30, 20, 20), 0.5))
    return width


def _tram(canvas: Canvas, draws: Draws, *, night: bool) -> None:
    """Paint a tram on its rails, with number and destination."""
    paint, left = draws.pick(canvas.palette.accents), draws.real(60, 420)
    canvas.rect((left, 806, left + 470, 926), paint, radius=16)
    canvas.rect((left, 884, left + 470, 926), mix(paint, (20, 20, 30), 0.4), radius=12)
    for window in range(6):
        canvas.rect(
            (left + 20 + window * 74, 826, left + 80 + window * 74, 872),
            (255, 236, 180) if night else (206, 226, 236),
            radius=6,
        )
    canvas.text(
        (left + 235, 905),
        f"{draws.between(1, 29)}  {draws.pick(_STOPS)}",
        20,
        (255, 255, 255),
        "mm",
        bold=True,
    )
    for wheel in (90.0, 150.0, 320.0, 380.0):
        canvas.circle((left + wheel, 930), 17, (40, 40, 44), (150, 150, 150), 3)
    canvas.line([(left + 235, 806), (left + 205, 770), (left + 265, 752)], (50, 50, 54), 3)
    canvas.line([(0, 752), (1000, 748)], (50, 50, 54), 2)


def _passer_by(canvas: Canvas, draws: Draws) -> None:
    """Paint a person on the pavement or in front."""
    at, size, coat = draws.real(20, 980), draws.real(0.85, 1.15), draws.pick(canvas.palette.accents)
    y = draws.pick((822.0, 822.0, 985.0))
    canvas.rect((at - 9 * size, y - 52 * size, at + 9 * size, y - 20 * size), mix(coat, (30, 30, 40), 0.25), radius=6)
    canvas.line([(at - 4, y - 22 * size), (at - 6, y)], (40, 40, 50), 5)
    canvas.line([(at + 4, y - 22 * size), (at + 6, y)], (40, 40, 50), 5)
    canvas.circle((at, y - 60 * size), 8 * size, (226, 188, 158))
