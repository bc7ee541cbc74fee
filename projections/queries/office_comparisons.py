"""Office tasks: what differs? Two languages of one model, two models over the same documents, tokens by language."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, Parameter, flag, label, number, text, time
from projections.queries.fragments import OWN_NAMES
from projections.queries.office import (
    CHOSEN,
    IN_LANGUAGE,
    IN_TASK,
    PARAMETERS,
    SCORED_BY,
    TASK,
    WHOSE,
    documents,
    in_force,
    judged,
)
from projections.queries.resampling import (
    SMALL_BLOCKS,
    interval,
    mcnemar,
    ratios,
    replicated,
    weighted,
)

_RESAMPLED: Final = f"{OWN_NAMES}, {SMALL_BLOCKS}"


def _difference(first: str, first_of: str, second: str, second_of: str) -> str:
    """Both ends of the interval of a share less another one, resampled together."""
    one, other = ratios(replicated(first), replicated(first_of)), ratios(replicated(second), replicated(second_of))
    return interval(f"arrayMap((a, b) -> a - b, {one}, {other})", "count()")


_TWINS: Final = f"""
    SELECT vantage, provider, endpoint, task, pair, count() AS of, sum(en_right) AS en, sum(cs_right) AS cs,
           max(simulated) AS simulated, any(data_set) AS data_set, min(oldest) AS oldest, max(newest) AS newest,
           max(judge_version) AS judge_version
    FROM (
        SELECT vantage, provider, endpoint, task, assumeNotNull(pair) AS pair, field,
               countIf(verdict AND language = 'en') AS en_right, countIf(verdict AND language = 'cs') AS cs_right,
               maxIf(simulated, language = 'en') AS simulated, anyIf(data_set, language = 'en') AS data_set,
               min(answered_at) AS oldest, max(answered_at) AS newest, maxIf(judge_version, language = 'en')
               AS judge_version
        FROM (SELECT * FROM ({documents(f"{CHOSEN} AND {IN_TASK}")}) WHERE split = 'open' AND pair IS NOT NULL) AS d
        INNER JOIN ({in_force()}) AS j ON j.judged_attempt = d.final_attempt
        WHERE verdict IS NOT NULL
        GROUP BY vantage, provider, endpoint, task, pair, field
        HAVING uniqExact(language) = 2
    )
    GROUP BY vantage, provider, endpoint, task, pair
"""
"""Pairs of which both documents were judged, with the fields that both have and how many are right in each."""

GAP: Final = NamedQuery(
    name="office-language-gap",
    title="Language gap",
    description="Share of right fields in English less that in Czech, over pairs of documents of equal structure "
    "and over the fields that both versions have. The interval is resampled by pair. p is McNemar's exact test of "
    "whether the common fields of a document are all right in one language and not in the other.",
    shape="table",
    parameters=(*WHOSE, TASK),
    columns=(
        label("vantage"),
        label("provider"),
        label("endpoint"),
        label("task", "invoice, email or personal"),
        number("n", "pairs", "pairs of which both documents were judged"),
        number("fields", "fields", "fields compared in each language"),
        number("en_share", "share", "right in English"),
        number("cs_share", "share", "right in Czech"),
        number("gap", "share", "English less Czech"),
        number("low", "share", "lower end of its 95 % interval; null of fewer than 10 pairs"),
        number("high", "share", "upper end of its 95 % interval; null of fewer than 10 pairs"),
        number("only_en", "pairs", "all common fields right in English alone"),
        number("only_cs", "pairs", "all common fields right in Czech alone"),
        number("p", "probability", "McNemar's exact test"),
        flag("simulated", "reference endpoint, simulated clock or simulated transport"),
        label("data_set", "version of the data set"),
        time("oldest answer of the figure", "oldest"),
        time("newest answer of the figure", "newest"),
        text("definition", "rules that the figure was made by, with their version"),
    ),
    sql=f"""
SELECT vantage, provider, endpoint, task, n, fields, en / fields AS en_share, cs / fields AS cs_share,
       en_share - cs_share AS gap, ends[1] AS low, ends[2] AS high, only_en, only_cs,
       {mcnemar("only_en", "only_cs")} AS p, simulated, data_set, oldest, newest, definition
