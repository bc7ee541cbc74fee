"""Overview: the dashboard that answers "is anything wrong, and where?"."""

from __future__ import annotations

from typing import Final

from dashboards.panels import (
    Bar,
    Bars,
    Dashboard,
    Line,
    Link,
    Panel,
    States,
    Table,
    TableColumn,
    Tile,
    Tiles,
    TimeSeries,
)
from dashboards.variables import ALL_FILTERS, BOUNDS, COMMON

_TO_ENDPOINT: Final = (Link(column="endpoint", target="endpoint", variable="endpoint"),)
_SERIES_BY: Final = ("endpoint", "account", "vantage", "workload", "scenario")

TILES: Final = Panel(
    id="at-a-glance",
    title="At a glance",
    description="The figures of everything that is selected, together.",
    definition="P50 over the workload's window",
    query="overview-tiles",
    parameters=ALL_FILTERS,
    n="attempts",
    visualisation=Tiles(
        tiles=(
            Tile(title="Attempts", value="attempts", note="endpoints", note_text="endpoints"),
            Tile(title="Success", value="success_share", n="attempts", good_from=0.95, bad_below=0.5),
            Tile(title="TTFT, P50", value="ttft_p50", n="n"),
            Tile(title="Output speed, P50", value="output_speed_p50", n="n"),
            Tile(
                title="Spend", value="spend_usd", n="requests", note="unpriced_attempts", note_text="of unknown cost"
            ),
            Tile(title="Stalest endpoint", value="stalest_endpoint", note="stalest_newest"),
        )
    ),
)

AVAILABILITY: Final = Panel(
    id="availability",
    title="Availability",
    description="One strip an endpoint, one cell a stretch of time; grey where nothing was measured.",
    definition="Success share",
    query="availability",
    parameters=ALL_FILTERS,
    n="n",
    step="slots",
    links=_TO_ENDPOINT,
    visualisation=States(time="time", by=("endpoint", "vantage"), share="success_share", n="n"),
)

LEADERBOARD: Final = Panel(
    id="leaderboard",
    title="Leaderboard",
    description="Every selected endpoint. An asterisk marks totals that rest on the assumed count of reasoning "
    "tokens, a dagger those of which attempts were measured out of bounds; they are in the medians all the same. "
    "Tokenizers differ, so prices per token do not compare directly. The choice of bounds narrows this table alone.",
    definition="P50 over the workload's window",
    query="leaderboard",
    parameters={**ALL_FILTERS, "bounds": BOUNDS.name},
    n="n",
    links=_TO_ENDPOINT,
    visualisation=Table(
        columns=(
            TableColumn(title="Endpoint", column="endpoint", badge="simulated"),
            TableColumn(title="TTFT P50", column="ttft_p50", bar=True, outside="any_out_of_bounds"),
            TableColumn(title="TTFAT P50", column="ttfat_p50"),
            TableColumn(title="Speed P50", column="output_speed_p50", bar=True),
            TableColumn(title="End-to-end P50", column="end_to_end_p50"),
            TableColumn(title="100 tokens P50", column="total_100_p50", mark="total_assumed"),
            TableColumn(title="n", column="n"),
            TableColumn(title="Success", column="success_share"),
            TableColumn(title="Rate-limited", column="rate_limited_share"),
            TableColumn(title="Too short", column="below_minimum_share"),
            TableColumn(title="TTFT error", column="instrument_error_ms"),
            TableColumn(title="Out of bounds", column="out_of_bounds_share"),
            TableColumn(title="Quantization", column="quantization"),
            TableColumn(title="Account", column="account", if_telling=True),
            TableColumn(title="Vantage", column="vantage", if_telling=True),
            TableColumn(title="Newest run", column="newest"),
        ),
    ),
)

TTFT: Final = Panel(
    id="ttft-over-time",
    title="Time to first token",
    description="One line an endpoint; the table has P5 and P95.",
    definition="TTFT, rolling P50",
    query="ttft-over-time",
    parameters=ALL_FILTERS,
    n="n",
    rolling=True,
    step="slots",
    width="half",
    visualisation=TimeSeries(time="time", by=_SERIES_BY, lines=(Line(title="P50", value="p50"),)),
)

SPEED: Final = Panel(
    id="speed-over-time",
    title="Output speed",
    description="One line an endpoint; the table has P5 and P95.",
    definition="Output speed, rolling P50",
    query="output-speed-over-time",
    parameters=ALL_FILTERS,
    n="n",
    rolling=True,
    step="slots",
    width="half",
    visualisation=TimeSeries(time="time", by=_SERIES_BY, lines=(Line(title="P50", value="p50"),)),
)

FAILURES: Final = Panel(
    id="failures",
    title="Failures by class",
    description="Attempts of the whole span that came to no complete answer.",
    definition="Failure classes",
    when_empty="No attempt of this span failed, or none was made; the tiles say which.",
    query="failures-by-class",
    parameters=ALL_FILTERS,
    n="n",
    step="span",
    visualisation=Bars(by=("class",), bars=(Bar(title="Attempts", value="n", colour="failed"),)),
)

OVERVIEW: Final = Dashboard(
    id="overview",
    title="Overview",
    question="Is anything wrong, and where?",
    variables=(*COMMON, BOUNDS),
    panels=(TILES, AVAILABILITY, LEADERBOARD, TTFT, SPEED, FAILURES),
)
