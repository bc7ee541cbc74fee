"""Pictures as inline SVG without text, so that they take any width; their words are HTML around them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from dashboards.publication.markup import Html, el
from dashboards.publication.wording import day

_FAR_APART: Final = 40


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a picture of ranges: from P5 to P95 thin, the median's interval thick, the median itself."""

    label: Html
    value: Html
    p5: float
    p50: float
    p95: float
    low: float | None
    high: float | None


def nice_end(largest: float) -> float:
    """Return the round number at or above a value: 1, 2, 2.5, 4, 5 or 8 times a power of ten."""
    if largest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    return next(step * power for step in (1, 2, 2.5, 4, 5, 8, 10) if step * power >= largest * (1 - 1e-9))


def ticks_to(end: float) -> list[float]:
    """Return an axis' values from 0 to what :func:`nice_end` gave, in steps that are round as well."""
    mantissa = end / 10.0 ** math.floor(math.log10(end) + 1e-9)
    parts = 4 if any(abs(mantissa - even) < 1e-6 for even in (2, 4, 8)) else 5
    return [end * part / parts for part in range(parts + 1)]


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """Values to places from 0 to 100. Logarithmic where values lie so far apart that small ones could not be told."""

    begin: float
    end: float
    logarithmic: bool

    def at(self, value: float) -> float:
        """Return a value's place."""
        if self.logarithmic:
            share = math.log(max(value, self.begin) / self.begin) / math.log(self.end / self.begin)
        else:
            share = value / self.end
        return min(100.0, max(0.0, share * 100))

    def ticks(self) -> list[float]:
        """Return the values that are written."""
        if not self.logarithmic:
            return ticks_to(self.end)
        return [10.0**power for power in range(round(math.log10(self.begin)), round(math.log10(self.end)) + 1)]


def axis_for(rows: Sequence[Range]) -> Axis:
    """Choose an axis for all rows: from 0, or logarithmic from P5s that are less than a fortieth of the last P95."""
    least, largest = min((row.p5 for row in rows), default=0.0), max((row.p95 for row in rows), default=0.0)
    if 0 < least < largest / _FAR_APART:
        begin, end = (10.0 ** way(math.log10(value)) for way, value in ((math.floor, least), (math.ceil, largest)))
        return Axis(begin=begin, end=end, logarithmic=True)
    return Axis(begin=0.0, end=nice_end(largest), logarithmic=False)


def ranges(rows: Sequence[Range], unit: str, described: str) -> Html:
    """Draw rows one below the other over one axis."""
    axis = axis_for(rows)
    lines = [
        el(
            "div",
            el("span", row.label, class_="name"),
            _range(row, axis),
            el("span", row.value, class_="val"),
            class_="r",
        )
        for row in rows
    ]
    ticks = el("span", *(el("i", _tick(value)) for value in axis.ticks()), class_="ticks")
    way = "log. axis" if axis.logarithmic else ""
    below = el(
        "div", el("span", way, class_="name unit"), ticks, el("span", unit, class_="val unit"), class_="r axis"
    )
    return el("div", *lines, below, class_="ranges", role="img", aria_label=described)


def _range(row: Range, axis: Axis) -> Html:
    def at(value: float) -> str:
        return f"{axis.at(value):.2f}"

    def span(first: float, last: float, name: str, y: str, height: str) -> Html:
        width = max(0.3, axis.at(last) - axis.at(first))
        return el("rect", x=at(first), y=y, width=f"{width:.2f}", height=height, class_=name)

    parts = [
        *(el("line", x1=at(x), x2=at(x), y1="0", y2="18", class_="grid") for x in axis.ticks()),
        span(row.p5, row.p95, "outer", "7", "4"),
    ]
    if row.low is not None and row.high is not None:
        parts.append(span(row.low, row.high, "inner", "5", "8"))
    parts.append(el("line", x1=at(row.p50), x2=at(row.p50), y1="2", y2="16", class_="median"))
    return el("svg", *parts, viewBox="0 0 100 18", preserveAspectRatio="none", aria_hidden="true")


def _tick(value: float) -> str:
    return f"{value:,.6g}"


def over_time(
    points: Sequence[tuple[datetime, float]], start: datetime, end: datetime, unit: str, described: str
) -> Html:
    """Draw one value a day, from 0; days without one break the line."""
    top = nice_end(max((value for _, value in points), default=0.0))
    span_s = max(1.0, (end - start).total_seconds())

    def place(moment: datetime, value: float) -> str:
        return f"{(moment - start).total_seconds() / span_s * 1000:.1f} {100 - value / top * 100:.2f}"

    path: list[str] = []
    before: datetime | None = None
    for moment, value in points:
        joins = before is not None and (moment - before).total_seconds() <= 86_400
        path.append(f"{'L' if joins else 'M'}{place(moment, value)}{'' if joins else 'h.01'}")
        before = moment
    grid = [el("line", x1="0", x2="1000", y1=str(y), y2=str(y), class_="grid") for y in (0, 50, 100)]
    svg = el(
        "svg",
        *grid,
        el("path", d="".join(path) or "M0 100", class_="line"),
        viewBox="0 0 1000 100",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    ys = el("div", el("i", f"{_tick(top)} {unit}"), el("i", _tick(top / 2)), el("i", "0"), class_="ys")
    xs = el("div", el("i", day(start)), el("i", day(end)), class_="xs")
    return el("div", ys, svg, xs, class_="days", role="img", aria_label=described)
