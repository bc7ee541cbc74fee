"""What lets others check a snapshot: checkpoints, what they show, and the files for programs."""

from __future__ import annotations

from dashboards.publication.contract import Snapshot
from dashboards.publication.frame import checkpoints
from dashboards.publication.markup import Html, el
from dashboards.publication.wording import KINDS, UNKNOWN

DATA_FILES = (
    ("leaderboard.csv", "leaderboard.json", "one row an endpoint, workload and scenario"),
    ("endpoints.csv", "endpoints.json", "each metric with P5 to P95"),
    ("history.csv", "history.json", "medians by day"),
    ("office.csv", "office.json", "office tasks: right work and its cost"),
    ("attestations.csv", "attestations.json", "what providers attest"),
    ("statements.csv", "statements.json", "public statements on cases"),
)


def verify_section(snapshot: Snapshot) -> Html:
    """Tell the checkpoints, how to hold the log to them, and what that shows."""
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


def files_section() -> Html:
    """List the files for programs."""
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
