"""Bar, line and pie charts with invented data, titles, axes and legends."""

from __future__ import annotations

from typing import Final

from daemon.workloads.scenes.canvas import Canvas, Colour, mix
from daemon.workloads.seeding import Draws, wave
from daemon.workloads.text.matter.words import MONTHS, TOWNS

TOPICS: Final = (
    ("Visitors to the municipal baths", "thousand visitors"), ("Freight handled at the port", "thousand tonnes"),
    ("Bicycles counted at the bridge", "per day"), ("Loans of the public library", "thousand"),
    ("Electricity from rooftop panels", "megawatt hours"), ("Honey harvested", "kilograms"),
    ("Trees planted", "trees"), ("Repair jobs finished", "jobs"), ("Average rent", "euros per m²"),
    ("Rainfall", "millimetres"), ("Emergency calls", "calls"), ("Museum admissions", "hundred tickets"),
    ("Milk delivered", "thousand litres"), ("Passengers on the night bus", "passengers"), ("Apples pressed",
     "tonnes"),
    ("New enterprises", "registrations"),
)  # fmt: skip

_SERIES: Final = (
    ("North", "East", "South", "West"), ("Spring", "Summer", "Autumn", "Winter"), ("Adults", "Pupils", "Seniors",
     "Members"),
    ("Line 1", "Line 2", "Line 5", "Line 9"), ("Plan", "Actual", "Last year", "Forecast"), ("Day", "Evening",
     "Night", "Weekend"),
)  # fmt: skip


def nice_top(largest: float) -> float:
    """Return the end of an axis: the smallest of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten above a value."""
    power = 1.0
    while power * 10 < largest:
        power *= 10
    return next(step * power for step in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0) if step * power >= largest)


def number_text(value: float) -> str:
    """Write a value as short as its size allows."""
    return f"{value:,.0f}" if value >= 20 or value == 0 else f"{value:.1f}"


def title(canvas: Canvas, draws: Draws, heading: str, under: str) -> None:
    """Write heading and subtitle above a chart, and a source below it."""
    canvas.text((70, 46), heading, 34, bold=True)
    canvas.text((70, 94), under, 20, canvas.palette.quiet)
    source = f"Source: statistical office of {draws.pick(TOWNS)}, table {draws.between(2, 90)}.{draws.between(1, 19)}"
    canvas.text((70, 955), source, 15, canvas.palette.quiet)


def axes(canvas: Canvas, box: tuple[float, float, float, float], top: float, unit: str, size: float = 17) -> None:
    """Draw a grid with numbers at the left from 0 to ``top``, and the unit upright beside it."""
    left, upper, right, lower = box
    steps = 5 if top / 5 == int(top / 5) or top < 5 else 4
    for step in range(steps + 1):
        y = lower - (lower - upper) * step / steps
        canvas.line(
            [(left, y), (right, y)], mix(canvas.palette.paper, canvas.palette.quiet, 0.75 if step == 0 else 0.32), 1.2
        )
        canvas.text((left - 10, y), number_text(top * step / steps), size, canvas.palette.quiet, "rm")
    if unit:
        canvas.upright((left - 76, (upper + lower) / 2), unit, size, canvas.palette.quiet)


def legend(canvas: Canvas, at: tuple[float, float], entries: list[tuple[str, Colour]]) -> None:
    """Write a legend in one row."""
    x, y = at
    for name, colour in entries:
        canvas.rect((x, y - 8, x + 18, y + 8), colour, radius=3)
        canvas.text((x + 26, y), name, 18, anchor="lm")
        x += 26 + canvas.width_of(name, 18) + 34


def bars(canvas: Canvas, draws: Draws) -> None:
    """Draw grouped or stacked bars over towns or months."""
    topic, unit = draws.pick(TOPICS)
    by_town = draws.chance(0.5)
    count = draws.between(4, 6) if by_town else draws.between(5, 12)
    groups = draws.sample(TOWNS, count) if by_town else [month[:3] for month in MONTHS[:count]]
    names = draws.pick(_SERIES)[: draws.between(1, 4)]
    stacked = len(names) > 1 and draws.chance(0.45)
    scale = draws.pick((8, 40, 90, 400, 2500))
    values = [[draws.real(0.15, 1.0) * scale for _ in groups] for _ in names]
    peak = max(sum(column) if stacked else max(column) for column in zip(*values, strict=True))
    top = nice_top(peak * 1.04)
    title(
        canvas, draws, f"{topic}, {draws.between(2004, 2026)}", f"in {unit}, {'stacked' if stacked else 'by group'}"
    )
    box = (150.0, 200.0, 940.0, 850.0)
    axes(canvas, box, top, unit)
    left, upper, right, lower = box
    slot = (right - left) / count
    for place, group in enumerate(groups):
        start, width = left + slot * place + slot * 0.14, slot * 0.72
        base = lower
        for row, _ in enumerate(names):
            height = (lower - upper) * values[row][place] / top
            colour = canvas.palette.accents[row]
            if stacked:
                canvas.rect((start, base - height, start + width, base), colour)
                base -= height
            else:
                bar = width / len(names)
                x = start + bar * row
                canvas.rect((x, lower - height, x + bar - 3, lower), colour, radius=3)
                if len(names) <= 2:
                    canvas.text((x + bar / 2, lower - height - 6), number_text(values[row][place]), 15, anchor="ms")
        label = group if canvas.width_of(group, 16) < slot else group[: max(4, int(slot / 10))] + "."
        canvas.text((start + width / 2, lower + 14), label, 16, anchor="ma")
    if len(names) > 1:
        legend(canvas, (150, 910), [(name, canvas.palette.accents[row]) for row, name in enumerate(names)])


