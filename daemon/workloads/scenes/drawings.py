"""Technical drawings: a flanged shaft with dimensions, a parts list and a title block."""

from __future__ import annotations

from typing import Final

from daemon.workloads.scenes.canvas import Canvas, mix
from daemon.workloads.scenes.drafting import dimension, grid
from daemon.workloads.seeding import Draws, wave
from daemon.workloads.text.matter.words import SURNAMES, TOWNS


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
        canvas.rect(
            (x, axis_y - half, end, axis_y + half), mix(palette.paper, palette.accents[place % 6], 0.1), ink, 2.6
        )
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
        canvas.circle(
            (centre[0] + radius * 0.74 * wave(turn + 0.25), centre[1] + radius * 0.74 * wave(turn)),
            13,
            palette.paper,
            ink,
            2.2,
        )
    canvas.dashes(
        (centre[0] - radius - 22, centre[1]),
        (centre[0] + radius + 22, centre[1]),
        palette.accents[0],
        1.2,
        (18, 5, 4, 5),
    )
    canvas.dashes(
        (centre[0], centre[1] - radius - 22),
        (centre[0], centre[1] + radius + 22),
        palette.accents[0],
        1.2,
        (18, 5, 4, 5),
    )
    canvas.line([(centre[0] + 60, centre[1] + 76), (centre[0] + 92, centre[1] + 166)], ink, 1.4)
    canvas.text((centre[0] + 96, centre[1] + 184), f"{holes} x M{draws.pick((6, 8, 10, 12))}", 18, anchor="mm")
    canvas.text(
        (centre[0], centre[1] - 172), f"Section {draws.pick('ABC')}-{draws.pick('ABC')}", 20, anchor="mm", bold=True
    )
    canvas.text((60, 60), f"Drive shaft {draws.pick(TOWNS)} {draws.between(2, 60)}", 28, bold=True)
    canvas.text((60, 100), f"all dimensions in mm, general tolerance ±0.{draws.between(1, 5)}", 17, palette.quiet)
    rows = [
        (
            str(n + 1),
            str(draws.between(1, 12)),
            draws.pick(_PARTS),
            draws.pick(_STEELS),
            f"{draws.between(3, 900) / 10:.1f} kg",
        )
        for n in range(6)
    ]
    grid(
        canvas, (60, 620, 940, 850), ("Pos.", "Qty", "Part", "Material", "Weight"), rows, (0.08, 0.1, 0.4, 0.26, 0.16)
    )
    canvas.rect((520, 872, 976, 976), None, ink, 2)
    canvas.text((536, 884), f"Drawn: {draws.pick(SURNAMES)}    Checked: {draws.pick(SURNAMES)}", 17)
    canvas.text(
        (536, 914),
        f"Scale {draws.pick(('1 : 1', '1 : 2', '2 : 1', '1 : 5'))}    Sheet {draws.between(1, 4)} of 4",
        17,
    )
    canvas.text(
        (536, 944),
        f"No. {draws.between(100, 999)}-{draws.between(10, 99)}-{draws.pick('ABCDEF')}    Rev. {draws.between(0, 9)}",
        17,
    )


_PARTS: Final = (
    "Shaft, turned",
    "Ball bearing 6204",
    "Feather key",
    "Retaining ring",
    "Flange",
    "Hex bolt",
    "Washer",
    "Oil seal",
    "Bushing",
    "Spacer",
    "Lock nut",
)


_STEELS: Final = ("C45", "42CrMo4", "S235JR", "X5CrNi18-10", "CuSn8", "EN-GJL-250", "NBR", "100Cr6")
