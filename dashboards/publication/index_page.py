"""The first page: what stands, workload by workload, with intervals, limits, and how to check it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from dashboards.publication.charts import Range, ranges
from dashboards.publication.contract import BoardRow, Checkpoint, FigureRow, Snapshot
from dashboards.publication.frame import checkpoints, framed, table, tag, why
from dashboards.publication.limits import LIMITS
from dashboards.publication.markup import Html, el, joined, text
from dashboards.publication.wording import (
    KINDS,
    UNKNOWN,
    count,
    day,
    file_name,
    interval,
    minute,
    number,
    quantity,
    scenario_title,
    share,
    workload_rank,
    workload_title,
)
from schemas.metrics import metric

DATA_FILES = (
    ("leaderboard.csv", "leaderboard.json", "one row an endpoint, workload and scenario"),
    ("endpoints.csv", "endpoints.json", "each metric with P5 to P95"),
    ("history.csv", "history.json", "medians by day"),
    ("attestations.csv", "attestations.json", "what providers attest"),
    ("statements.csv", "statements.json", "public statements on cases"),
)


def index_page(snapshot: Snapshot) -> bytes:
    """Make the page."""
    vantages = sorted({row.vantage for row in snapshot.board})
    return framed(
        snapshot,
        "Measured performance of AI endpoints",
        joined(
            [
                el("p", "Messwerk", class_="over"),
                el("h1", "Measured performance of AI endpoints"),
                el(
                    "p",
                    "How soon the first token arrives, how fast the rest follows, and how often a service fails: "
                    "medians of scheduled requests, folded from an append-only log that can be checked.",
                    class_="lead",
                ),
                _facts(snapshot, vantages),
                _contents(snapshot),
            ]
        ),
        *_notes(snapshot),
        *_sections(snapshot, several_vantages=len(vantages) > 1),
        *_attestations(snapshot),
        _limits(),
        _verify(snapshot),
        _files(),
    )


def section_id(workload: str, scenario: str) -> str:
    """Name the part of a page that is about one workload and scenario."""
    return f"{workload}-{scenario}"


def _facts(snapshot: Snapshot, vantages: Sequence[str]) -> Html:
    facts = [
        ("As of", minute(snapshot.moment)),
        ("Measured from", ", ".join(vantages) or UNKNOWN),
        ("Endpoints", count(len(snapshot.endpoints))),
        ("Newest attempt", minute(max(row.newest for row in snapshot.board)) if snapshot.board else UNKNOWN),
        ("Definitions", el("a", snapshot.definitions.id, href="methodology.html")),
        ("Checkpoint", joined([_checkpoint_link(each) for each in snapshot.checkpoints], ", ")),
    ]
    return el("dl", *(el("div", el("dt", name), el("dd", value)) for name, value in facts), class_="facts")


def _checkpoint_link(each: Checkpoint) -> Html:
    return el(
        "a", f"{count(each.size)} events, {each.root[:8]}…", href="#verify", title=f"{each.source}: {each.short}"
    )


def _contents(snapshot: Snapshot) -> Html:
    parts = [
        el("a", f"{workload_title(workload)}, {scenario_title(scenario)}", href=f"#{section_id(workload, scenario)}")
        for (workload, scenario), _ in _by_section(snapshot)
    ]
    rest = [("#limits", "Limits"), ("#verify", "Check it"), ("#files", "Data"), ("methodology.html", "Methodology")]
    return el("nav", *parts, *(el("a", words, href=target) for target, words in rest), class_="parts")


def _notes(snapshot: Snapshot) -> list[Html]:
    notes = []
    if snapshot.simulated:
        notes.append(
            el(
                "div",
                el(
                    "p",
                    el("strong", "Simulated endpoints. "),
                    "Rows marked ",
                    tag("simulated"),
                    " are of reference endpoints that show how the instrument works. They say nothing about any "
                    "service.",
                ),
                class_="note",
            )
        )
    notes += [
        el(
            "div",
            el(
                "p",
                el("strong", f"{each.endpoint}: "),
                each.statement,
                " Its figures are not published for the time being." if each.figures_absent else "",
                el("small", f" ({day(each.decided)})"),
            ),
            class_="note",
        )
        for each in snapshot.statements
    ]
    if not snapshot.board:
        notes.append(
            el(
                "p",
                "No figures stand at this moment under the newest checkpoints of the logs named below.",
                class_="lead",
            )
        )
    return notes


def _by_section(snapshot: Snapshot) -> list[tuple[tuple[str, str], list[BoardRow]]]:
    ordered = sorted(snapshot.board, key=lambda row: workload_rank(row.workload, row.scenario))  # stable: ranks stay
    return [(key, list(rows)) for key, rows in groupby(ordered, key=lambda row: (row.workload, row.scenario))]


def _sections(snapshot: Snapshot, *, several_vantages: bool) -> list[Html]:
    return [
        el(
            "section",
            el("h2", workload_title(workload), " ", el("small", scenario_title(scenario))),
            el("p", _window(rows)),
            _pictures(snapshot, workload, scenario),
            _board(rows, several_vantages=several_vantages),
            id=section_id(workload, scenario),
        )
        for (workload, scenario), rows in _by_section(snapshot)
    ]


def _window(rows: Sequence[BoardRow]) -> str:
    hours = round((rows[0].window_end - rows[0].window_start).total_seconds() / 3600)
    span = f"{hours} hours" if hours <= 96 else f"{hours // 24} days"
    return f"Medians over the {span} to {minute(rows[0].window_end)}, as far as the checkpoint reaches."


def _pictures(snapshot: Snapshot, workload: str, scenario: str) -> Html:
    rows = [row for row in snapshot.figures if (row.workload, row.scenario) == (workload, scenario)]
    pictures = [
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
    return joined([el("div", *pictures, class_="pair"), el("p", legend, class_="legend")])


def _ranges(rows: Sequence[FigureRow], metric_id: str, *, fastest_first: bool) -> list[Range]:
    known = [
        Range(
            label=el("a", row.endpoint, href=file_name(row.endpoint), title=f"{row.endpoint}, {row.vantage}"),
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


def _heading(metric_id: str, words: str) -> Html:
    unit = metric(metric_id).unit
    return el("th", why(metric_id, words), el("small", "of attempts" if unit == "share" else unit), scope="col")


def _board(rows: Sequence[BoardRow], *, several_vantages: bool) -> Html:
    head = [
        el("th", "Endpoint", el("small", "model, provider"), scope="col"),
        *([el("th", "Vantage point", scope="col", class_="words")] if several_vantages else []),
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
        [_board_row(row, several_vantages=several_vantages) for row in rows],
    )


def _board_row(row: BoardRow, *, several_vantages: bool) -> list[Html]:
    marks = [tag("simulated")] if row.simulated else []
    if row.measured_again:
        marks.append(tag("ordinary account"))
    said = joined([row.model, row.provider, *([row.quantization] if row.quantization else [])], " · ")
    total = el("td", number(row.total_100_p50), el("small", "assumed thinking") if row.total_assumed else "")
    return [
        el("th", el("a", row.endpoint, href=file_name(row.endpoint)), " ", *marks, el("small", said), scope="row"),
        *([el("td", row.vantage, class_="words")] if several_vantages else []),
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


def _attestations(snapshot: Snapshot) -> list[Html]:
    if not snapshot.attestations:
        return []
    head = [
        el("th", words, scope="col", class_="words")
        for words in (
            "Endpoint",
            "Statement",
            "Model version",
            "Quantization",
            "Context",
            "Public offer",
            "By, recorded",
        )
    ]
    rows = [
        [
            el("th", el("a", each.endpoint, href=file_name(each.endpoint)), scope="row"),
            *(
                el("td", value, class_="words")
                for value in (
                    each.statement,
                    each.model_version or UNKNOWN,
                    each.quantization or UNKNOWN,
                    UNKNOWN if each.context_tokens is None else quantity(each.context_tokens, "tokens"),
                    {True: "yes", False: "no", None: UNKNOWN}[each.public_standard_offer],
                    f"{each.stated_by}, {day(each.attested)}",
                )
            ),
        ]
        for each in snapshot.attestations
    ]
    return [
        el(
            "section",
            el("h2", "What providers attest"),
            el("p", "Statements of providers about what is measured here. They are theirs, and no measurement."),
            table("The newest attestation of each endpoint.", head, rows),
            id="attestations",
        )
    ]


def _limits() -> Html:
    return el("section", el("h2", "Limits"), el("ul", *(el("li", each) for each in LIMITS)), id="limits")


def _verify(snapshot: Snapshot) -> Html:
    first = snapshot.checkpoints[0]
    return el(
        "section",
        el("h2", "Check it"),
        el(
            "p",
            "Every figure was folded from the events of a log up to a checkpoint: its size, and the root of the "
            "Merkle tree (RFC 6962) over them. Keep this page, or the line below; whoever holds the log can be "
            "asked at any later time to show that it still begins with exactly these events.",
        ),
        checkpoints(snapshot),
        el("pre", el("code", f"messwerk log verify --against {first.short}")),
        el(
            "p",
            "This shows that nothing up to the checkpoint was changed, added or taken away since. It does not show "
            "that what was written is true, nor that everything was written. A proof for a single event is made by ",
            el("code", "messwerk log prove"),
            " and checked with a page of code, without the log.",
        ),
        el(
            "p",
            "Kinds of accounts whose figures these are: ",
            ", ".join(sorted({KINDS.get(row.account_kind, row.account_kind) for row in snapshot.board})) or UNKNOWN,
            ". Where a provider has several accounts, others send the same at the same time, to see whether an "
            "ordinary account gets the same. A figure that a person has withheld is absent here and stays in the "
            "log.",
        ),
        id="verify",
    )


def _files() -> Html:
    rows = [
        el("li", el("a", as_csv, href=as_csv), ", ", el("a", as_json, href=as_json), f": {words}")
        for as_csv, as_json, words in DATA_FILES
    ]
    everything = el(
        "li", el("a", "figures.json", href="figures.json"), ": all of it, with definitions, limits and checkpoints"
    )
    kept = el(
        "li", el("a", "checkpoints.jsonl", href="checkpoints.jsonl"), ": what ", el("code", "--against"), " reads"
    )
    return el("section", el("h2", "Data"), el("ul", everything, *rows, kept), id="files")
