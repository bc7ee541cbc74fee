"""Office tasks on the first page: right work with its intervals, the private third in totals, and what it costs."""

from __future__ import annotations

from dashboards.publication.contract import OfficeRow, Snapshot
from dashboards.publication.frame import table, tag
from dashboards.publication.markup import Html, el
from dashboards.publication.wording import count, day, number, share, share_interval

_TASKS = {"invoice": "Invoices", "email": "E-mails", "personal": "Personal data"}
_LANGUAGES = {"cs": "Czech", "en": "English"}
_SAYS = (
    "Fields read from synthetic documents, exactly right or wrong, and documents without a mistake, each with its "
    "95 % interval; differences within them decide nothing. A third of the documents is published nowhere; of it "
    "there are totals. Cost is what the API charges for 1,000 documents; below it, with a person who finds and "
    "corrects each faulty one: 3 minutes at 40 USD an hour. Synthetic documents do not cover everything: no "
    "handwriting, no invoices of several pages, no unusual layouts. Rankings are not for sale."
)


def office_section(snapshot: Snapshot) -> tuple[Html, ...]:
    """Make the section, or nothing where no office task was judged."""
    if not snapshot.office:
        return ()
    head = [
        el("th", "Endpoint", el("small", "provider"), scope="col"),
        el("th", "Documents", el("small", "language"), scope="col", class_="words"),
        el("th", "Right fields", el("small", "of fields"), scope="col"),
        el("th", "Error-free", el("small", "of documents"), scope="col"),
        el("th", "Private third", el("small", "right fields"), scope="col"),
        el("th", "Cost", el("small", "USD for 1,000"), scope="col"),
        el("th", "n", el("small", "documents"), scope="col"),
        el("th", "Newest", scope="col"),
    ]
    return (
        el(
            "section",
            el("h2", "Office tasks"),
            el("p", _SAYS),
            table(
                "Open documents; intervals, and the cost with mending, stand below.",
                head,
                [_row(each) for each in snapshot.office],
            ),
            id="office",
        ),
    )


def _row(row: OfficeRow) -> list[Html]:
    private = (
        ""
        if row.private_n is None
        else f"{share(row.private_error_free_share)} of {count(row.private_n)} documents error-free"
    )
    return [
        el(
            "th", row.endpoint, " ", tag("simulated") if row.simulated else "", el("small", row.provider), scope="row"
        ),
        el(
            "td",
            _TASKS.get(row.task, row.task),
            el("small", _LANGUAGES.get(row.language, row.language)),
            class_="words",
        ),
        el("td", el("b", share(row.right_share)), el("small", share_interval(row.right_low, row.right_high))),
        el(
            "td",
            el("b", share(row.error_free_share)),
            el("small", share_interval(row.error_free_low, row.error_free_high)),
        ),
        el("td", share(row.private_right_share), el("small", private)),
        el(
            "td",
            number(row.cost_usd_1000),
            "" if row.true_cost_usd_1000 is None else el("small", f"{number(row.true_cost_usd_1000)} mended"),
        ),
        el("td", count(row.n)),
        el("td", day(row.newest)),
    ]
