"""The instrument: the dashboard that answers "can I believe it?"."""

from __future__ import annotations

from typing import Final

from dashboards.panels import Bar, Bars, Dashboard, Panel, Table, TableColumn, Variable

_ANY_WORKLOAD: Final = (Variable(name="workload", title="Workload"),)

SLOTS: Final = Panel(
    id="slots",
    title="Slots",
    description="What came due and what became of it.",
    definition="Slots of the schedule",
    query="slots",
    parameters={"workload": "workload"},
    visualisation=Table(
        columns=(
            TableColumn(title="Workload", column="workload"),
            TableColumn(title="Scenario", column="scenario"),
            TableColumn(title="Planned", column="slots"),
            TableColumn(title="Run", column="run"),
            TableColumn(title="Late", column="late"),
            TableColumn(title="Missed", column="missed"),
            TableColumn(title="Skipped", column="skipped"),
            TableColumn(title="Attempts planned", column="planned_attempts"),
            TableColumn(title="Attempts ended", column="ended_attempts"),
            TableColumn(title="Newest", column="newest"),
            TableColumn(title="Source", column="source"),
        )
    ),
)

LOST: Final = Panel(
    id="slots-lost",
    title="Slots late, missed and skipped",
    description="The same counts as bars; nothing to see is good news.",
    definition="Slots of the schedule",
    query="slots",
    parameters={"workload": "workload"},
    width="half",
    visualisation=Bars(
        by=("workload", "scenario", "source"),
        stacked=True,
        bars=(
            Bar(title="Late", value="late", colour="degraded"),
            Bar(title="Missed", value="missed", colour="failed"),
            Bar(title="Skipped", value="skipped", colour="neutral"),
        ),
    ),
)

POSITIONS: Final = Panel(
    id="positions",
    title="How far the tables have come",
    description="Every event up to the position is in the tables; the log's own size stands at the foot of the page.",
    definition="Positions of the projections",
    query="positions",
    parameters={},
    width="half",
    visualisation=Table(
        columns=(
            TableColumn(title="Projection", column="projection"),
            TableColumn(title="Source", column="source"),
            TableColumn(title="Position", column="seq"),
            TableColumn(title="Version", column="version"),
            TableColumn(title="Definition", column="definition"),
        )
    ),
)

CALIBRATION: Final = Panel(
    id="calibration",
    title="Calibration error",
    description="Newest first. Within bounds means within 2 % or 2 ms, whichever is larger.",
    definition="Measured minus truth",
    when_empty="No calibration in this span; the command messwerk calibrate makes one.",
    query="calibration",
    parameters={},
    visualisation=Table(
        newest_first=True,
        columns=(
            TableColumn(title="When", column="time"),
            TableColumn(title="Profile", column="profile"),
            TableColumn(title="Metric", column="metric"),
            TableColumn(title="Statistic", column="statistic"),
            TableColumn(title="Unit", column="unit"),
            TableColumn(title="Truth", column="truth", unit_from="unit"),
            TableColumn(title="Measured", column="measured", unit_from="unit"),
            TableColumn(title="Error", column="error", unit_from="unit"),
            TableColumn(title="Within bounds", column="within_bounds"),
            TableColumn(title="n", column="n"),
            TableColumn(title="Loop lag P99", column="loop_lag_p99_us"),
        ),
    ),
)

LAST_SLOTS: Final = Panel(
    id="last-slots",
    title="Last slots",
    description="Each slot by itself, run or not.",
    definition="Slots of the schedule",
    query="last-slots",
    parameters={"workload": "workload"},
    constants={"limit": 100},
    visualisation=Table(
        page_rows=12,
        columns=(
            TableColumn(title="Nominal time", column="time"),
            TableColumn(title="Workload", column="workload"),
            TableColumn(title="Scenario", column="scenario"),
            TableColumn(title="State", column="state"),
            TableColumn(title="Attempts planned", column="attempts"),
            TableColumn(title="Complete answers", column="ok"),
            TableColumn(title="Detail", column="detail"),
        ),
    ),
)

INSTRUMENT: Final = Dashboard(
    id="instrument",
    title="The instrument",
    question="Can I believe it?",
    variables=_ANY_WORKLOAD,
    panels=(SLOTS, LOST, POSITIONS, CALIBRATION, LAST_SLOTS),
)
