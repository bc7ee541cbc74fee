"""Service levels: the dashboard that answers "what is left of the budget?"."""

from __future__ import annotations

from typing import Final

from dashboards.panels import Dashboard, Line, Link, Panel, Table, TableColumn, TimeSeries
from dashboards.variables import ALL_FILTERS, COMMON, LATENCY_OBJECTIVE

_BINDING: Final = {**ALL_FILTERS, "objective_s": LATENCY_OBJECTIVE.name}
_BY: Final = ("endpoint", "account", "vantage", "provider")

LEVELS: Final = Panel(
    id="service-levels",
    title="What is left",
    description="The endpoint with the least budget first. At least 95 % of the attempts shall succeed, and 95 % of "
    "the complete answers shall begin within the latency objective.",
    definition="Error budget over 28 days",
    when_empty="Nothing was measured in the 28 days before the chosen end.",
    query="service-levels",
    parameters=_BINDING,
    n="n",
    window="the budget's 28 days",
    links=(Link(column="endpoint", target="endpoint", variable="endpoint"),),
    visualisation=Table(
        columns=(
            TableColumn(title="Endpoint", column="endpoint"),
            TableColumn(title="Success", column="success_share"),
            TableColumn(title="Failed", column="failed"),
            TableColumn(title="Budget left", column="budget_left", bar=True),
            TableColumn(title="Burn, 1 day", column="burn_1d"),
            TableColumn(title="Burn, 3 days", column="burn_3d"),
            TableColumn(title="Burn, 7 days", column="burn_7d"),
            TableColumn(title="In time", column="in_time_share"),
            TableColumn(title="Late", column="late"),
            TableColumn(title="Latency budget left", column="latency_budget_left"),
            TableColumn(title="n", column="n"),
            TableColumn(title="Account", column="account", if_telling=True),
            TableColumn(title="Vantage", column="vantage", if_telling=True),
            TableColumn(title="Newest run", column="newest"),
        )
    ),
)


def _over_time(panel_id: str, title: str, description: str, query: str, line: Line, window: str) -> Panel:
    return Panel(
        id=panel_id,
        title=title,
        description=description,
        definition="Error budget over 28 days",
        query=query,
        parameters=_BINDING,
        n="n",
        rolling=True,
        window=window,
        step="slots",
        width="half",
        visualisation=TimeSeries(time="time", by=_BY, lines=(line,)),
    )


BUDGET: Final = _over_time(
    "budget",
    "Error budget",
    "1 is untouched, 0 is used up, below 0 the objective is missed.",
    "error-budget-over-time",
    Line(title="Left", value="budget_left"),
    "28 days",
)
LATENCY_BUDGET: Final = _over_time(
    "latency-budget",
    "Latency budget",
    "The same for complete answers that begin after the latency objective.",
    "error-budget-over-time",
    Line(title="Left", value="latency_budget_left"),
    "28 days",
)
BURN_FAST: Final = _over_time(
    "burn-1d",
    "Burn rate of a day",
    "At 1 the budget lasts exactly 28 days, at 28 it is gone in one.",
    "burn-rate-over-time",
    Line(title="Burn rate", value="burn_1d"),
    "a day",
)
BURN_SLOW: Final = _over_time(
    "burn-3d",
    "Burn rate of 3 days",
    "The slower picture; a high day in a calm stretch is seen above alone.",
    "burn-rate-over-time",
    Line(title="Burn rate", value="burn_3d"),
    "3 days",
)

SERVICE_LEVELS: Final = Dashboard(
    id="service-levels",
    title="Service levels",
    question="What is left of the budget?",
    variables=(*COMMON, LATENCY_OBJECTIVE),
    panels=(LEVELS, BUDGET, LATENCY_BUDGET, BURN_FAST, BURN_SLOW),
)
