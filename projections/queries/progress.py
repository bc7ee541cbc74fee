"""How far logs and tables have come: checkpoints, positions, what is held back, what stopped, what is lost."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, label, number, text, time
from projections.queries.fragments import END, OWN_NAMES, TO_END

CHECKPOINTS: Final = NamedQuery(
    name="log-checkpoints",
    title="Newest checkpoint of each log",
    all_accounts=True,
    description="Size and Merkle root (RFC 6962) of each log as its daemon last recorded them up to the chosen end. "
    "Keep a copy elsewhere: `messwerk log verify --against SIZE:ROOT` tells whether the log still has that root.",
    shape="table",
    version=2,
    parameters=(END,),
    columns=(
        label("source"),
        time("when it was recorded"),
        number("size", "events", "events under the root"),
        label("root", "Merkle root, hexadecimal"),
        number("seq", "events", "position of the checkpoint itself"),
    ),
    sql=f"""
SELECT source, time, size, lower(hex(base64Decode(root))) AS root, seq
FROM log_checkpoints FINAL
WHERE time <= {TO_END}
ORDER BY source, seq DESC
LIMIT 1 BY source
{OWN_NAMES}
""",
)

POSITIONS: Final = NamedQuery(
    name="positions",
    title="Positions",
    all_accounts=True,
    description="How far each projection has folded each source, and under which definitions.",
    shape="table",
    parameters=(),
    columns=(
        label("projection"),
        label("source"),
        number("seq", "events", "position up to which everything is folded"),
        number("behind", "events", "behind the projection that is furthest in the same source"),
        number("version", "", "version of the projection"),
        text("definition", "definitions that the rows were made with"),
    ),
    sql=f"""
SELECT projection, source, seq, max(seq) OVER (PARTITION BY source) - seq AS behind, version, definition
FROM checkpoints FINAL
WHERE NOT startsWith(projection, 'rebuild:')
ORDER BY projection, source
{OWN_NAMES}
""",
)

QUARANTINE: Final = NamedQuery(
    name="quarantine",
    title="Quarantine",
    description="Bytes that could not be decoded, by what was decided about them and by source.",
    shape="table",
    parameters=(),
    columns=(
        label("state", "held: undecided; readable: a rebuild takes it in; dropped: given up"),
        label("source", "as the envelope or the record's key says; empty when neither could be read"),
        number("n", "records", "records"),
        time("newest of them", "newest"),
    ),
    sql=f"""
SELECT state, ifNull(source, '') AS source, count() AS n, max(time) AS newest
FROM quarantine FINAL
GROUP BY state, source
ORDER BY state, source
{OWN_NAMES}
""",
)

STOPS: Final = NamedQuery(
    name="stops",
    title="Sources that stand still",
    description="Sources that cannot be folded further, until somebody does something: where, why, and what to do.",
    shape="table",
    parameters=(),
    columns=(
        label("source", "empty when what was read does not say whose it is"),
        number("seq", "events", "position behind which it stands"),
        label("kind", "gap, version, two-events or undecodable"),
        time("when it stopped", "since"),
        text("reason", "what is wrong, and what to do"),
        text("reader", "projections that stand still"),
    ),
    # Whoever told of a stop may have ended since, and others may have folded past it.
    sql=f"""
SELECT stood.source AS source, stood.seq AS seq, stood.kind AS kind, stood.time AS since, stood.reason AS reason,
       stood.reader AS reader
FROM (SELECT * FROM stops FINAL WHERE state = 'stopped') AS stood
LEFT JOIN (
    SELECT source, min(seq) AS least
    FROM checkpoints FINAL
    WHERE NOT startsWith(projection, 'rebuild:')
    GROUP BY source
) AS reached ON reached.source = stood.source
WHERE stood.seq >= reached.least
ORDER BY source, reader
{OWN_NAMES}
""",
)

DECLARED_LOST: Final = NamedQuery(
    name="declared-lost",
    title="Events declared lost",
    description="Events that nobody has any more, as a person declared; figures over them are of what is left.",
    shape="table",
    parameters=(),
    columns=(
        label("source"),
        number("first", "events", "first lost position"),
        number("last", "events", "last lost position"),
        number("n", "events", "lost events"),
        time("when it was declared", "declared"),
        text("person", "who declared it"),
        text("reason", "why nobody has them"),
    ),
    sql=f"""
SELECT source, first, last, last - first + 1 AS n, time AS declared, person, reason
FROM lost FINAL
ORDER BY source, first
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (CHECKPOINTS, POSITIONS, QUARANTINE, STOPS, DECLARED_LOST)
