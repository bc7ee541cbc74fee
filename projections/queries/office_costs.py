"""Office tasks: what does right work cost? As the API returns it, with the person who mends; and how long is it."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from projections.queries.contract import NamedQuery, label, number, text, time
from projections.queries.fragments import END, OWN_NAMES, TO_END, quantile
from projections.queries.office import (
    CHOSEN_DOCUMENTS,
    DATED,
    DATED_SQL,
    PARAMETERS,
    WHO,
    WHO_COLUMNS,
    documents,
    judged,
)

VERSION: Final = 1
"""Of the rules of costs; whatever could change a figure of the same rows is another version."""

MENDING_MINUTES: Final = 3
"""What a person takes to find and correct one faulty document."""

HOURLY: Final[dict[str, Decimal]] = {"USD": Decimal(40), "EUR": Decimal(35), "CZK": Decimal(450)}
"""That person's hour in each currency; not converted, wages are where the person is."""

MENDING: Final[dict[str, Decimal]] = {currency: hourly * MENDING_MINUTES / 60 for currency, hourly in HOURLY.items()}
"""2.00 USD, 1.75 EUR or 22.50 CZK a faulty document."""


def _rate(quote: str, column: str) -> str:
    """Select a part of the newest declared rate from USD; null without one."""
    return (
        f"(SELECT argMaxOrNull({column}, (day, time, toString(source), seq)) FROM exchange_rates FINAL "
        f"WHERE base = 'USD' AND quote = '{quote}' AND time <= {TO_END})"
    )


def _money(currency: str) -> str:
    """Columns of a currency: cost by the rate, true cost with the wages there, and the rate with its day."""
    name = currency.lower()
    return (
        f"cost_usd_1000 * rate_{name} AS cost_{name}_1000, "
        f"cost_{name}_1000 + faulty_share * 1000 * {MENDING[currency]} AS true_cost_{name}_1000, "
        f"toFloat64({_rate(currency, 'rate')}) AS rate_{name}, "
        f"toString({_rate(currency, 'day')}) AS rate_{name}_on"
    )


COSTS: Final = NamedQuery(
    name="office-costs",
    title="What right work costs",
    description="Costs as the API returns them in USD, re-asks included, extrapolated to 1,000 documents. One "
    "unknown cost makes the figure null; what is known of it stands beside. True cost adds a person who finds and "
    f"corrects each faulty document: {MENDING_MINUTES} minutes at {HOURLY['USD']} USD, {HOURLY['EUR']} EUR or "
    f"{HOURLY['CZK']} CZK an hour. Other currencies are for display, at the newest declared "
    "rate, which is given with its day. "
    "Latency is that of all asks that led to a document's answer, without waiting between them. Faulty documents are "
    "counted among open ones that were judged; costs and latencies are of private ones too.",
    shape="table",
    parameters=PARAMETERS,
    columns=(
        *WHO_COLUMNS,
        number("n", "documents", "documents that were answered, private ones too"),
        number("cost_usd_1000", "USD", "cost of 1,000 documents; null when one cost is unknown"),
        number("known_usd_1000", "USD", "what is known of it"),
        number("unknown_costs", "documents", "documents with an unknown cost"),
        number("faulty_share", "share", "judged documents that somebody must mend"),
        number("mending_usd_1000", "USD", "that person's work, 1,000 documents"),
        number("true_cost_usd_1000", "USD", "cost with the person who mends, 1,000 documents"),
        number("cost_eur_1000", "EUR", "cost of 1,000 documents, at the rate given"),
        number("true_cost_eur_1000", "EUR", "cost with the person who mends, 1,000 documents"),
        number("cost_czk_1000", "CZK", "cost of 1,000 documents, at the rate given"),
        number("true_cost_czk_1000", "CZK", "cost with the person who mends, 1,000 documents"),
        number("rate_eur", "rate", "EUR for one USD; null when none was declared"),
        text("rate_eur_on", "day of that rate"),
        number("rate_czk", "rate", "CZK for one USD; null when none was declared"),
        text("rate_czk_on", "day of that rate"),
        number("latency_p50", "s", "median latency of a document"),
        number("latency_mean", "s", "mean latency of a document"),
        number("latency_p90", "s", "P90 of the latency of a document"),
        *DATED,
    ),
    sql=f"""
SELECT {WHO}, n, cost_usd_1000, known_usd_1000, unknown AS unknown_costs, faulty_share,
       faulty_share * 1000 * {MENDING["USD"]} AS mending_usd_1000,
       cost_usd_1000 + mending_usd_1000 AS true_cost_usd_1000, cost_eur_1000, true_cost_eur_1000,
       cost_czk_1000, true_cost_czk_1000,
       rate_eur, rate_eur_on, rate_czk, rate_czk_on, latency_p50, latency_mean, latency_p90,
       simulated, data_set, prompts, oldest, newest, 'office-costs {VERSION}' AS definition
FROM (
    SELECT *, {_money("EUR")}, {_money("CZK")}
    FROM (
        SELECT {WHO}, count() AS n, countIf(d.unknown_costs > 0) AS unknown,
               toFloat64(sum(known_usd)) / n * 1000 AS known_usd_1000,
               if(unknown > 0, NULL, known_usd_1000) AS cost_usd_1000,
               {quantile(0.5, "latency_s")} AS latency_p50, avgOrNull(latency_s) AS latency_mean,
               {quantile(0.9, "latency_s")} AS latency_p90, {DATED_SQL}
        FROM ({documents(CHOSEN_DOCUMENTS)}) AS d
        GROUP BY {WHO}
    ) AS c
    LEFT JOIN (
        SELECT vantage, endpoint, task, language, toNullable(countIf(NOT error_free) / count()) AS faulty_share
        FROM ({judged(CHOSEN_DOCUMENTS)}) GROUP BY vantage, endpoint, task, language
    ) AS f USING (vantage, endpoint, task, language)
)
ORDER BY task, language, true_cost_usd_1000 IS NULL, true_cost_usd_1000, endpoint, vantage
{OWN_NAMES}
""",
)

RATES: Final = NamedQuery(
    name="exchange-rates",
    title="Exchange rates",
    description="The newest declared rate of each pair of currencies. Rates are for display: no stored figure is "
    "made of one, and wages of the person who mends are not converted.",
    shape="table",
    parameters=(END,),
    columns=(
        label("base", "currency that is converted"),
        label("quote", "currency that is shown"),
        number("rate", "rate", "units of quote for one of base"),
        text("day", "day that the rate is of"),
        text("stated_by", "where the rate was taken from"),
        time("when it was declared", "declared"),
    ),
    sql=f"""
SELECT toString(base) AS base, toString(quote) AS quote, toFloat64(rate) AS rate, toString(day) AS day, stated_by,
       time AS declared
FROM (SELECT * FROM exchange_rates FINAL WHERE time <= {TO_END})
ORDER BY base, quote, (day, time, toString(source), seq) DESC
LIMIT 1 BY base, quote
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (COSTS, RATES)