def lines(canvas: Canvas, draws: Draws) -> None:
    """Draw two to four curves over time, one of them annotated."""
    topic, unit = draws.pick(TOPICS)
    first = draws.between(1960, 2005)
    count = draws.between(14, 22)
    names = draws.pick(_SERIES)[: draws.between(2, 4)]
    scale = draws.pick((9, 60, 300, 1800))
    curves = []
    for _ in names:
        level, slope, phase = draws.real(0.25, 0.75), draws.real(-0.02, 0.02), draws.fraction()
        curve = [
            max(0.03, level + slope * year + 0.12 * wave(phase + year / 9) + draws.bell(0, 0.035)) * scale
            for year in range(count)
        ]
        curves.append(curve)
    top = nice_top(max(map(max, curves)) * 1.05)
    title(canvas, draws, topic, f"in {unit}, {first} to {first + count - 1}")
    box = (150.0, 200.0, 930.0, 850.0)
    axes(canvas, box, top, unit)
    left, upper, right, lower = box
    step = (right - left) / (count - 1)
    for year in range(0, count, 3):
        canvas.text((left + step * year, lower + 14), str(first + year), 16, anchor="ma")
    for row, curve in enumerate(curves):
        colour = canvas.palette.accents[row]
        points = [(left + step * year, lower - (lower - upper) * value / top) for year, value in enumerate(curve)]
        canvas.line(points, colour, 3.5)
        for point in points:
            canvas.circle(point, 5, canvas.palette.paper, colour, 2.5)
    peak = max(range(count), key=lambda year: curves[0][year])
    x, y = left + step * peak, lower - (lower - upper) * curves[0][peak] / top
    note = draws.pick(
        ("record", "new counting method", "after the reopening", "exceptional summer", "strike year ended")
    )
    words = f"{first + peak}: {number_text(curves[0][peak])}, {note}"
    side = min(max(x, 290), 790)
    canvas.line([(x, y - 8), (side, 176)], canvas.palette.ink, 1.4)
    canvas.text((side, 168), words, 17, anchor="ms", bold=True)
    legend(canvas, (150, 910), [(name, canvas.palette.accents[row]) for row, name in enumerate(names)])


def pie(canvas: Canvas, draws: Draws) -> None:
    """Draw a pie or ring of five to seven shares with labels and a table."""
    topic, unit = draws.pick(TOPICS)
    count = draws.between(4, 6)
    names = draws.sample(TOWNS, count)
    weights = sorted((draws.real(0.3, 3.0) for _ in names), reverse=True)
    total = sum(weights)
    amount = draws.between(200, 90_000)
    title(canvas, draws, f"{topic}: shares {draws.between(2004, 2026)}", f"{amount:,} {unit} in all")
    centre, radius, angle = (380.0, 440.0), 270.0, draws.real(-120, 0)
    for place, weight in enumerate(weights):
        sweep = 360 * weight / total
        canvas.sector(centre, radius, angle, angle + sweep, canvas.palette.accents[place], canvas.palette.paper)
        angle += sweep
    if draws.chance(0.6):
        canvas.circle(centre, radius * 0.54, canvas.palette.paper)
        canvas.text(centre, f"{amount:,}", 40, anchor="mm", bold=True)
        canvas.text((centre[0], centre[1] + 38), unit, 17, canvas.palette.quiet, "mm")
    for place, (name, weight) in enumerate(zip(names, weights, strict=True)):
        y = 260 + place * 66
        canvas.rect((700, y, 726, y + 26), canvas.palette.accents[place], radius=4)
        canvas.text((740, y + 13), name, 20, anchor="lm")
        canvas.text(
            (740, y + 39),
            f"{100 * weight / total:.1f} %  ({amount * weight / total:,.0f})",
            17,
            canvas.palette.quiet,
            "lm",
        )
    remark = (
        f"{names[0]} alone accounts for {100 * weights[0] / total:.0f} per cent; the three smallest together reach "
        f"{100 * sum(weights[-3:]) / total:.0f} per cent. Figures rounded, places without returns left out."
    )
    canvas.paragraph((70, 790, 860), remark, 21)
