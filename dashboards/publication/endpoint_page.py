"""A page for each endpoint: every metric of every workload with its spread, and its days."""

from __future__ import annotations

from dashboards.publication.charts import over_time
from dashboards.publication.contract import Attestation, BoardRow, Day, FigureRow, Snapshot
from dashboards.publication.frame import checkpoints, framed, home, stamp, table, tag, why
from dashboards.publication.index_page import section_id
from dashboards.publication.markup import Html, el, joined
from dashboards.publication.wording import (
    KINDS,
    UNKNOWN,
    count,
    day,
    interval,
    minute,
    number,
    quantity,
    scenario_title,
    share,
    workload_rank,
    workload_title,
)
from schemas.metrics import METRICS, metric

_ORDER = {each.id: place for place, each in enumerate(METRICS)}


def endpoint_page(snapshot: Snapshot, endpoint: str) -> bytes:
    """Make the page of an endpoint that has rows on the leaderboard."""
    board = sorted(
        (row for row in snapshot.board if row.endpoint == endpoint),
        key=lambda row: (*workload_rank(row.workload, row.scenario), row.vantage, row.source),
    )
    attested = next((each for each in snapshot.attestations if each.endpoint == endpoint), None)
    marks = [tag("simulated")] if any(row.simulated for row in board) else []
    if any(row.measured_again for row in board):
        marks.append(tag("ordinary account"))
    return framed(
        snapshot,
        f"{endpoint}: measured performance",
        joined([home(), el("h1", endpoint, " ", *marks), _facts(board, attested)]),
        *_statements(snapshot, endpoint),
        *(_section(snapshot, row) for row in board),
        el("section", el("h2", "As of"), checkpoints(snapshot), id="verify"),
    )


def _facts(board: list[BoardRow], attested: Attestation | None) -> Html:
    first = board[0]
    facts = [
        ("Provider", first.provider),
        ("Model asked for", first.model),
        ("Region", first.region or UNKNOWN),
        ("Quantization, as the provider states it", first.quantization or UNKNOWN),
        ("Measured from", ", ".join(sorted({row.vantage for row in board}))),
        ("Kind of account", ", ".join(sorted({KINDS.get(row.account_kind, row.account_kind) for row in board}))),
        ("Instrument's error in TTFT", _error(first)),
    ]
    if attested is not None:
        said = [
            attested.statement,
            *(f"{name} {value}" for name, value in _details(attested) if value is not None),
            f"by {attested.stated_by}, {day(attested.attested)}",
        ]
        facts.append(("The provider attests", "; ".join(said)))
    return el("dl", *(el("div", el("dt", name), el("dd", value)) for name, value in facts), class_="facts")


def _details(attested: Attestation) -> list[tuple[str, str | None]]:
    offer = {True: "yes", False: "no", None: None}[attested.public_standard_offer]
    context = None if attested.context_tokens is None else quantity(attested.context_tokens, "tokens")
    return [
        ("version", attested.model_version),
        ("quantization", attested.quantization),
        ("context", context),
        ("public standard offer:", offer),
    ]


def _error(row: BoardRow) -> str:
    if row.instrument_error_ms is None:
        return f"{UNKNOWN} (not calibrated)"
    out = f"; {count(row.out_of_bounds)} of {count(row.calibrated)} out of bounds" if row.out_of_bounds else ""
    return f"{quantity(row.instrument_error_ms, 'ms')}{out}"


def _statements(snapshot: Snapshot, endpoint: str) -> list[Html]:
    return [
        el("div", el("p", el("strong", f"{day(each.decided)}: "), each.statement), class_="note")
        for each in snapshot.statements
        if each.endpoint == endpoint
    ]


def _section(snapshot: Snapshot, row: BoardRow) -> Html:
    figures = [each for each in snapshot.figures if _same(each, row)]
    days = [each for each in snapshot.days if _same(each, row)]
    place = f"{section_id(row.workload, row.scenario)}-{row.vantage}-{row.source}"
    said = (
        f"From {row.vantage}, log {row.source}. Success {share(row.success_share)} of {count(row.attempts)} "
        f"attempts; rate limited {share(row.rate_limited_share)}. Window from {minute(row.window_start)} to "
        f"{minute(row.window_end)}."
    )
    return el(
        "section",
        el("h2", workload_title(row.workload), " ", el("small", scenario_title(row.scenario))),
        el("p", said),
        _figures(snapshot, sorted(figures, key=lambda each: _ORDER[each.metric])),
        _days(snapshot, days),
        id=place,
    )


def _same(row: FigureRow | Day, board: BoardRow) -> bool:
    return (row.source, row.vantage, row.endpoint, row.workload, row.scenario) == (
        board.source,
        board.vantage,
        board.endpoint,
        board.workload,
        board.scenario,
    )


def _figures(snapshot: Snapshot, rows: list[FigureRow]) -> Html:
    head = [
        el("th", "Metric", el("small", "definition"), scope="col"),
        *(el("th", words, scope="col") for words in ("P50", "95 % interval", "P5", "P25", "P75", "P95")),
        el("th", "n", scope="col"),
        el("th", "Newest", scope="col"),
    ]
    body = [
        [
            el(
                "th",
                why(row.metric, metric(row.metric).title),
                el("small", _named(row.metric), title=stamp(row.metric, snapshot.definitions)),
                scope="row",
            ),
            el("td", el("b", quantity(row.p50, row.unit)), el("small", "assumed thinking") if row.assumed else ""),
            el("td", interval(row.low, row.high) or UNKNOWN),
            *(el("td", number(value)) for value in (row.p5, row.p25, row.p75, row.p95)),
            el("td", count(row.n)),
            el("td", UNKNOWN if row.newest is None else minute(row.newest)),
        ]
        for row in rows
    ]
    return table("Each metric links to its definition. Percentiles are exact.", head, body)


def _named(metric_id: str) -> str:
    return f"{metric_id}/{metric(metric_id).version}"


def _days(snapshot: Snapshot, rows: list[Day]) -> Html:
    pictures = []
    for metric_id, values in (
        ("output-speed", [(row.time, row.output_speed_p50) for row in rows if row.output_speed_p50 is not None]),
        ("ttft", [(row.time, row.ttft_p50) for row in rows if row.ttft_p50 is not None]),
    ):
        if not values:
            continue
        found = metric(metric_id)
        start = max(snapshot.history_start, values[0][0])
        ordered = sorted(values)
        least, most = min(value for _, value in values), max(value for _, value in values)
        described = f"{found.title} by day, from {number(least)} to {number(most)} {found.unit}"
        picture = over_time(ordered, start, max(ordered[-1][0], start), found.unit, described)
        pictures.append(el("div", el("h3", why(metric_id, found.title), ", median of each UTC day"), picture))
    return el("div", *pictures, class_="pair") if pictures else Html("")
