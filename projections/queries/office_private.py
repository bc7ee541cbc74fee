"""Office tasks: what private documents came to, in totals alone."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, label, number, text, time
from projections.queries.fragments import OWN_NAMES, TO_END
from projections.queries.office import CHOSEN, IN_LANGUAGE, PARAMETERS
from projections.queries.resampling import wilson

FEWEST_PRIVATE: Final = 5
"""A total over fewer private documents would tell of single ones, and is not shown."""

_PRIVATE_ERROR_FREE: Final = wilson("error_free", "documents")

PRIVATE: Final = NamedQuery(
    name="office-private",
    title="Private third",
    description="Totals over the documents that nobody outside has seen, beside the open ones: a model that has "
    "learnt the open answers does better on those. Nothing finer is shown, and nothing of "
    f"fewer than {FEWEST_PRIVATE}.",
    shape="table",
    parameters=PARAMETERS,
    columns=(
        label("provider"),
        label("endpoint"),
        label("task", "invoice, email or personal"),
        label("language", "language of the documents"),
        number("n", "documents", "private documents answered"),
        number("fields", "fields", "fields judged"),
        number("right_share", "share", "right fields among judged ones"),
        number("error_free_share", "share", "documents with a valid answer and no wrong field"),
        number("error_free_low", "share", "lower end of its 95 % interval (Wilson)"),
        number("error_free_high", "share", "upper end of its 95 % interval (Wilson)"),
        number("valid_share", "share", "documents with a valid JSON answer"),
        label("data_set", "version of the data set"),
        text("prompts", "version of the prompt"),
        time("when the totals were made", "newest"),
        text("definition", "rules that the figure was made by, with their version"),
    ),
    sql=f"""
SELECT provider, endpoint, task, language, documents AS n, judged AS fields, right / judged AS right_share,
       error_free / documents AS error_free_share, {_PRIVATE_ERROR_FREE[0]} AS error_free_low,
       {_PRIVATE_ERROR_FREE[1]} AS error_free_high, valid / documents AS valid_share,
       data_set, toString(prompt_version) AS prompts, time AS newest,
       concat(toString(judge), ' ', toString(judge_version)) AS definition
FROM (
    SELECT * FROM private_totals FINAL WHERE time <= {TO_END}
    ORDER BY time DESC, seq DESC LIMIT 1 BY source, endpoint, task, language
) AS t
INNER JOIN (
    SELECT source AS of_source, toString(endpoint) AS of_endpoint, argMax(provider, time) AS provider,
           argMax(vantage, time) AS vantage
    FROM office_attempts FINAL WHERE time <= {TO_END} GROUP BY of_source, of_endpoint
) AS o ON o.of_source = t.source AND o.of_endpoint = toString(t.endpoint)
WHERE documents >= {FEWEST_PRIVATE} AND judged > 0 AND {CHOSEN} AND {IN_LANGUAGE}
  AND (empty({{task:Array(String)}}) OR has({{task:Array(String)}}, task))
ORDER BY task, language, right_share DESC, endpoint
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (PRIVATE,)