FROM (
    SELECT vantage, provider, endpoint, task, count() AS n, sum(of) AS fields, sum(en) AS en, sum(cs) AS cs,
           {_difference("en", "of", "cs", "of")} AS ends,
           countIf(en = of AND cs < of) AS only_en, countIf(cs = of AND en < of) AS only_cs,
           max(simulated) AS simulated, any(data_set) AS data_set, min(oldest) AS oldest, max(newest) AS newest,
           {SCORED_BY}
    FROM ({weighted(_TWINS, "pair")})
    GROUP BY vantage, provider, endpoint, task
)
ORDER BY task, gap DESC, endpoint, vantage
{_RESAMPLED}
""",
)

AGAINST: Final = Parameter(
    name="against",
    type="String",
    description="endpoint to compare with; none given means the one with the most right fields",
    default="",
)

_AGAINST: Final = "if({against:String} = '', leader, {against:String})"
_IN_VANTAGE: Final = "(empty({vantage:Array(String)}) OR has({vantage:Array(String)}, vantage))"
_BOTH: Final = f"""
    SELECT *, {_AGAINST} AS against, endpoint = against AS other,
           countIf(other) OVER d > 0 AS both, anyIf(right, other) OVER d AS other_right,
           anyIf(judged, other) OVER d AS other_judged, anyIf(error_free, other) OVER d AS other_error_free,
           anyIf(answered_at, other) OVER d AS other_at
    FROM (
        SELECT *, argMax(endpoint, (all_right, endpoint)) OVER (PARTITION BY vantage, task, language) AS leader
        FROM (SELECT *, sum(right) OVER (PARTITION BY vantage, task, language, endpoint) AS all_right
              FROM ({judged(f"{_IN_VANTAGE} AND {IN_TASK} AND {IN_LANGUAGE}")}))
    )
    WINDOW d AS (PARTITION BY vantage, task, language, data_set, document)
"""
"""Judged documents of every endpoint, each beside what the one that they are compared with made of it."""

COMPARISON: Final = NamedQuery(
    name="office-comparison",
    title="Two models",
    description="Each model against the leader, or against the one that is named, over the open documents that both "
    "answered. The difference is the share of right fields less the other's, resampled by document in pairs; p is "
    "McNemar's exact test over documents that only one of the two left without a mistake. p is of one comparison: "
    "of twenty equal models one will look different at 0.05.",
    shape="table",
    parameters=(*PARAMETERS, AGAINST),
    columns=(
        label("vantage"),
        label("task", "invoice, email or personal"),
        label("language", "language of the documents"),
        label("endpoint"),
        label("against", "endpoint that it is compared with"),
        number("n", "documents", "documents that both answered"),
        number("right_share", "share", "right fields over them"),
        number("against_share", "share", "right fields of the other over them"),
        number("difference", "share", "share less the other's"),
        number("low", "share", "lower end of its 95 % interval; null of fewer than 10 documents"),
        number("high", "share", "upper end of its 95 % interval; null of fewer than 10 documents"),
        number("only_this", "documents", "without a mistake with this one alone"),
        number("only_against", "documents", "without a mistake with the other alone"),
        number("p", "probability", "McNemar's exact test"),
        flag("simulated", "reference endpoint, simulated clock or simulated transport"),
        label("data_set", "version of the data set"),
        time("oldest answer of the figure", "oldest"),
        time("newest answer of the figure", "newest"),
        text("definition", "rules that the figure was made by, with their version"),
    ),
    sql=f"""
SELECT vantage, task, language, endpoint, against, n, right_share, against_share,
       right_share - against_share AS difference, ends[1] AS low, ends[2] AS high,
       only_this, only_against, {mcnemar("only_this", "only_against")} AS p, simulated, data_set, oldest, newest,
       definition
FROM (
    SELECT vantage, task, language, endpoint, against, count() AS n,
           sum(right) / sum(judged) AS right_share, sum(other_right) / sum(other_judged) AS against_share,
           {_difference("right", "judged", "other_right", "other_judged")} AS ends,
           countIf(error_free AND NOT other_error_free) AS only_this,
           countIf(other_error_free AND NOT error_free) AS only_against,
           max(simulated) AS simulated, any(data_set) AS data_set,
           min(least(answered_at, other_at)) AS oldest, max(greatest(answered_at, other_at)) AS newest, {SCORED_BY}
    FROM ({weighted(f"SELECT * FROM ({_BOTH}) WHERE both AND NOT other AND {CHOSEN}", "document")})
    GROUP BY vantage, task, language, endpoint, against
)
ORDER BY task, language, difference DESC, endpoint, vantage
{_RESAMPLED}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (GAP, COMPARISON)
