"""Printed pages: a report with prose and a table, and an infographic."""

from __future__ import annotations

from daemon.workloads.scenes.canvas import Canvas, mix
from daemon.workloads.scenes.charts import TOPICS, number_text
from daemon.workloads.scenes.drafting import grid
from daemon.workloads.seeding import Draws
from daemon.workloads.text.library import articles
from daemon.workloads.text.matter.words import FIRM_HEADS, FIRM_TAILS, MONTHS, TOWNS, person


def report(canvas: Canvas, draws: Draws) -> None:
    """Set a page of a report: headline, two columns of prose, a table, a note and a page number."""
    palette = canvas.palette
    article = draws.pick(articles())
    canvas.rect((0, 0, 1000, 84), palette.accents[0])
    canvas.text(
        (60, 42),
        f"{draws.pick(FIRM_HEADS)} {draws.pick(FIRM_TAILS)}  ·  Annual report {draws.between(1999, 2026)}",
        22,
        (255, 255, 255),
        "lm",
    )
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
    note = f"{draws.between(1, 9)}) Values before {years[1]} were converted; see page {draws.between(60, 140)}."
    canvas.text((60, 908), note, 15, palette.quiet)
    canvas.text((500, 960), str(draws.between(3, 140)), 18, palette.quiet, "mm")


def infographic(canvas: Canvas, draws: Draws) -> None:
    """Draw big figures, rows of people, a funnel of steps and a strip of time."""
    palette = canvas.palette
    topic, unit = draws.pick(TOPICS)
    main = palette.accents[0]
    canvas.rect((0, 0, 1000, 190), main)
    canvas.text((60, 52), f"{topic} in {draws.pick(TOWNS)}", 38, (255, 255, 255), bold=True)
    canvas.text((60, 116), f"A year in figures, {draws.between(2001, 2026)}", 24, mix(main, (255, 255, 255), 0.75))
    units = draws.sample(
        (unit, "hours of work", "kilometres", "new members", "complaints", "volunteers", "nights"), 3
    )
    for place in range(3):
        left = 60 + place * 300
        canvas.rect((left, 222, left + 280, 372), palette.panel, radius=14)
        canvas.text(
            (left + 140, 282), f"{draws.between(12, 9900):,}", 52, palette.accents[place + 1], "mm", bold=True
        )
        canvas.text(
            (left + 140, 340),
            units[place],
            20,
            anchor="mm",
        )
    share = draws.between(1, 9)
    group = draws.pick(
        ("walk", "cycle", "take the bus", "come by train", "come twice", "bring a friend", "pay online")
    )
    canvas.text((60, 404), f"{share} of 10 {group}", 26, bold=True)
    for one in range(10):
        x, tone = 84 + one * 46, palette.accents[3] if one < share else mix(palette.paper, palette.quiet, 0.45)
        canvas.circle((x, 462), 12, tone)
        canvas.rect((x - 14, 478, x + 14, 530), tone, radius=9)
    steps = draws.sample(
        ("asked", "registered", "invited", "came", "stayed", "returned", "paid", "recommended it"), 4
    )
    amount = float(draws.between(800, 9800))
    for place, step in enumerate(steps):
        half = 190 - place * 34
        y = 404 + place * 54
        canvas.polygon(
            [(760 - half, y), (760 + half, y), (760 + half - 30, y + 46), (760 - half + 30, y + 46)],
            palette.accents[place],
        )
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
    change = f"{draws.between(-240, 380) / 10:+.1f} per cent"
    remark = f"Busiest month: {peak}. Compared with the year before, the quarter around {peak} changed by {change}."
    canvas.paragraph((60, 906, 880), remark, 21)
