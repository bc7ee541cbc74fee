"""Endpoint: the dashboard that answers "what is it like, and since when?"."""

from __future__ import annotations

from typing import Final

from dashboards.endpoint_usage import CACHE, COSTS, REASONING, SENSITIVITY, TOKENS
from dashboards.panels import (
    Bar,
    Bars,
    Columns,
    Dashboard,
    Line,
    Link,
    Panel,
    Table,
    TableColumn,
    TimeSeries,
    Width,
)
from dashboards.variables import ABOUT_ONE_ENDPOINT, BOUNDS, ENDPOINT_FILTERS, without
from schemas.metrics import metric

_METRICS: Final = {name: metric(name).title for name in ("ttft", "ttfat", "output-speed", "end-to-end", "total-100")}

_BY: Final = ("account", "vantage", "workload", "scenario")

FIGURES: Final = Panel(
    id="figures",
    title="Figures",
    description="An asterisk marks totals that rest on the assumed count of reasoning tokens, a dagger figures of "
    "which attempts were measured out of bounds; they are in the medians all the same. The choice of bounds narrows "
    "this table alone.",
    definition="P5 to P95 over the workload's window",
    query="endpoint-figures",
    parameters={**ENDPOINT_FILTERS, "bounds": BOUNDS.name},
    visualisation=Table(
        columns=(
            TableColumn(title="Metric", column="metric", badge="simulated", mark="assumed", names=_METRICS),
            TableColumn(title="Unit", column="unit"),
            TableColumn(title="P50", column="p50", unit_from="unit", outside="any_out_of_bounds"),
            TableColumn(title="P5", column="p5", unit_from="unit"),
            TableColumn(title="P25", column="p25", unit_from="unit"),
            TableColumn(title="P75", column="p75", unit_from="unit"),
            TableColumn(title="P95", column="p95", unit_from="unit"),
            TableColumn(title="n", column="n"),
            TableColumn(title="Out of bounds", column="out_of_bounds_share"),
            TableColumn(title="TTFT error", column="instrument_error_ms"),
            TableColumn(title="Account", column="account", if_telling=True),
            TableColumn(title="Vantage", column="vantage", if_telling=True),
            TableColumn(title="Newest run", column="newest"),
        ),
    ),
)


def _over_time(panel_id: str, title: str, query: str, definition: str, width: Width = "half") -> Panel:
    return Panel(
        id=panel_id,
        title=title,
        description="The line is the P50, the band reaches from P5 to P95.",
        definition=definition,
        query=query,
        parameters=ENDPOINT_FILTERS,
        n="n",
        rolling=True,
        width=width,
        visualisation=TimeSeries(time="time", by=_BY, lines=(Line(title="P50", value="p50", low="p5", high="p95"),)),
    )


TTFT: Final = _over_time("ttft", "Time to first token", "ttft-over-time", "TTFT, rolling P50 with P5 and P95")
TTFAT: Final = _over_time(
    "ttfat", "Time to first answer token", "ttfat-over-time", "TTFAT, rolling P50 with P5 and P95"
)
SPEED: Final = _over_time(
    "speed", "Output speed", "output-speed-over-time", "Output speed, rolling P50 with P5 and P95"
)
END_TO_END: Final = _over_time(
    "end-to-end", "End-to-end response time", "end-to-end-over-time", "End-to-end, rolling P50 with P5 and P95"
)
TOTAL: Final = _over_time(
    "total-100",
    "Total response time for 100 tokens",
    "total-100-over-time",
    "Total for 100 tokens, rolling P50 with P5 and P95",
    width="full",
)

PHASES: Final = Panel(
    id="phases",
    title="Where the time goes",
    description="Each workload's phases, one after the other.",
    definition="Median of each phase",
    query="phases",
    parameters=without(ENDPOINT_FILTERS, "workload"),
    n="n",
    visualisation=Bars(
        by=("workload", "vantage"),
        stacked=True,
        by_name=True,
        bars=(
            Bar(title="DNS", value="dns_s", colour="dns"),
            Bar(title="Connect", value="connect_s", colour="connect"),
            Bar(title="TLS", value="tls_s", colour="tls"),
            Bar(title="Waiting", value="waiting_s", colour="waiting"),
            Bar(title="Reasoning", value="reasoning_s", colour="reasoning"),
            Bar(title="Answering", value="answering_s", colour="answer"),
        ),
    ),
)

BY_INPUT: Final = Panel(
    id="speed-by-input",
    title="Speed by input length",
    description="Single requests of every text workload.",
    definition="Output speed, P50 over each workload's window",
    query="speed-by-input",
    parameters=without(ENDPOINT_FILTERS, "workload", "scenario"),
    n="n",
    width="half",
    visualisation=Bars(
        by=("workload", "vantage"), bars=(Bar(title="Output speed", value="output_speed_p50", colour="primary"),)
    ),
)

PARALLEL: Final = Panel(
    id="parallel",
    title="Parallel against single",
    description="Output speed of a request alone and of one among ten; the table has TTFT and both ratios.",
    definition="Output speed, P50 over the workload's window",
    query="parallel-against-single",
    parameters=without(ENDPOINT_FILTERS, "workload", "scenario"),
    n="n",
    width="half",
    visualisation=Bars(
        by=("workload", "vantage"),
        bars=(
            Bar(title="One at a time", value="single_speed_p50", colour="primary"),
            Bar(title="Ten at once", value="parallel_speed_p50", colour="neutral"),
        ),
    ),
)

HOURS: Final = Panel(
    id="hours",
    title="Hour of day",
    description="Time to first token by UTC hour; hours without a slot are empty.",
    definition="TTFT, P50 by hour",
    query="hour-of-day",
    parameters=ENDPOINT_FILTERS,
    n="n",
    width="half",
    visualisation=Columns(category="hour", value="ttft_p50", by=("vantage",)),
)

LAST_ATTEMPTS: Final = Panel(
    id="last-attempts",
    title="Last 200 attempts",
    description="Each leads to its own page with its timeline.",
    definition="Figures of single attempts",
    query="last-attempts",
    parameters=ENDPOINT_FILTERS,
    constants={"limit": 200},
    links=(Link(column="time", target="attempt", value="attempt"),),
    visualisation=Table(
        columns=(
            TableColumn(title="Sent", column="time", badge="simulated"),
            TableColumn(title="Outcome", column="outcome"),
            TableColumn(title="Failure", column="failure", unless_in="outcome"),
            TableColumn(title="TTFT", column="ttft_s"),
            TableColumn(title="TTFAT", column="ttfat_s"),
            TableColumn(title="Speed", column="output_speed"),
            TableColumn(title="End-to-end", column="end_to_end_s"),
            TableColumn(title="Answer", column="answer_tokens"),
            TableColumn(title="Reasoning", column="reasoning_tokens"),
            TableColumn(title="Cost", column="cost_usd"),
            TableColumn(title="Account", column="account"),
            TableColumn(title="Late", column="late"),
            TableColumn(title="Within bounds", column="calibration_within_bounds"),
        ),
    ),
)

ENDPOINT: Final = Dashboard(
    id="endpoint",
    title="Endpoint",
    question="What is it like, and since when?",
    variables=(*ABOUT_ONE_ENDPOINT, BOUNDS),
    panels=(
        FIGURES,
        TTFT,
        SPEED,
        TTFAT,
        END_TO_END,
        TOTAL,
        PHASES,
        BY_INPUT,
        PARALLEL,
        HOURS,
        REASONING,
        SENSITIVITY,
        TOKENS,
        COSTS,
        CACHE,
        LAST_ATTEMPTS,
    ),
)
