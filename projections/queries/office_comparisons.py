"""Office tasks: what differs? Two languages of one model, two models over the same documents, tokens by language."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, Parameter, flag, label, number, text, time
from projections.queries.fragments import OWN_NAMES, TO_END
from projections.queries.office import (
    CHOSEN,
    IN_FORCE,
    PARAMETERS,
    asks,
    documents,
    judged,
)
from projections.queries.resampling import (
    SMALL_BLOCKS,
    mcnemar,
    percentile,
    ratios,
    replicated,
    weights,
    wilson,
)

_RESAMPLED: Final = f"{OWN_NAMES}, {SMALL_BLOCKS}"


def _difference(first: str, first_of: str, second: str, second_of: str) -> str:
    return (
        f"arrayMap((a, b) -> a - b, {ratios(replicated(first), replicated(first_of))}, "
        f"{ratios(replicated(second), replicated(second_of))})"
    )


def _fields(language: str) -> str:
    return f"""
        SELECT vantage, provider, endpoint, task, assumeNotNull(pair) AS pair, field, assumeNotNull(verdict) AS right,
               answered_at, simulated, data_set
        FROM (SELECT * FROM ({documents(CHOSEN)})
              WHERE split = 'open' AND language = '{language}' AND pair IS NOT NULL) AS d
        INNER JOIN ({IN_FORCE}) AS j ON j.judged_attempt = d.final_attempt
        WHERE verdict IS NOT NULL
"""


GAP: Final = NamedQuery(
    name="office-language-gap",
    title="Language gap",
    description="Share of right fields in English less that in Czech, over pairs of documents of equal structure "
    "and over the fields that both versions have. The interval is resampled by pair. p is McNemar's exact test of "
    "whether the common fields of a document are all right in one language and not in the other.",
    shape="table",
    parameters=PARAMETERS,
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
    ),
    sql=f"""
SELECT vantage, provider, endpoint, task, n, fields, en_share, cs_share, en_share - cs_share AS gap,
       {percentile(0.025, "differences", "n")} AS low, {percentile(0.975, "differences", "n")} AS high,
       only_en, only_cs, {mcnemar("only_en", "only_cs")} AS p, simulated, data_set, oldest, newest
FROM (
    SELECT vantage, provider, endpoint, task, count() AS n, sum(of) AS fields, sum(en) / sum(of) AS en_share,
           sum(cs) / sum(of) AS cs_share, {_difference("en", "of", "cs", "of")} AS differences,
           countIf(en = of AND cs < of) AS only_en, countIf(cs = of AND en < of) AS only_cs,
           max(simulated) AS simulated, any(data_set) AS data_set, min(oldest) AS oldest, max(newest) AS newest
    FROM (
        SELECT vantage, provider, endpoint, task, pair, count() AS of, countIf(e.right) AS en, countIf(c.right) AS cs,
               {weights("pair")} AS weights, max(e.simulated) AS simulated, any(e.data_set) AS data_set,
               min(least(e.answered_at, c.answered_at)) AS oldest,
               max(greatest(e.answered_at, c.answered_at)) AS newest
        FROM ({_fields("en")}) AS e
        INNER JOIN ({_fields("cs")}) AS c USING (vantage, provider, endpoint, task, pair, field)
        GROUP BY vantage, provider, endpoint, task, pair
    )
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

_EVERYBODY: Final = " AND ".join(
    f"(empty({{{name}:Array(String)}}) OR has({{{name}:Array(String)}}, {name}))" for name in ("vantage",)
)

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
    ),
    sql=f"""
SELECT vantage, task, language, endpoint, against, n, right_share, against_share,
       right_share - against_share AS difference,
       {percentile(0.025, "differences", "n")} AS low, {percentile(0.975, "differences", "n")} AS high,
       only_this, only_against, {mcnemar("only_this", "only_against")} AS p, simulated, data_set, oldest, newest
FROM (
    SELECT vantage, task, language, endpoint, against, count() AS n,
           sum(right) / sum(judged) AS right_share, sum(other_right) / sum(other_judged) AS against_share,
           {_difference("right", "judged", "other_right", "other_judged")} AS differences,
           countIf(error_free AND NOT other_error_free) AS only_this,
           countIf(other_error_free AND NOT error_free) AS only_against,
           max(simulated) AS simulated, any(data_set) AS data_set,
           min(least(answered_at, other_at)) AS oldest, max(greatest(answered_at, other_at)) AS newest
    FROM (
        SELECT *, {weights("document")} AS weights
        FROM (SELECT * FROM ({judged(_EVERYBODY)}) WHERE {CHOSEN}) AS a
        INNER JOIN (
            SELECT vantage, task, language, data_set, document, endpoint AS against, right AS other_right,
                   judged AS other_judged, error_free AS other_error_free, answered_at AS other_at
            FROM (
                SELECT *, max(all_right) OVER (PARTITION BY vantage, task, language) AS most_right
                FROM (
                    SELECT *, (sum(right) OVER (PARTITION BY vantage, task, language, endpoint), endpoint)
                        AS all_right
                    FROM ({judged(_EVERYBODY)})
                )
            )
            WHERE if({{against:String}} = '', all_right = most_right, {{against:String}} = endpoint)
        ) AS b USING (vantage, task, language, data_set, document)
        WHERE endpoint != against
    )
    GROUP BY vantage, task, language, endpoint, against
)
ORDER BY task, language, difference DESC, endpoint, vantage
{_RESAMPLED}
""",
)

