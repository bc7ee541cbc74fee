"""The leaderboard of one workload and scenario: pictures of ranges and the table below them."""

from __future__ import annotations

from collections.abc import Sequence

from dashboards.publication.charts import Range, ranges
from dashboards.publication.contract import BoardRow, FigureRow, Snapshot
from dashboards.publication.frame import table, tag, why
from dashboards.publication.markup import Html, el, joined, text
from dashboards.publication.wording import count, day, file_name, interval, number, share
from schemas.metrics import metric


def pictures(snapshot: Snapshot, workload: str, scenario: str) -> Html:
    """Draw output speed and TTFT of every endpoint, with intervals and spread."""
    rows = [row for row in snapshot.figures if (row.workload, row.scenario) == (workload, scenario)]
    drawn = [
        el(
            "div",
            el("h3", why(metric_id, metric(metric_id).title), " ", el("small", words)),
            ranges(
                _ranges(rows, metric_id, fastest_first=metric_id == "output-speed"), metric(metric_id).unit, words
            ),
        )
        for metric_id, words in (
            ("output-speed", "more is better"),
            ("ttft", "less is better"),
        )
    ]
    legend = "Line: median. Dark bar: its 95 % interval. Light bar: from P5 to P95 of the attempts."
    if any(row.simulated for row in rows):
        legend += " Sim.: simulated."
    return joined([el("div", *drawn, class_="pair"), el("p", legend, class_="legend")])


def _ranges(rows: Sequence[FigureRow], metric_id: str, *, fastest_first: bool) -> list[Range]:
    known = [
        Range(
            label=_name(row),
            value=text(number(row.p50)),
            p5=row.p5,
            p50=row.p50,
            p95=row.p95,
            low=row.low,
            high=row.high,
        )
        for row in rows
        if row.metric == metric_id and row.p50 is not None and row.p5 is not None and row.p95 is not None
    ]
    return sorted(known, key=lambda each: -each.p50 if fastest_first else each.p50)


def _name(row: FigureRow) -> Html:
    link = el("a", row.endpoint, href=file_name(row.endpoint), title=f"{row.endpoint}, {row.vantage}, {row.source}")
    return joined([link, el("small", "sim.", title="simulated")]) if row.simulated else link


def _heading(metric_id: str, words: str) -> Html:
    unit = metric(metric_id).unit
    return el("th", why(metric_id, words), el("small", "of attempts" if unit == "share" else unit), scope="col")


def board_table(rows: Sequence[BoardRow], *, several_places: bool) -> Html:
    """Make the table of one workload and scenario, in the order of the query."""
    head = [
        el("th", "Endpoint", el("small", "model, provider"), scope="col"),
        *([el("th", "Vantage point", el("small", "log"), scope="col", class_="words")] if several_places else []),
        _heading("output-speed", "Output speed"),
        _heading("ttft", "First token"),
        _heading("ttfat", "First answer token"),
        _heading("end-to-end", "End to end"),
        _heading("total-100", "100 tokens"),
        _heading("success-share", "Success"),
        el("th", "n", el("small", "attempts"), scope="col"),
        el("th", "Newest", el("small", "UTC"), scope="col"),
    ]
    return table(
        "Medians, with 95 % intervals below them; success is the share of complete answers.",
        head,
        [_board_row(row, several_places=several_places) for row in rows],
    )


def _board_row(row: BoardRow, *, several_places: bool) -> list[Html]:
    marks = [tag("simulated")] if row.simulated else []
    if row.measured_again:
        marks.append(tag("ordinary account"))
    said = joined([row.model, row.provider, *([row.quantization] if row.quantization else [])], " · ")
    total = el("td", number(row.total_100_p50), el("small", "assumed thinking") if row.total_assumed else "")
    return [
        el("th", el("a", row.endpoint, href=file_name(row.endpoint)), " ", *marks, el("small", said), scope="row"),
        *([el("td", row.vantage, el("small", row.source), class_="words")] if several_places else []),
        _with_interval(row.output_speed_p50, row.output_speed_low, row.output_speed_high),
        _with_interval(row.ttft_p50, row.ttft_low, row.ttft_high),
        el("td", number(row.ttfat_p50)),
        el("td", number(row.end_to_end_p50)),
        total,
        el(
            "td",
            share(row.success_share),
            el("small", f"{share(row.rate_limited_share)} limited") if row.rate_limited_share else "",
        ),
        el("td", count(row.n), el("small", f"of {count(row.attempts)}") if row.attempts != row.n else ""),
        el("td", day(row.newest), el("small", f"{row.newest:%H:%M}")),
    ]


def _with_interval(value: float | None, low: float | None, high: float | None) -> Html:
    return el("td", el("b", number(value)), el("small", interval(low, high)))
