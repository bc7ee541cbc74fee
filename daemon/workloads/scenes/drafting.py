"""What plans and pages have in common: a compass, dimension lines, ruled tables."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.workloads.scenes.canvas import Canvas, Point, mix


def compass(canvas: Canvas, centre: Point, size: float) -> None:
    """Draw a compass rose that points up."""
    x, y = centre
    canvas.circle(centre, size, None, canvas.palette.quiet, 1.6)
    canvas.polygon([(x, y - size * 0.9), (x + size * 0.28, y), (x - size * 0.28, y)], canvas.palette.ink)
    canvas.polygon([(x, y + size * 0.9), (x + size * 0.28, y), (x - size * 0.28, y)], None, canvas.palette.ink, 1.4)
    canvas.text((x, y - size - 5), "N", 16, anchor="ms", bold=True)


def dimension(canvas: Canvas, start: Point, end: Point, words: str) -> None:
    """Draw a dimension line, level or upright, with arrow heads and its figure."""
    tone = canvas.palette.quiet
    canvas.line([start, end], tone, 1.6)
    level = start[1] == end[1]
    for (x, y), way in ((start, 1), (end, -1)):
        if level:
            canvas.polygon([(x, y), (x + 13 * way, y - 4), (x + 13 * way, y + 4)], tone)
            canvas.line([(x, y - 16), (x, y + 9)], tone, 1.2)
        else:
            canvas.polygon([(x, y), (x - 4, y + 13 * way), (x + 4, y + 13 * way)], tone)
            canvas.line([(x - 16, y), (x + 9, y)], tone, 1.2)
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    if level:
        canvas.text((middle[0], middle[1] - 6), words, 17, anchor="ms")
    else:
        canvas.upright((middle[0] - 13, middle[1]), words, 17)


def grid(
    canvas: Canvas,
    box: tuple[float, float, float, float],
    head: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    shares: tuple[float, ...],
) -> None:
    """Draw a table; ``shares`` are the columns' parts of its width."""
    left, top, right, bottom = box
    high = (bottom - top) / (len(rows) + 1)
    size = min(18.0, high * 0.52)
    palette = canvas.palette
    canvas.rect((left, top, right, top + high), mix(palette.paper, palette.accents[0], 0.22))
    for number, row in enumerate([head, *rows]):
        y = top + high * number
        if number and number % 2 == 0:
            canvas.rect((left, y, right, y + high), palette.panel)
        canvas.line([(left, y), (right, y)], palette.quiet, 1)
        x = left
        for cell, share in zip(row, shares, strict=True):
            canvas.text((x + 10, y + high / 2), cell, size, anchor="lm", bold=number == 0)
            x += share * (right - left)
    canvas.rect(box, None, palette.ink, 1.6)
