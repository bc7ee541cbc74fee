"""Printed pages: a report with a table, an infographic, a dashboard, a panel of instruments, a board game."""

from __future__ import annotations

from typing import Final

from daemon.workloads.scenes.canvas import Canvas, Colour, mix
from daemon.workloads.scenes.charts import TOPICS, number_text
from daemon.workloads.scenes.plans import grid
from daemon.workloads.seeding import Draws, wave
from daemon.workloads.text.library import articles
from daemon.workloads.text.matter.words import FIRM_HEADS, FIRM_TAILS, MONTHS, TOWNS, person


def report(canvas: Canvas, draws: Draws) -> None:
    """Set a page of a report: headline, two columns of prose, a table, a note and a page number."""
    palette = canvas.palette
    article = draws.pick(articles())
    canvas.rect((0, 0, 1000, 84), palette.accents[0])
    canvas.text((60, 42), f"{draws.pick(FIRM_HEADS)} {draws.pick(FIRM_TAILS)}  ·  Annual report {draws.between(1999, 2026)}", 22, (255, 255, 255), "lm")
    y = canvas.paragraph((60, 112, 880), article.title, 32)
    canvas.text((60, y + 4), f"By {person(draws)}, {draws.pick(TOWNS)}", 18, palette.quiet)
    words = " ".join(part for part in article.paragraphs if part[0].isalpha()).replace("*", "").split()
    ends = [place for place, word in enumerate(words[: max(1, len(words) - 230)]) if word.endswith(".")]
    start = draws.pick(ends) + 1 if ends else 0
    for column in range(2):
        part = " ".join(words[start + column * 108 : start + column * 108 + 108])
        canvas.paragraph((60 + column * 450, y + 44, 420), part, 18)
    topic, unit = draws.pick(TOPICS)
    first = draws.between(1985, 2010)
    years = tuple(str(first + step) for step in (0, 5, 10))
    rows = [
        (town, *(f"{draws.between(20, 9800):,}" for _ in range(3)), f"{draws.between(-290, 410) / 10:+.1f} %")
        for town in draws.sample(TOWNS, draws.between(6, 8))
    ]
    canvas.text((60, 616), f"Table {draws.between(1, 12)}: {topic}, {unit}", 20, bold=True)
    grid(canvas, (60, 648, 940, 890), ("Place", *years, "Change"), rows, (0.32, 0.17, 0.17, 0.17, 0.17))
    canvas.text((60, 908), f"{draws.between(1, 9)}) Values before {years[1]} were converted; see the notes on page {draws.between(60, 140)}.", 15, palette.quiet)
    canvas.text((500, 960), str(draws.between(3, 140)), 18, palette.quiet, "mm")


def infographic(canvas: Canvas, draws: Draws) -> None:
    """Draw big figures, rows of people, a funnel of steps and a strip of time."""
    palette = canvas.palette
    topic, unit = draws.pick(TOPICS)
    main = palette.accents[0]
    canvas.rect((0, 0, 1000, 190), main)
    canvas.text((60, 52), f"{topic} in {draws.pick(TOWNS)}", 38, (255, 255, 255), bold=True)
    canvas.text((60, 116), f"A year in figures, {draws.between(2001, 2026)}", 24, mix(main, (255, 255, 255), 0.75))
    for place in range(3):
        left = 60 + place * 300
        canvas.rect((left, 222, left + 280, 372), palette.panel, radius=14)
        canvas.text((left + 140, 282), f"{draws.between(12, 9900):,}", 52, palette.accents[place + 1], "mm", bold=True)
        canvas.text((left + 140, 340), draws.pick((unit, "hours of work", "kilometres", "new members", "complaints", "volunteers", "nights")), 20, anchor="mm")
    share = draws.between(1, 9)
    group = draws.pick(("walk", "cycle", "take the bus", "come by train", "come twice", "bring a friend", "pay online"))
    canvas.text((60, 404), f"{share} of 10 {group}", 26, bold=True)
    for one in range(10):
        x, tone = 84 + one * 46, palette.accents[3] if one < share else mix(palette.paper, palette.quiet, 0.45)
        canvas.circle((x, 462), 12, tone)
        canvas.rect((x - 14, 478, x + 14, 530), tone, radius=9)
    steps = draws.sample(("asked", "registered", "invited", "came", "stayed", "returned", "paid", "recommended it"), 4)
    amount = float(draws.between(800, 9800))
    for place, step in enumerate(steps):
        half = 190 - place * 34
        y = 404 + place * 54
        canvas.polygon([(760 - half, y), (760 + half, y), (760 + half - 30, y + 46), (760 - half + 30, y + 46)], palette.accents[place])
        canvas.text((760, y + 23), f"{step}  {number_text(amount)}", 18, (255, 255, 255), "mm", bold=True)
        amount *= draws.real(0.35, 0.85)
    canvas.text((60, 640), "Month by month", 26, bold=True)
    values = [draws.real(0.2, 1.0) for _ in MONTHS]
    for place, value in enumerate(values):
        x = 60 + place * 74
        tone = palette.accents[1] if value == max(values) else mix(main, palette.paper, 0.35)
        canvas.rect((x, 852 - value * 150, x + 54, 852), tone, radius=5)
        canvas.text((x + 27, 872), MONTHS[place][:3], 16, anchor="mm")
        canvas.text((x + 27, 844 - value * 150), number_text(value * 400), 15, anchor="ms")
    peak = MONTHS[values.index(max(values))]
    canvas.paragraph((60, 906, 880), f"Busiest month: {peak}. Compared with the year before, the quarter around {peak} changed by {draws.between(-240, 380) / 10:+.1f} per cent.", 21)


