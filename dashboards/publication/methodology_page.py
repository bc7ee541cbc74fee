"""The methodology of a snapshot, made from the definitions in force: formulas, parameters and versions."""

from __future__ import annotations

from dashboards.publication.contract import Snapshot
from dashboards.publication.frame import framed, home, table
from dashboards.publication.limits import LIMITS
from dashboards.publication.markup import Html, el, joined
from projections.queries.fragments import P50_SAYS, USUAL_WINDOW_S, WINDOWS_S
from projections.queries.public import LEADERBOARD
from schemas.definitions import Definitions
from schemas.metrics import METRICS, MetricDefinition


def methodology_page(snapshot: Snapshot) -> bytes:
    """Make the page."""
    definitions = snapshot.definitions
    return framed(
        snapshot,
        "Methodology of the figures",
        joined(
            [
                home(),
                el("h1", "Methodology"),
                el(
                    "p",
                    "What every figure means, under the definitions in force: ",
                    el("code", definitions.id),
                    ". Another definition has another name, and figures of two definitions are never mixed.",
                    class_="lead",
                ),
                el("nav", *(el("a", each.title, href=f"#{each.id}") for each in METRICS), class_="parts"),
            ]
        ),
        el("h2", "Metrics"),
        *(_metric(each, definitions) for each in METRICS),
        el("section", el("h2", "Parameters"), _parameters(definitions), id="parameters"),
        el(
            "section",
            el("h2", "Medians, windows, intervals"),
            el("p", P50_SAYS),
            el("p", _windows()),
            el("p", LEADERBOARD.description),
            id="medians",
        ),
        el(
            "section",
            el("h2", "What is published"),
            el("ul", *(el("li", each) for each in PUBLISHED_SAYS)),
            id="publication",
        ),
        el("section", el("h2", "Limits"), el("ul", *(el("li", each) for each in LIMITS)), id="limits"),
    )


PUBLISHED_SAYS = (
    "Figures are of events under the newest checkpoint of each log. Its size and root stand beside them.",
    (
        "Figures are those of the measuring account of an endpoint, named by its kind alone. Where a person decided "
        "that an endpoint be measured again with an ordinary account, that account's figures are shown, and marked."
    ),
    (
        "Figures that a person withheld, delayed or removed, endpoints that were delisted and providers that were "
        "banned are absent. They stay in the log, and come back only by another decision. What a person disclosed "
        "about a case is shown."
    ),
    (
        "Nothing of this is decided by the program: it compares accounts, and people decide, with their reasons on "
        "record."
    ),
    "Reference endpoints and simulated clocks are marked as simulated wherever they appear.",
)


def _metric(each: MetricDefinition, definitions: Definitions) -> Html:
    return el(
        "section",
        el("h3", each.title, " ", el("small", each.unit)),
        el("p", each.text_under(definitions)),
        el("p", el("code", each.stamp(definitions))),
        id=each.id,
        class_="metric",
    )


def _parameters(definitions: Definitions) -> Html:
    head = [el("th", words, scope="col") for words in ("Parameter", "Value", "Used by")]
    rows = [
        [
            el("th", el("code", name), scope="row"),
            el("td", str(getattr(definitions, name))),
            el("td", ", ".join(each.title for each in METRICS if name in each.parameters) or "names the set"),
        ]
        for name in Definitions.__struct_fields__
    ]
    return table("Values in force. Each of them is part of the definitions' name.", head, rows)


def _windows() -> str:
    others = ", ".join(f"{name} {seconds // 86_400} days" for name, seconds in WINDOWS_S.items())
    return f"Windows end at the moment of the snapshot and reach back {USUAL_WINDOW_S // 3600} hours; {others}."
