"""Board games: a chess-like position with lettered pieces, and black and white stones on a grid."""

from __future__ import annotations

from typing import Final

from daemon.workloads.scenes.canvas import Canvas, Colour, mix
from daemon.workloads.seeding import Draws
from daemon.workloads.text.matter.words import TOWNS, person

_PIECES: Final = "KQRRBBNNPPPPPP"


def board_game(canvas: Canvas, draws: Draws) -> None:
    """Draw a position: a chess-like board with lettered pieces, or a board of black and white stones."""
    palette = canvas.palette
    first, second = person(draws), person(draws)
    canvas.text((70, 34), f"{first} - {second}", 28, bold=True)
    where = f"{draws.pick(TOWNS)} {draws.between(1952, 2026)}, round {draws.between(1, 11)}"
    canvas.text((70, 76), f"{where}, after move {draws.between(12, 64)}", 19, palette.quiet)
    if draws.chance(0.5):
        _chess(canvas, draws)
    else:
        _stones(canvas, draws)


def _chess(canvas: Canvas, draws: Draws) -> None:
    palette = canvas.palette
    light: Colour = mix((246, 236, 214), palette.accents[0], 0.06)
    dark: Colour = mix((150, 110, 80), palette.accents[0], 0.35)
    left, top, side = 110.0, 128.0, 98.0
    canvas.rect((left - 12, top - 12, left + 8 * side + 12, top + 8 * side + 12), mix(dark, (0, 0, 0), 0.45))
    for row in range(8):
        for column in range(8):
            x, y = left + column * side, top + row * side
            canvas.rect((x, y, x + side, y + side), dark if (row + column) % 2 else light)
        canvas.text((left - 34, top + row * side + side / 2), str(8 - row), 20, anchor="mm")
        canvas.text((left + row * side + side / 2, top + 8 * side + 32), "abcdefgh"[row], 20, anchor="mm")
    squares = draws.shuffled(range(8, 56))
    ends = draws.shuffled([*range(8), *range(56, 64)])
    for white in (True, False):
        for name in ("K", *draws.sample(_PIECES[1:], draws.between(6, 11))):
            place = squares.pop() if name == "P" or (name != "K" and draws.chance(0.5)) else ends.pop()
            x, y = left + (place % 8 + 0.5) * side, top + (place // 8 + 0.5) * side
            body: Colour = (250, 248, 240) if white else (38, 36, 40)
            rim: Colour = (40, 36, 34) if white else (236, 232, 224)
            canvas.polygon([(x - 30, y + 36), (x + 30, y + 36), (x + 18, y + 8), (x - 18, y + 8)], body, rim, 2.4)
            canvas.circle((x, y - 6), 25, body, rim, 2.4)
            canvas.text((x, y - 6), name, 27, rim, "mm", bold=True)


def _stones(canvas: Canvas, draws: Draws) -> None:
    lines = draws.pick((9, 13, 13, 19))
    left, top, right = 130.0, 146.0, 910.0
    step = (right - left) / (lines - 1)
    wood: Colour = draws.pick(((222, 180, 112), (206, 160, 100), (232, 200, 140)))
    canvas.rect(
        (left - 46, top - 32, right + 46, top + (right - left) + 46), wood, mix(wood, (60, 40, 20), 0.6), 3, 6
    )
    for line in range(lines):
        at = line * step
        canvas.line([(left + at, top), (left + at, top + right - left)], (60, 44, 28), 1.8)
        canvas.line([(left, top + at), (right, top + at)], (60, 44, 28), 1.8)
        canvas.text((left + at, top + right - left + 30), "ABCDEFGHJKLMNOPQRST"[line], 16, (60, 44, 28), "mm")
        canvas.text((left - 30, top + at), str(lines - line), 16, (60, 44, 28), "mm")
    centre = draws.real(0.25, 0.75)
    for place in draws.sample(range(lines * lines), int(lines * lines * draws.real(0.24, 0.44))):
        column, row = place % lines, place // lines
        x, y = left + column * step, top + row * step
        black = draws.chance(0.75 if (column / lines < centre) ^ (row / lines < 0.5) else 0.25)
        canvas.circle((x + 2, y + 3), step * 0.45, mix(wood, (40, 26, 10), 0.45))
        canvas.circle((x, y), step * 0.45, (34, 34, 38) if black else (246, 244, 238))
        canvas.circle((x - step * 0.14, y - step * 0.15), step * 0.11, (86, 86, 92) if black else (255, 255, 255))
