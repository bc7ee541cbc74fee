"""Floor plans: the rooms of a storey with doors, windows, furniture, areas and dimensions."""

from __future__ import annotations

from typing import Final

from daemon.workloads.scenes.canvas import Canvas, mix
from daemon.workloads.scenes.drafting import compass, dimension
from daemon.workloads.seeding import Draws
from daemon.workloads.text.matter.words import SURNAMES, TOWNS

_ROOMS: Final = (
    "Kitchen",
    "Living room",
    "Bedroom",
    "Study",
    "Bath",
    "Hall",
    "Pantry",
    "Children",
    "Workshop",
    "Guests",
    "Library",
    "Utility",
)


def _split(draws: Draws, box: tuple[int, int, int, int], depth: int) -> list[tuple[int, int, int, int]]:
    """Divide a box into rooms by straight walls on a grid of ten units."""
    left, top, right, bottom = box
    wide, high = right - left, bottom - top
    if depth == 0 or (wide < 300 and high < 300) or (depth == 1 and wide < 420 and high < 420 and draws.chance(0.35)):
        return [box]
    if wide >= high:
        cut = left + draws.between(int(wide * 0.38), int(wide * 0.62)) // 10 * 10
        return _split(draws, (left, top, cut, bottom), depth - 1) + _split(
            draws, (cut, top, right, bottom), depth - 1
        )
    cut = top + draws.between(int(high * 0.38), int(high * 0.62)) // 10 * 10
    return _split(draws, (left, top, right, cut), depth - 1) + _split(draws, (left, cut, right, bottom), depth - 1)


def _furnish(canvas: Canvas, draws: Draws, name: str, box: tuple[int, int, int, int]) -> None:
    """Draw what stands in a room, along its lower wall and corners, clear of its name."""
    left, _, right, bottom = box
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
    canvas.text(
        (70, 84),
        f"{draws.pick(TOWNS)}, plan no. {draws.between(10, 990)}, scale 1 : {draws.pick((50, 75, 100))}",
        18,
        palette.quiet,
    )
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
        canvas.text(
            (middle[0], middle[1] + 28), f"{(right - left) * (bottom - top) / 10_000:.1f} m²", 17, palette.quiet, "mm"
        )
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
    for start, end in (
        ((outer[0], outer[3] + 40), (outer[2], outer[3] + 40)),
        ((outer[2] + 44, outer[1]), (outer[2] + 44, outer[3])),
    ):
        dimension(canvas, start, end, f"{abs(end[0] - start[0]) + abs(end[1] - start[1]):.0f} cm")
    compass(canvas, (70, 930), 30)
