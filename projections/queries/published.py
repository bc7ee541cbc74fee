"""What public queries share: which attempts stand and are shown, as of which checkpoint, and medians' intervals."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import ResultColumn, flag, label, number, text, time
from projections.queries.fragments import (
    FILTERS,
    MEASURING,
    TO_END,
    WITH_INSTRUMENT,
    reasoning_averages,
    with_reasoning,
)
from projections.queries.standing import STANDING
from projections.rebuilds import PREFIX

_FOLDED_BY: Final = (
    "attempts",
    "calibrations",
    "catalogue",
    "integrity",
    "log-checkpoints",
    "office-attempts",
    "office-judgments",
    "private-totals",
)
"""Projections whose tables public queries read."""

NEWEST_CHECKPOINTS: Final = f"""
    SELECT source AS checkpoint_of, time AS checkpointed, size AS checkpoint_size,
           lower(hex(base64Decode(root))) AS checkpoint_root
    FROM log_checkpoints FINAL
    INNER JOIN (
        SELECT source AS folded_of, min(seq) AS folded_to FROM checkpoints FINAL
        WHERE projection IN (
            SELECT if(phase IN ('exchanging', 'following'), concat('{PREFIX}', name), name)
            FROM (SELECT arrayJoin({list(_FOLDED_BY)}) AS name) AS n
            LEFT JOIN (SELECT toString(projection) AS of, toString(phase) AS phase FROM rebuilds FINAL) AS r
                ON r.of = n.name
        )
        GROUP BY source HAVING count() = {len(_FOLDED_BY)}
    ) AS f ON f.folded_of = source
    WHERE time <= {TO_END} AND checkpoint_size <= folded_to
    ORDER BY seq DESC LIMIT 1 BY source
"""
"""Of each log the newest checkpoint under which every table is complete: one whose events are folded in part would
be named beside figures that lack some of them, or beside what was withheld by one of them. Tables that a rebuild has
put in place go no further than the rebuild came."""

STANDS: Final = (
    "withheld = 0 AND removed = 0 AND delisted = 0 AND banned = 0 "
    f"AND (delayed_until IS NULL OR delayed_until <= {TO_END})"
)

PUBLISHED: Final = f"""
    SELECT * FROM (SELECT * FROM attempts FINAL WHERE time <= {TO_END}) AS a
    INNER JOIN ({NEWEST_CHECKPOINTS}) AS c ON c.checkpoint_of = a.source
    LEFT JOIN ({STANDING}) AS s ON s.standing_of = toString(a.endpoint)
    WHERE seq <= checkpoint_size AND {STANDS} AND if(shown_account IS NULL, {MEASURING}, account = shown_account)
"""
"""Attempts that published figures are made from: under a checkpoint, of what stands, by the account that is shown."""

PUBLISHED_WITH_REASONING: Final = (
    with_reasoning(f"({PUBLISHED}) AS published", reasoning_averages(PUBLISHED)) + WITH_INSTRUMENT
)

PUBLISHED_SAYS: Final = (
    "Only what stands by the decisions in force, as of the newest checkpoint of each log up to the chosen end: its "
    "size, root (hexadecimal) and time are in every row, and later events are in no figure."
)
INTERVAL_SAYS: Final = (
    "low and high enclose the median with 95 % confidence, by ranks (Campbell and Gardner 1988), for independent "
    "attempts; too few attempts have none."
)
WINDOW_SAYS: Final = "Over the workload's window that ends at the chosen end: 72 h, for text-100k 14 days."

CHOICES: Final = tuple(parameter for parameter in FILTERS if parameter.name != "account")
PUBLIC_GROUP: Final = "source, vantage, provider, endpoint, workload, scenario"
PUBLIC_LABELS: Final[tuple[ResultColumn, ...]] = (
    label("source", "log that the figures were folded from"),
    label("vantage", "where it was measured from"),
    label("provider"),
    label("endpoint"),
    label("workload"),
    label("scenario"),
)
CHECKPOINT: Final[tuple[ResultColumn, ...]] = (
    number("checkpoint_size", "events", "events of the log under the checkpoint that figures are as of"),
    text("checkpoint_root", "its Merkle root, hexadecimal"),
    time("when it was recorded", "checkpointed"),
)
CHECKPOINT_SQL: Final = (
    "any(checkpoint_size) AS checkpoint_size, any(checkpoint_root) AS checkpoint_root, "
    "any(checkpointed) AS checkpointed"
)
KINDS: Final = label("account_kind", "kind of the account that measured: primary, funded, anonymous, provider-given")
KINDS_SQL: Final = (
    "arrayStringConcat(arraySort(groupUniqArray(ifNull(toString(account_kind), 'unknown'))), ', ') AS account_kind"
)
MEASURED_AGAIN: Final = flag(
    "measured_again", "by a person's decision the figures are those of an ordinary account instead of the usual one"
)


def median_interval(expression: str) -> tuple[str, str]:
    """Write the ends of the distribution-free 95 % interval of a median; NULL where n is too small for one.

    The values of rank floor((n - 1.96 sqrt n) / 2) and, counted from the top, the same one: Campbell and Gardner,
    "Calculating confidence intervals for some non-parametric analyses", BMJ 296 (1988), rounded outwards.
    """
    ordered = f"arraySort(groupArrayIf(assumeNotNull({expression}), ({expression}) IS NOT NULL))"
    rank = f"toInt64(floor((length({ordered}) - 1.959964 * sqrt(length({ordered}))) / 2))"
    return f"if({rank} < 1, NULL, {ordered}[{rank}])", f"if({rank} < 1, NULL, {ordered}[-({rank})])"
