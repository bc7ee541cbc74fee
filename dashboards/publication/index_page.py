"""The first page: what stands, workload by workload, with intervals, limits, and how to check it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from dashboards.publication.board import board_table, pictures
from dashboards.publication.contract import BoardRow, Checkpoint, Snapshot
from dashboards.publication.evidence import files_section, verify_section
from dashboards.publication.frame import framed, table, tag
from dashboards.publication.limits import LIMITS
from dashboards.publication.markup import Html, el, joined
from dashboards.publication.office_section import office_section
from dashboards.publication.wording import (
    UNKNOWN,
    count,
    day,
    file_name,
    minute,
    quantity,
    scenario_title,
    workload_rank,
    workload_title,
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
        *_sections(snapshot, several_places=len({(row.vantage, row.source) for row in snapshot.board}) > 1),
        *office_section(snapshot),
        *_attestations(snapshot),
        _limits(),
        verify_section(snapshot),
        files_section(),
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
    if snapshot.office:
        parts.append(el("a", "Office tasks", href="#office"))
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
    if not snapshot.board and not snapshot.office:
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


def _sections(snapshot: Snapshot, *, several_places: bool) -> list[Html]:
    return [
        el(
            "section",
            el("h2", workload_title(workload), " ", el("small", scenario_title(scenario))),
            el("p", _window(rows)),
            pictures(snapshot, workload, scenario),
            board_table(rows, several_places=several_places),
            id=section_id(workload, scenario),
        )
        for (workload, scenario), rows in _by_section(snapshot)
    ]


def _window(rows: Sequence[BoardRow]) -> str:
    hours = round((rows[0].window_end - rows[0].window_start).total_seconds() / 3600)
    span = f"{hours} hours" if hours <= 96 else f"{hours // 24} days"
    return f"Medians over the {span} to {minute(rows[0].window_end)}, as far as the checkpoint reaches."


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
