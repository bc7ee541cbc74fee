"""What every page of a snapshot has in common: head, footer, and links to definitions."""

from __future__ import annotations

from importlib.resources import files

from dashboards.publication.contract import Snapshot
from dashboards.publication.markup import Html, el, joined, page
from dashboards.publication.wording import minute
from schemas.definitions import Definitions
from schemas.metrics import metric


def framed(snapshot: Snapshot, title: str, top: Html, *body: Html) -> bytes:
    """Make a page's bytes."""
    style = files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    return page(title, style, el("header", top, class_="top"), el("main", *body), _footer(snapshot)).encode()


def home() -> Html:
    """Lead back to the first page."""
    return el("p", el("a", "Measured performance of AI endpoints", href="index.html"), class_="over")


def why(metric_id: str, words: str) -> Html:
    """Link words to the definition of a figure."""
    return el("a", words, href=f"methodology.html#{metric_id}", title=f"Why this number: {metric(metric_id).title}")


def stamp(metric_id: str, definitions: Definitions) -> str:
    """Name the definition in force, with its version and parameters."""
    return metric(metric_id).stamp(definitions)


def tag(words: str) -> Html:
    """Mark something."""
    return el("span", words, class_="tag")


def table(caption: str, head: list[Html], rows: list[list[Html]]) -> Html:
    """Make a table that can be scrolled sideways by itself."""
    body = (el("tr", *row) for row in rows)
    whole = el("table", el("thead", el("tr", *head)), el("tbody", *body), aria_label=caption)
    scrolled = el("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)
    return joined([el("p", caption, class_="caption"), scrolled])


def checkpoints(snapshot: Snapshot) -> Html:
    """Name the checkpoints that figures are as of."""
    lines = [
        el("li", f"Log {each.source}, {minute(each.time)}: ", el("code", each.short)) for each in snapshot.checkpoints
    ]
    return el("ul", *lines)


def _footer(snapshot: Snapshot) -> Html:
    links = joined(
        [
            el("a", "Figures", href="index.html"),
            el("a", "Methodology", href="methodology.html"),
            el("a", "figures.json", href="figures.json"),
        ],
        " · ",
    )
    return el(
        "footer",
        el("p", links),
        el(
            "p",
            f"Made by Messwerk from its event log, for {minute(snapshot.moment)}, definitions "
            f"{snapshot.definitions.id}. This page loads nothing and runs no script.",
        ),
    )
