"""What changed and when: catalogues, definitions, decisions. Marks over every picture with a time axis."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, label, text, time
from projections.queries.fragments import END, IN_SPAN, OWN_NAMES, START

_COLUMNS: Final = (
    time("when it was recorded"),
    label("source"),
    text("title", "what changed, in a word"),
    text("text", "what it is now"),
)


def _declared(name: str, title: str, says: str, column: str, words: str) -> NamedQuery:
    """Build the list of declarations that differ from the one before in a column; the first one changes nothing."""
    return NamedQuery(
        name=name,
        title=title,
        description=says,
        shape="table",
        parameters=(START, END),
        columns=_COLUMNS,
        sql=f"""
SELECT time, source, {words}
FROM (
    SELECT *, lagInFrame(toNullable({column})) OVER (PARTITION BY source ORDER BY seq) AS before
    FROM declarations FINAL
)
WHERE before IS NOT NULL AND before != {column} AND {IN_SPAN}
ORDER BY time, source
{OWN_NAMES}
""",
    )


CATALOGUE_CHANGES: Final = _declared(
    "catalogue-changes",
    "Catalogue changes",
    "Declarations whose catalogue (endpoints, accounts, prices) differs from the one before, by its hash.",
    "sha256",
    "concat('Catalogue of ', vantage) AS title, "
    "concat(toString(endpoints), ' endpoints, ', toString(accounts), ' accounts, hash ', substring(sha256, 1, 12)) "
    "AS text",
)

DEFINITION_CHANGES: Final = _declared(
    "definition-changes",
    "Definition changes",
    "Declarations under other definitions than the one before; figures before and after are of the tables' own.",
    "definition",
    "'Definitions' AS title, concat(before, ' became ', definition) AS text",
)

DECISIONS: Final = NamedQuery(
    name="decisions",
    title="Decisions",
    description="Decisions of persons on integrity cases, with their measure and reason.",
    shape="table",
    parameters=(START, END),
    columns=_COLUMNS,
    sql=f"""
SELECT time, source, concat('Decided: ', measure) AS title, concat(reason, ' (', person, ')') AS text
FROM decisions FINAL
WHERE {IN_SPAN}
ORDER BY time, source
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (CATALOGUE_CHANGES, DEFINITION_CHANGES, DECISIONS)
