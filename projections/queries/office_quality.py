"""Office tasks: is the work right? Shares with intervals, by kind of document and by category of mistake."""

from __future__ import annotations

from typing import Final, get_args

from projections.queries.contract import NamedQuery, Parameter, flag, label, number
from projections.queries.fragments import OWN_NAMES
from projections.queries.office import (
    CHOSEN_DOCUMENTS,
    DATED,
    DATED_SQL,
    DOCUMENTS_COLUMN,
    PARAMETERS,
    SCORED_BY,
    WHO,
    WHO_COLUMNS,
    documents,
    in_force,
    judged,
)
from projections.queries.resampling import SMALL_BLOCKS, interval, ratios, replicated, weighted, wilson
from schemas.office import ErrorCategory

THRESHOLD_PERCENT: Final = 95
"""Of all right fields of a task; compared as an exact fraction."""

RESAMPLED: Final = f"{OWN_NAMES}, {SMALL_BLOCKS}"
_SHARES: Final = interval(ratios(replicated("right"), replicated("judged")), "count()")
_ERROR_FREE: Final = wilson("free", "n")

SHARE_COLUMNS: Final = (
    DOCUMENTS_COLUMN,
    number("fields", "fields", "fields judged; those that are not applicable are in no count"),
    number("right", "fields", "of them right"),
    number("right_share", "share", "right fields among judged ones"),
    number("right_low", "share", "lower end of its 95 % interval; null of fewer than 10 documents"),
    number("right_high", "share", "upper end of its 95 % interval; null of fewer than 10 documents"),
    number("error_free_share", "share", "documents with a valid answer and no wrong field"),
    number("error_free_low", "share", "lower end of its 95 % interval (Wilson)"),
    number("error_free_high", "share", "upper end of its 95 % interval (Wilson)"),
    number("valid_share", "share", "documents with a valid JSON answer"),
)
COUNTS_SQL: Final = f"""
       count() AS n, sum(judged) AS fields, sum(right) AS right, {_SHARES} AS ends, countIf(error_free) AS free,
       countIf(valid) / count() AS valid_share"""
SHARES_SQL: Final = f"""
       n, fields, right, right / fields AS right_share, ends[1] AS right_low, ends[2] AS right_high,
       free / n AS error_free_share, {_ERROR_FREE[0]} AS error_free_low, {_ERROR_FREE[1]} AS error_free_high,
       valid_share"""

_SAYS: Final = (
    "A field is right when it equals the truth after normalising its format. Intervals of fields are resampled by "
    "document (Poisson bootstrap, 1,000 replicates), those of documents are Wilson's. Open documents alone: private "
    "ones are shown in totals. Scores are by the rules in force; the newest answer of each document counts."
)

QUALITY: Final = NamedQuery(
    name="office-quality",
    title="Right work",
    description=f"{_SAYS} The threshold is {THRESHOLD_PERCENT} % right fields, on the exact fraction.",
    shape="table",
    parameters=PARAMETERS,
    columns=(
        *WHO_COLUMNS,
        *SHARE_COLUMNS,
        flag("reaches_threshold", f"at least {THRESHOLD_PERCENT} % of the fields are right"),
        number("threshold", "share", "share of right fields that a task asks for"),
        number("again_share", "share", "documents that were asked about once more, after invalid JSON"),
        number("without_schema_share", "share", "documents asked about without a schema, after its rejection"),
        *DATED,
    ),
    sql=f"""
SELECT {WHO}, {SHARES_SQL}, right * 100 >= fields * {THRESHOLD_PERCENT} AS reaches_threshold,
       {THRESHOLD_PERCENT} / 100 AS threshold, again_share, without_schema_share, simulated, data_set, prompts,
       oldest, newest, definition
FROM (
    SELECT {WHO}, {COUNTS_SQL},
           countIf(asked_again) / count() AS again_share, countIf(without_schema) / count() AS without_schema_share,
           {DATED_SQL}, {SCORED_BY}
    FROM ({weighted(judged(CHOSEN_DOCUMENTS), "document")})
    GROUP BY {WHO}
)
ORDER BY task, language, right_share DESC, endpoint, vantage
{RESAMPLED}
""",
)

DIMENSION: Final = Parameter(name="dimension", type="String", description="tier, variant or layout", default="tier")

BY_KIND: Final = NamedQuery(
    name="office-by-kind",
    title="Right work by kind of document",
    description=f"{_SAYS} Invoices have tiers and variants; the layout of an e-mail is its shape, that of a text "
    "with personal data its kind.",
    shape="table",
    parameters=(*PARAMETERS, DIMENSION),
    columns=(
        *WHO_COLUMNS,
        label("kind", "tier, variant or layout"),
        *SHARE_COLUMNS,
        *DATED,
    ),
    sql=f"""
SELECT {WHO}, kind, {SHARES_SQL}, simulated, data_set, prompts, oldest, newest, definition
FROM (
    SELECT {WHO}, assumeNotNull(maybe_kind) AS kind, {COUNTS_SQL}, {DATED_SQL}, {SCORED_BY}
    FROM (SELECT *, toString(multiIf({{dimension:String}} = 'tier', tier, {{dimension:String}} = 'variant', variant,
                                     {{dimension:String}} = 'layout', layout, NULL)) AS maybe_kind
          FROM ({weighted(judged(CHOSEN_DOCUMENTS), "document")}))
    WHERE maybe_kind IS NOT NULL
    GROUP BY {WHO}, kind
)
ORDER BY task, kind, language, right_share DESC, endpoint, vantage
{RESAMPLED}
""",
)

CATEGORIES_SHOWN: Final[tuple[ErrorCategory, ...]] = get_args(ErrorCategory)

CATEGORIES: Final = NamedQuery(
    name="office-categories",
    title="Mistakes by field and category",
    description="Wrong fields of open documents, counted by field; each has exactly one category, the first that "
    "matches. Private documents are in the totals alone.",
    shape="table",
    parameters=PARAMETERS,
    columns=(
        *WHO_COLUMNS,
        label("field"),
        DOCUMENTS_COLUMN,
        number("right_share", "share", "documents whose field is right"),
        *(number(category, "fields", category.replace("_", " ")) for category in CATEGORIES_SHOWN),
        *DATED,
    ),
    sql=f"""
SELECT {WHO}, field, count() AS n, countIf(verdict) / count() AS right_share,
       {", ".join(f"countIf(category = '{category}') AS {category}" for category in CATEGORIES_SHOWN)},
       {DATED_SQL}, {SCORED_BY}
FROM (SELECT * FROM ({documents(CHOSEN_DOCUMENTS)}) WHERE split = 'open') AS d
INNER JOIN ({in_force()}) AS j ON j.judged_attempt = d.final_attempt
WHERE verdict IS NOT NULL
GROUP BY {WHO}, field
ORDER BY task, language, endpoint, vantage, right_share, field
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (QUALITY, BY_KIND, CATEGORIES)
