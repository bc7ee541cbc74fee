"""Screens and desks of control rooms: a dashboard, and a panel of instruments."""

from __future__ import annotations

from typing import Final

from daemon.workloads.scenes.canvas import Canvas, Colour, mix
from daemon.workloads.seeding import Draws, wave
from daemon.workloads.text.matter.words import FIRM_HEADS, MONTHS, TOWNS

_DESKS: Final = ("BOILER HOUSE", "LOCK CONTROL", "PUMP STATION", "ENGINE ROOM", "CHILLER PLANT")


def dashboard(canvas: Canvas, draws: Draws) -> None:
    """Draw a control room's screen: tiles, a curve, bars, a heat map, and a list of alarms."""
    palette = canvas.palette
    edge = mix(palette.paper, palette.quiet, 0.3)
    canvas.text((40, 30), f"{draws.pick(FIRM_HEADS)} operations", 28, bold=True)
    canvas.text(
        (960, 36),
        f"{draws.between(1, 28)} {draws.pick(MONTHS)}, {draws.between(0, 23):02d}:{draws.between(0, 59):02d}",
        20,
        palette.quiet,
        "ra",
    )
    tiles = draws.sample(
        (
            "Orders / min",
            "Queue",
            "Error rate %",
            "Load %",
            "Water m³/h",
            "Trucks out",
            "Stock days",
            "Calls waiting",
        ),
        4,
    )
    for place, name in enumerate(tiles):
        left = 40 + place * 233
        canvas.rect((left, 84, left + 217, 214), palette.panel, edge, 1.2, 10)
        canvas.text((left + 18, 98), name, 18, palette.quiet)
        canvas.text((left + 18, 128), f"{draws.between(3, 999)}", 46, palette.accents[place], bold=True)
        change = draws.between(-99, 99) / 10
        canvas.text((left + 200, 192), f"{change:+.1f} %", 17, palette.accents[2 if change >= 0 else 3], "rs")
    canvas.rect((40, 232, 620, 560), palette.panel, edge, 1.2, 10)
    canvas.text((60, 248), "Throughput, last 24 hours", 19)
    for tone in range(2):
        phase, level = draws.fraction(), draws.real(330, 470)
        points = [(66 + hour * 22.6, level - 64 * wave(phase + hour / 24) + draws.bell(0, 9)) for hour in range(24)]
        canvas.polygon([(66, 524), *points, (66 + 23 * 22.6, 524)], mix(palette.panel, palette.accents[tone], 0.22))
        canvas.line(points, palette.accents[tone], 3)
    for hour in range(0, 24, 4):
        canvas.text((66 + hour * 22.6, 532), f"{hour:02d}", 15, palette.quiet, "ma")
    canvas.rect((640, 232, 960, 560), palette.panel, edge, 1.2, 10)
    canvas.text((660, 248), "By site", 19)
    for place, town in enumerate(draws.sample(TOWNS, 6)):
        y, value = 290 + place * 44, draws.real(0.15, 1.0)
        canvas.text((660, y), town[:13], 16, anchor="lm")
        canvas.rect((790, y - 10, 790 + 108 * value, y + 10), palette.accents[place], radius=4)
        canvas.text((944, y), f"{value * 800:.0f}", 15, palette.quiet, "rm")
    canvas.rect((40, 578, 500, 960), palette.panel, edge, 1.2, 10)
    canvas.text((60, 594), "Occupancy by weekday and hour", 19)
    for day in range(7):
        canvas.text((60, 652 + day * 40), ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")[day], 16, palette.quiet, "lm")
        for hour in range(12):
            heat = min(
                1.0, max(0.03, 0.5 + 0.42 * wave((hour - 2) / 18) - (0.3 if day > 4 else 0) + draws.bell(0, 0.13))
            )
            left, top = 96 + hour * 32, 634 + day * 40
            canvas.rect((left, top, left + 29, top + 36), mix(palette.panel, palette.accents[0], heat), radius=4)
    for hour in range(0, 12, 3):
        canvas.text((110 + hour * 32, 926), f"{8 + hour}", 15, palette.quiet, "ma")
    canvas.rect((520, 578, 960, 960), palette.panel, edge, 1.2, 10)
    canvas.text((540, 594), "Alarms", 19)
    for place in range(8):
        y = 642 + place * 39
        level = draws.below(3)
        canvas.circle((552, y), 8, palette.accents[(3, 1, 2)[level]])
        what = draws.pick(("Pump", "Gate", "Sensor", "Valve", "Scanner", "Door", "Belt", "Cooler", "Printer"))
        fault = draws.pick(
            ("no signal", "too warm", "blocked", "restarted", "low pressure", "drift", "offline", "cleared")
        )
        canvas.text(
            (572, y),
            f"{draws.between(0, 23):02d}:{draws.between(0, 59):02d}  {what} {draws.between(1, 48)}: {fault}",
            18,
            anchor="lm",
        )
        canvas.text((944, y), ("high", "mid", "low")[level], 16, palette.quiet, "rm")


def instruments(canvas: Canvas, draws: Draws) -> None:
    """Draw a control desk: round gauges, a level, lamps, switches and a digital counter."""
    steel: Colour = draws.pick(((58, 66, 74), (86, 92, 84), (196, 200, 198), (72, 60, 54), (40, 52, 70)))
    dark = sum(steel) < 400
    ink: Colour = (240, 240, 236) if dark else (30, 32, 36)
    canvas.gradient((0, 0, 1000, 1000), mix(steel, (255, 255, 255), 0.1), mix(steel, (0, 0, 0), 0.18))
    for x, y in ((30, 30), (970, 30), (30, 970), (970, 970)):
        canvas.circle((x, y), 11, mix(steel, (255, 255, 255), 0.35), mix(steel, (0, 0, 0), 0.5), 2)
        canvas.line([(x - 6, y - 4), (x + 6, y + 4)], mix(steel, (0, 0, 0), 0.55), 3)
    canvas.text(
        (500, 52),
        f"{draws.pick(_DESKS)} {draws.between(1, 9)}",
        30,
        ink,
        "mm",
        bold=True,
    )
    names = draws.sample(
        (
            "Pressure bar",
            "Steam °C",
            "Flow l/s",
            "Voltage V",
            "Current A",
            "Speed 1/min",
            "Vacuum mbar",
            "Oil °C",
            "Level cm",
        ),
        5,
    )
    for place, name in enumerate(names[:3]):
        _gauge(canvas, draws, (190.0 + place * 310, 260.0), 138, name, ink)
    for place, name in enumerate(names[3:]):
        _gauge(canvas, draws, (190.0 + place * 310, 590.0), 118, name, ink)
    canvas.rect((730, 440, 890, 740), (18, 20, 22), mix(steel, (255, 255, 255), 0.4), 3, 8)
    fill = draws.real(0.15, 0.95)
    canvas.gradient((764, 718 - 250 * fill, 806, 718), (90, 190, 240), (24, 92, 160))
    canvas.rect((764, 468, 806, 718), None, (200, 210, 214), 2)
    for mark in range(6):
        canvas.line([(812, 718 - mark * 50), (828, 718 - mark * 50)], (220, 224, 226), 2)
        canvas.text((834, 718 - mark * 50), f"{mark * 20}", 16, (220, 224, 226), "lm")
    canvas.text((810, 762), "TANK %", 18, ink, "mm")
    lamp_names = draws.sample(
        ("RUN", "FAULT", "PUMP 1", "PUMP 2", "FIRE", "LOW", "HIGH", "REMOTE", "DOOR", "ALARM", "HEAT", "MAINS"), 8
    )
    for place, name in enumerate(lamp_names):
        x = 100 + place * 114
        tone: Colour = draws.pick(((236, 70, 60), (250, 190, 60), (90, 210, 110), (96, 160, 240)))
        on = draws.chance(0.5)
        canvas.circle((x, 815), 25, mix(steel, (0, 0, 0), 0.5))
        canvas.circle((x, 815), 20, tone if on else mix(tone, (20, 20, 20), 0.72))
        if on:
            canvas.circle((x - 6, 808), 6, mix(tone, (255, 255, 255), 0.7))
        canvas.text((x, 856), name, 16, ink, "mm")
    for place in range(5):
        x, up = 110 + place * 100, draws.chance(0.5)
        canvas.rect((x - 22, 884, x + 22, 960), mix(steel, (0, 0, 0), 0.45), (20, 20, 20), 2, 6)
        canvas.rect((x - 14, 892 if up else 926, x + 14, 918 if up else 952), (216, 216, 210), (60, 60, 60), 2, 4)
        canvas.text((x + 30, 922), "I" if up else "0", 18, ink, "lm")
    canvas.rect((640, 890, 920, 956), (12, 16, 14), (120, 124, 120), 3, 6)
    canvas.text((780, 923), f"{draws.between(0, 999_999):06d}.{draws.below(10)}", 42, (120, 240, 150), "mm")


def _gauge(canvas: Canvas, draws: Draws, centre: tuple[float, float], radius: float, name: str, ink: Colour) -> None:
    x, y = centre
    canvas.circle(centre, radius + 10, (30, 32, 34))
    canvas.circle(centre, radius, (246, 244, 236))
    top = draws.pick((6, 10, 16, 60, 100, 250, 400))
    low, high = draws.real(0.0, 0.3), draws.real(0.7, 0.9)
    canvas.arc(centre, radius - 6, 135 + 270 * high, 405, (206, 60, 50), 9)
    canvas.arc(centre, radius - 6, 135 + 270 * low, 135 + 270 * high, (90, 160, 90), 9)
    for mark in range(21):
        turn = (135 + 270 * mark / 20) / 360
        across, down = wave(turn + 0.25), wave(turn)
        # the parabola is not quite a circle: put the mark back onto it
        length = (across * across + down * down) ** 0.5
        across, down = across / length, down / length
        inner = radius - (34 if mark % 4 == 0 else 24)
        canvas.line(
            [(x + across * inner, y + down * inner), (x + across * (radius - 14), y + down * (radius - 14))],
            (30, 30, 30),
            2.4,
        )
        if mark % 4 == 0:
            canvas.text(
                (x + across * (inner - 18), y + down * (inner - 18)), f"{top * mark / 20:g}", 17, (30, 30, 30), "mm"
            )
    turn = (135 + 270 * draws.real(0.05, 0.97)) / 360
    across, down = wave(turn + 0.25), wave(turn)
    length = (across * across + down * down) ** 0.5
    across, down = across / length, down / length
    canvas.polygon(
        [
            (x + across * (radius - 22), y + down * (radius - 22)),
            (x - down * 6 - across * 22, y + across * 6 - down * 22),
            (x + down * 6 - across * 22, y - across * 6 - down * 22),
        ],
        (196, 40, 34),
    )
    canvas.circle(centre, 11, (40, 40, 42))
    canvas.text((x, y + radius * 0.62), name, 17, (40, 40, 40), "mm")
    canvas.text((x, y + radius + 28), f"No. {draws.between(100, 999)}", 16, ink, "mm")
