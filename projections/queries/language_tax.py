"""How many more tokens a language costs than English, by the parallel paragraphs."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, flag, label, number, text, time
from projections.queries.fragments import OWN_NAMES
from projections.queries.office import CHOSEN, WHOSE, asks
from projections.queries.resampling import SMALL_BLOCKS, interval, ratios, replicated, weighted

_TAX: Final = interval(ratios(replicated("own"), replicated("english")), "count()")

_PARAGRAPHS: Final = f"""
    SELECT *, anyIf(input_tokens, language = 'en') OVER (PARTITION BY vantage, endpoint, document) AS english_input,
           minIf(input_tokens, document = 'empty') OVER (PARTITION BY vantage, endpoint) AS overhead
    FROM (
        SELECT vantage, toString(endpoint) AS endpoint, toString(language) AS language, document,
               argMax(provider, time) AS provider, any(toString(data_set)) AS data_set,
               argMaxIf(input_tokens, time, answered) AS input_tokens, max(final_time) AS answered_at,
               max(simulated) AS simulated
        FROM ({asks(f"work = 'language-tax' AND {CHOSEN}")})
        GROUP BY vantage, endpoint, language, document
    )
"""
"""Answered paragraphs, each with its English twin's tokens and those of the empty prompt."""

TAX: Final = NamedQuery(
    name="language-tax",
    title="Language tax",
    description="Input tokens of the parallel paragraphs beyond what they take in English, as a share: sum over "
    "paragraphs of tokens less those of the empty prompt, divided by the same sum in English, less one. Over the "
    "paragraphs counted in both languages; the interval is resampled by paragraph.",
    shape="table",
    parameters=WHOSE,
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
        text("definition", "rules that the figure was made by, with their version"),
    ),
    sql=f"""
SELECT vantage, provider, endpoint, language, n, tokens, english_tokens, overhead_tokens,
       tokens / nullIf(english_tokens, 0) - 1 AS tax,
       ends[1] - 1 AS low, ends[2] - 1 AS high,
       simulated, data_set, oldest, newest, 'language-tax 1' AS definition
FROM (
    SELECT vantage, provider, endpoint, language, count() AS n, sum(own) AS tokens, sum(english) AS english_tokens,
           any(overhead) AS overhead_tokens, {_TAX} AS ends,
           max(simulated) AS simulated, any(data_set) AS data_set, min(answered_at) AS oldest,
           max(answered_at) AS newest
    FROM (
        SELECT *, toInt64(input_tokens) - toInt64(overhead) AS own,
               toInt64(english_input) - toInt64(overhead) AS english
        FROM ({weighted(_PARAGRAPHS, "document")})
        WHERE document != 'empty' AND input_tokens IS NOT NULL AND english_input IS NOT NULL AND overhead IS NOT NULL
    )
    GROUP BY vantage, provider, endpoint, language
)
ORDER BY endpoint, vantage, tax DESC, language
{OWN_NAMES}, {SMALL_BLOCKS}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (TAX,)