_TAX: Final = ratios(replicated("tokens"), replicated("english"))

TAX: Final = NamedQuery(
    name="language-tax",
    title="Language tax",
    description="Input tokens of the parallel paragraphs beyond what they take in English, as a share: sum over "
    "paragraphs of tokens less those of the empty prompt, divided by the same sum in English, less one. Over the "
    "paragraphs counted in both languages; the interval is resampled by paragraph.",
    shape="table",
    parameters=PARAMETERS,
    columns=(
        label("vantage"),
        label("provider"),
        label("endpoint"),
        label("language"),
        number("n", "paragraphs", "paragraphs counted in this language and in English"),
        number("tokens", "tokens", "input tokens in this language, without overhead"),
        number("english_tokens", "tokens", "input tokens in English, without overhead"),
        number("overhead_tokens", "tokens", "input tokens of the empty prompt"),
        number("tax", "share", "more tokens than in English"),
        number("low", "share", "lower end of its 95 % interval; null of fewer than 10 paragraphs"),
        number("high", "share", "upper end of its 95 % interval; null of fewer than 10 paragraphs"),
        flag("simulated", "reference endpoint, simulated clock or simulated transport"),
        label("data_set", "version of the corpus"),
        time("oldest answer of the figure", "oldest"),
        time("newest answer of the figure", "newest"),
    ),
    sql=f"""
SELECT vantage, provider, endpoint, language, n, tokens, english_tokens, overhead_tokens,
       tokens / nullIf(english_tokens, 0) - 1 AS tax,
       {percentile(0.025, "shares", "n")} - 1 AS low, {percentile(0.975, "shares", "n")} - 1 AS high,
       simulated, data_set, oldest, newest
FROM (
    SELECT vantage, provider, endpoint, language, count() AS n, sum(own) AS tokens, sum(english) AS english_tokens,
           any(overhead) AS overhead_tokens, {_TAX.replace("tokens", "own")} AS shares,
           max(simulated) AS simulated, any(data_set) AS data_set, min(answered_at) AS oldest,
           max(answered_at) AS newest
    FROM (
        SELECT *, toInt64(input_tokens) - toInt64(overhead) AS own,
               toInt64(english_input) - toInt64(overhead) AS english, {weights("document")} AS weights
        FROM (
            SELECT *, anyIf(input_tokens, language = 'en') OVER p AS english_input,
                   minIf(input_tokens, document = 'empty') OVER (PARTITION BY vantage, endpoint) AS overhead
            FROM (
                SELECT vantage, toString(endpoint) AS endpoint, toString(language) AS language, document,
                       argMax(provider, time) AS provider, any(toString(data_set)) AS data_set,
                       argMaxIf(input_tokens, time, answered) AS input_tokens, max(final_time) AS answered_at,
                       max(simulated) AS simulated
                FROM ({asks(f"work = 'language-tax' AND {CHOSEN}")})
                GROUP BY vantage, endpoint, language, document
            )
            WINDOW p AS (PARTITION BY vantage, endpoint, document)
        )
        WHERE document != 'empty' AND input_tokens IS NOT NULL AND english_input IS NOT NULL AND overhead IS NOT NULL
    )
    GROUP BY vantage, provider, endpoint, language
)
ORDER BY endpoint, vantage, tax DESC, language
{_RESAMPLED}
""",
)

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
        text("scorer", "version of the rules of scoring"),
        label("data_set", "version of the data set"),
        text("prompts", "version of the prompt"),
        time("when the totals were made", "newest"),
    ),
    sql=f"""
SELECT provider, endpoint, task, language, documents AS n, judged AS fields, right / judged AS right_share,
       error_free / documents AS error_free_share, {_PRIVATE_ERROR_FREE[0]} AS error_free_low,
       {_PRIVATE_ERROR_FREE[1]} AS error_free_high, valid / documents AS valid_share,
       toString(judge_version) AS scorer, data_set, toString(prompt_version) AS prompts, time AS newest
FROM (
    SELECT * FROM private_totals FINAL WHERE time <= {TO_END}
    ORDER BY time DESC, seq DESC LIMIT 1 BY source, endpoint, task, language
) AS t
INNER JOIN (
    SELECT source AS of_source, toString(endpoint) AS of_endpoint, argMax(provider, time) AS provider,
           argMax(vantage, time) AS vantage
    FROM office_attempts FINAL WHERE time <= {TO_END} GROUP BY of_source, of_endpoint
) AS o ON o.of_source = t.source AND o.of_endpoint = toString(t.endpoint)
WHERE documents >= {FEWEST_PRIVATE} AND judged > 0 AND {CHOSEN}
ORDER BY task, language, right_share DESC, endpoint
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (GAP, COMPARISON, TAX, PRIVATE)