def dashboard(canvas: Canvas, draws: Draws) -> None:
    """Draw a control room's screen: tiles, a curve, bars, a heat map, and a list of alarms."""
    palette = canvas.palette
    edge = mix(palette.paper, palette.quiet, 0.3)
    canvas.text((40, 30), f"{draws.pick(FIRM_HEADS)} operations", 28, bold=True)
    canvas.text((960, 36), f"{draws.between(1, 28)} {draws.pick(MONTHS)}, {draws.between(0, 23):02d}:{draws.between(0, 59):02d}", 20, palette.quiet, "ra")
    tiles = draws.sample(("Orders / min", "Queue", "Error rate %", "Load %", "Water m³/h", "Trucks out", "Stock days", "Calls waiting"), 4)
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
            heat = min(1.0, max(0.03, 0.5 + 0.42 * wave((hour - 2) / 18) - (0.3 if day > 4 else 0) + draws.bell(0, 0.13)))
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
        fault = draws.pick(("no signal", "too warm", "blocked", "restarted", "low pressure", "drift", "offline", "cleared"))
        canvas.text((572, y), f"{draws.between(0, 23):02d}:{draws.between(0, 59):02d}  {what} {draws.between(1, 48)}: {fault}", 18, anchor="lm")
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
    canvas.text((500, 52), f"{draws.pick(('BOILER HOUSE', 'LOCK CONTROL', 'PUMP STATION', 'ENGINE ROOM', 'CHILLER PLANT'))} {draws.between(1, 9)}", 30, ink, "mm", bold=True)
    names = draws.sample(("Pressure bar", "Steam °C", "Flow l/s", "Voltage V", "Current A", "Speed 1/min", "Vacuum mbar", "Oil °C", "Level cm"), 5)
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
    lamp_names = draws.sample(("RUN", "FAULT", "PUMP 1", "PUMP 2", "FIRE", "LOW", "HIGH", "REMOTE", "DOOR", "ALARM", "HEAT", "MAINS"), 8)
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
        canvas.line([(x + across * inner, y + down * inner), (x + across * (radius - 14), y + down * (radius - 14))], (30, 30, 30), 2.4)
        if mark % 4 == 0:
            canvas.text((x + across * (inner - 18), y + down * (inner - 18)), f"{top * mark / 20:g}", 17, (30, 30, 30), "mm")
    turn = (135 + 270 * draws.real(0.05, 0.97)) / 360
    across, down = wave(turn + 0.25), wave(turn)
    length = (across * across + down * down) ** 0.5
    across, down = across / length, down / length
    canvas.polygon(
        [(x + across * (radius - 22), y + down * (radius - 22)), (x - down * 6 - across * 22, y + across * 6 - down * 22), (x + down * 6 - across * 22, y - across * 6 - down * 22)],
        (196, 40, 34),
    )
    canvas.circle(centre, 11, (40, 40, 42))
    canvas.text((x, y + radius * 0.62), name, 17, (40, 40, 40), "mm")
    canvas.text((x, y + radius + 28), f"No. {draws.between(100, 999)}", 16, ink, "mm")


_PIECES: Final = "KQRRBBNNPPPPPP"


def board_game(canvas: Canvas, draws: Draws) -> None:
    """Draw a position: a chess-like board with lettered pieces, or a board of black and white stones."""
    palette = canvas.palette
    first, second = person(draws), person(draws)
    canvas.text((70, 34), f"{first} – {second}", 28, bold=True)
    canvas.text((70, 76), f"{draws.pick(TOWNS)} {draws.between(1952, 2026)}, round {draws.between(1, 11)}, after move {draws.between(12, 64)}", 19, palette.quiet)
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
    canvas.rect((left - 46, top - 32, right + 46, top + (right - left) + 46), wood, mix(wood, (60, 40, 20), 0.6), 3, 6)
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
