"""What the public is shown of the office tasks: figures that stand, as of each log's newest checkpoint.

The same rules as :mod:`projections.queries.public`; how figures are made is :mod:`projections.queries.office`. An
endpoint whose figures are those of another account by a person's decision has none here: no other account is asked.
"""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, label, number
from projections.queries.fragments import END, TO_END
from projections.queries.office import (
    DATED,
    DATED_SQL,
    SCORED_BY,
    WHO,
    WHO_COLUMNS,
    documents,
    judged,
)
from projections.queries.office_costs import MENDING
from projections.queries.office_private import FEWEST_PRIVATE
from projections.queries.office_quality import COUNTS_SQL, RESAMPLED, SHARE_COLUMNS, SHARES_SQL
from projections.queries.published import CHECKPOINT, NEWEST_CHECKPOINTS, PUBLISHED_SAYS, STANDS
from projections.queries.resampling import weighted
from projections.queries.standing import STANDING

_SIZES: Final = (
    "(SELECT mapFromArrays(groupArray(toString(checkpoint_of)), groupArray(checkpoint_size)) "
    f"FROM ({NEWEST_CHECKPOINTS}))"
)
_UNDER: Final = f"seq <= {_SIZES}[toString(source)]"
_STANDING: Final = (
    "toString(endpoint) NOT IN "
    f"(SELECT standing_of FROM ({STANDING}) WHERE NOT ({STANDS}) OR shown_account IS NOT NULL)"
)
_SHOWN: Final = f"{_UNDER} AND {_STANDING}"

OFFICE: Final = NamedQuery(
    name="public-office",
    title="Public figures of right work",
    description="Right fields and error-free documents of open documents by endpoint, task and language, with 95 % "
    "intervals (fields resampled by document, documents Wilson's); cost of 1,000 documents as the API returns it, "
    "null when one is unknown, and with a person who mends each faulty one. Of private documents of the same data "
    f"set totals alone, of {FEWEST_PRIVATE} or more. {PUBLISHED_SAYS}",
    shape="table",
    parameters=(END,),
    columns=(
        label("source", "log that the figures were folded from"),
        *WHO_COLUMNS,
        *SHARE_COLUMNS,
        number("cost_usd_1000", "USD", "cost of 1,000 documents; null when one cost is unknown"),
        number("true_cost_usd_1000", "USD", "cost with the person who mends, 1,000 documents"),
        number("private_n", "documents", "private documents answered"),
        number("private_right_share", "share", "right fields among their judged ones"),
        number("private_error_free_share", "share", "private documents with a valid answer and no wrong field"),
        *DATED,
        *CHECKPOINT,
    ),
    sql=f"""
SELECT source, {WHO}, {SHARES_SQL}, cost_usd_1000,
       cost_usd_1000 + (1 - error_free_share) * 1000 * {MENDING["USD"]} AS true_cost_usd_1000,
       private_n, private_right_share, private_error_free_share,
       simulated, data_set, prompts, oldest, newest, definition, checkpoint_size, checkpoint_root, checkpointed
FROM (
    SELECT source, {WHO}, {COUNTS_SQL}, {DATED_SQL}, {SCORED_BY}
    FROM ({weighted(judged(_SHOWN, verdicts=_UNDER), "document")})
    GROUP BY source, {WHO}
) AS q
INNER JOIN ({NEWEST_CHECKPOINTS}) AS s ON s.checkpoint_of = q.source
INNER JOIN (
    SELECT source, {WHO},
           if(sum(unknown_costs) > 0, NULL, toFloat64(sum(known_usd)) / count() * 1000) AS cost_usd_1000
    FROM ({documents(_SHOWN)}) GROUP BY source, {WHO}
) AS c USING (source, {WHO})
LEFT JOIN (
    SELECT toString(source) AS source, toString(endpoint) AS endpoint, toString(task) AS task,
           toString(language) AS language, toString(data_set) AS data_set, toNullable(documents) AS private_n,
           toNullable(right / judged) AS private_right_share,
           toNullable(error_free / documents) AS private_error_free_share
    FROM (
        SELECT * FROM private_totals FINAL WHERE time <= {TO_END} AND {_SHOWN}
        ORDER BY time DESC, seq DESC LIMIT 1 BY source, endpoint, task, language, data_set
    )
    WHERE documents >= {FEWEST_PRIVATE} AND judged > 0
) AS p USING (source, endpoint, task, language, data_set)
ORDER BY task, language, right_share DESC, endpoint, vantage, source
{RESAMPLED}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (OFFICE,)
