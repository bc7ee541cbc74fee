"""What the catalogue declares, and what there is to choose from."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, flag, label, number, text, time
from projections.queries.fragments import END, OWN_NAMES, TO_END

CATALOGUE: Final = NamedQuery(
    name="catalogue",
    title="Catalogue",
    description="Endpoints of the newest declaration of each source, with the newest price up to the chosen end.",
    shape="table",
    parameters=(END,),
    columns=(
        label("source"),
        label("vantage"),
        label("provider"),
        label("endpoint"),
        label("model"),
        label("dialect"),
        label("reasoning"),
        text("provider_title", "provider's name for people"),
        text("region", "where it runs"),
        text("quantization", "as the provider states it"),
        number("context_tokens", "tokens", "context length"),
        flag("vision", "takes pictures"),
        flag("simulated", "reference endpoint"),
        number("input_usd", "USD per million tokens", "input"),
        number("output_usd", "USD per million tokens", "output"),
        number("cached_input_usd", "USD per million tokens", "input from a cache"),
        time("when it was declared", "declared"),
        text("overrides", "parameters that differ from the methodology, JSON"),
    ),
    sql=f"""
SELECT e.source AS source, e.vantage AS vantage, e.provider AS provider, e.endpoint AS endpoint, e.model AS model,
       e.dialect AS dialect, e.reasoning AS reasoning, e.provider_title AS provider_title, e.region AS region,
       e.quantization AS quantization, e.context_tokens AS context_tokens, e.vision AS vision,
       e.simulated AS simulated, p.input_usd AS input_usd, p.output_usd AS output_usd,
       p.cached_usd AS cached_input_usd,
       e.time AS declared, e.overrides AS overrides
FROM (SELECT * FROM endpoints FINAL
      WHERE (source, seq) IN (SELECT source, max(seq) FROM declarations FINAL GROUP BY source)) AS e
LEFT JOIN (
    SELECT source, seq, endpoint, toNullable(toFloat64(argMax(input_usd, valid_from))) AS input_usd,
           toNullable(toFloat64(argMax(output_usd, valid_from))) AS output_usd,
           toFloat64(argMax(tuple(cached_input_usd), valid_from).1) AS cached_usd
    FROM prices FINAL WHERE valid_from <= toDate({TO_END}) GROUP BY source, seq, endpoint
) AS p ON p.source = e.source AND p.seq = e.seq AND p.endpoint = e.endpoint
ORDER BY e.source, e.provider, e.endpoint
{OWN_NAMES}
""",
)

CHOICES: Final = NamedQuery(
    name="choices",
    title="Choices",
    all_accounts=True,
    description="Values that the common parameters can take: whatever occurs in attempts, newest first seen last; "
    "and the catalogues that expert tasks were asked of.",
    shape="table",
    parameters=(),
    columns=(
        label("parameter", "vantage, provider, endpoint, account, workload, scenario or catalogue"),
        label("value"),
        number("n", "attempts", "attempts with it"),
        time("newest attempt with it", "newest"),
    ),
    sql=f"""
SELECT choice.1 AS parameter, choice.2 AS value, sum(together) AS n, max(newest_of) AS newest
FROM (
    SELECT choice, together, newest_of
    FROM (
        SELECT vantage, provider, endpoint, account, workload, scenario, count() AS together, max(time) AS newest_of
        FROM attempts FINAL GROUP BY vantage, provider, endpoint, account, workload, scenario
    )
    ARRAY JOIN [('vantage', toString(vantage)), ('provider', toString(provider)), ('endpoint', toString(endpoint)),
                ('account', toString(account)), ('workload', toString(workload)),
                ('scenario', toString(scenario))] AS choice
    UNION ALL
    SELECT ('catalogue', toString(catalogue)) AS choice, count() AS together, max(time) AS newest_of
    FROM rubric_attempts FINAL GROUP BY catalogue
)
GROUP BY parameter, value
ORDER BY parameter, value
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (CATALOGUE, CHOICES)
