"""Endpoint: panels about tokens, cost and cache, and about how much a choice of the methodology matters."""

from __future__ import annotations

from typing import Final

from dashboards.panels import Panel, Table, TableColumn
from dashboards.variables import ENDPOINT_FILTERS, without

REASONING: Final = Panel(
    id="reasoning-tokens",
    title="Average reasoning tokens",
    description="What the total for 100 tokens reckons with where reasoning is hidden.",
    definition="Mean over the reasoning set",
    when_empty="By the catalogue this model does not reason, or nothing was measured yet.",
    query="reasoning-tokens",
    parameters=without(ENDPOINT_FILTERS, "account", "workload", "scenario"),
    width="half",
    visualisation=Table(
        columns=(
            TableColumn(title="Endpoint", column="endpoint"),
            TableColumn(title="Average", column="average", mark="assumed"),
            TableColumn(title="Measured so far", column="measured_average"),
            TableColumn(title="Prompts", column="prompts"),
            TableColumn(title="Needed", column="needed_prompts"),
        )
    ),
)

TOKENS: Final = Panel(
    id="tokens",
    title="Tokens counted against billed",
    description="Counted with o200k_base over the text received, billed as the provider reports.",
    definition="Sums over complete answers",
    query="counted-against-billed",
    parameters=without(ENDPOINT_FILTERS, "workload"),
    n="n",
    visualisation=Table(
        columns=(
            TableColumn(title="Workload", column="workload"),
            TableColumn(title="Input counted", column="counted_input"),
            TableColumn(title="Input billed", column="billed_input"),
            TableColumn(title="Ratio", column="input_ratio"),
            TableColumn(title="Output counted", column="counted_output"),
            TableColumn(title="Output billed", column="billed_output"),
            TableColumn(title="Ratio", column="output_ratio"),
            TableColumn(title="Cached input", column="cached_input"),
            TableColumn(title="Cost", column="cost_usd"),
            TableColumn(title="Cost reported", column="cost_reported_usd"),
            TableColumn(title="n", column="n"),
        )
    ),
)

COSTS: Final = Panel(
    id="costs",
    title="Cost reported against cost by price",
    description="What the provider says an attempt cost, beside what its price list says; the difference is theirs.",
    definition="Sums over attempts with both costs",
    when_empty="No attempt of this span has a cost: the provider reports none, and no price is in force.",
    query="cost-reported-against-priced",
    parameters=without(ENDPOINT_FILTERS, "workload"),
    n="n",
    visualisation=Table(
        columns=(
            TableColumn(title="Workload", column="workload"),
            TableColumn(title="Reported", column="reported_usd"),
            TableColumn(title="By price", column="priced_usd"),
            TableColumn(title="Difference", column="difference_usd"),
            TableColumn(title="Share", column="difference_share"),
            TableColumn(title="Largest", column="largest_difference_usd"),
            TableColumn(title="n", column="n"),
            TableColumn(title="Reported alone", column="reported_alone"),
            TableColumn(title="Priced alone", column="priced_alone"),
            TableColumn(title="Account", column="account", if_telling=True),
        )
    ),
)

CACHE: Final = Panel(
    id="cache",
    title="What a cache serves",
    description="The same long prefix sent twice in a row, once a day.",
    definition="Share of input from a cache, and TTFT, of the second request",
    when_empty="The workload cache-hit has not run in its window; messwerk run cache-hit starts it.",
    query="cache-hits",
    parameters=without(ENDPOINT_FILTERS, "workload", "scenario"),
    n="n",
    visualisation=Table(
        columns=(
            TableColumn(title="Vantage", column="vantage"),
            TableColumn(title="From a cache", column="cached_share"),
            TableColumn(title="Requests that hit", column="hit_share"),
            TableColumn(title="TTFT first", column="first_ttft_p50"),
            TableColumn(title="TTFT second", column="second_ttft_p50"),
            TableColumn(title="Ratio", column="ttft_ratio"),
            TableColumn(title="Pairs", column="n"),
            TableColumn(title="First from a cache", column="first_cached_share"),
            TableColumn(title="Account", column="account", if_telling=True),
            TableColumn(title="Newest", column="newest"),
        )
    ),
)

SENSITIVITY: Final = Panel(
    id="sensitivity",
    title="Speed by share of chunks",
    description="What output speed would be over other shares of an answer's chunks; the rule applies to hidden "
    "reasoning.",
    definition="Output speed over the last part of the chunks, P50",
    query="speed-by-last-share",
    parameters=without(ENDPOINT_FILTERS, "workload", "scenario"),
    n="n",
    visualisation=Table(
        columns=(
            TableColumn(title="Workload", column="workload"),
            TableColumn(title="Scenario", column="scenario"),
            TableColumn(title="Published", column="published_p50"),
            TableColumn(title="Last 60 %", column="last_60_p50"),
            TableColumn(title="Last 70 %", column="last_70_p50"),
            TableColumn(title="Last 80 %", column="last_80_p50"),
            TableColumn(title="Last 90 %", column="last_90_p50"),
            TableColumn(title="All chunks", column="last_100_p50"),
            TableColumn(title="Spread", column="spread_share"),
            TableColumn(title="Reasoning hidden", column="hidden_share"),
            TableColumn(title="n", column="n"),
            TableColumn(title="Account", column="account", if_telling=True),
            TableColumn(title="Vantage", column="vantage", if_telling=True),
        )
    ),
)
