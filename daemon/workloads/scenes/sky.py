"""The sky over outdoor scenes: its hour, sun or moon, stars and clouds."""

from __future__ import annotations

from typing import Final

from daemon.workloads.scenes.canvas import Canvas, Colour, mix
from daemon.workloads.seeding import Draws

_SKIES: Final[tuple[tuple[Colour, Colour, Colour], ...]] = (
    ((92, 158, 214), (214, 234, 246), (255, 244, 200)),
    ((44, 62, 110), (240, 150, 110), (255, 214, 150)),
    ((120, 140, 160), (206, 214, 218), (244, 244, 236)),
    ((24, 30, 62), (70, 84, 130), (236, 238, 220)),
    ((250, 176, 120), (255, 232, 196), (255, 250, 226)),
    ((96, 170, 180), (226, 240, 226), (255, 248, 214)),
)


def sky(canvas: Canvas, draws: Draws, lower: float) -> tuple[Colour, bool]:
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
