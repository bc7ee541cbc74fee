"""The instrument: the dashboard that answers "can I believe it?"."""

from __future__ import annotations

from typing import Final

from dashboards.panels import Bar, Bars, Dashboard, Line, Panel, Table, TableColumn, TimeSeries, Variable

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
            TableColumn(title="Out of bounds", column="out_of_bounds"),
            TableColumn(title="Uncalibrated", column="uncalibrated"),
            TableColumn(title="Attempts planned", column="planned_attempts"),
            TableColumn(title="Attempts ended", column="ended_attempts"),
            TableColumn(title="Newest", column="newest"),
            TableColumn(title="Source", column="source"),
        )
    ),
)

LOST: Final = Panel(
    id="slots-lost",
    title="Slots late, out of bounds, missed and skipped",
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
            Bar(title="Out of bounds", value="out_of_bounds", colour="anonymous"),
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
    window="as of now",
    parameters={},
    width="half",
    visualisation=Table(
        columns=(
            TableColumn(title="Projection", column="projection"),
            TableColumn(title="Source", column="source"),
            TableColumn(title="Position", column="seq"),
            TableColumn(title="Behind", column="behind"),
            TableColumn(title="Version", column="version"),
            TableColumn(title="Definition", column="definition"),
        )
    ),
)

QUARANTINE: Final = Panel(
    id="quarantine",
    title="Quarantine",
    description="Records that nobody could decode, and what was decided about them. Nothing to see is good news.",
    definition="Quarantine",
    query="quarantine",
    window="as of now",
    when_empty="Nothing is in quarantine.",
    parameters={},
    visualisation=Table(
        columns=(
            TableColumn(title="State", column="state"),
            TableColumn(title="Source", column="source"),
            TableColumn(title="Records", column="n"),
            TableColumn(title="Newest", column="newest"),
        )
    ),
)

STOPS: Final = Panel(
    id="stops",
    title="Sources that stand still",
    description="Their events are not in the tables behind these positions. Nothing to see is good news.",
    definition="Sources that stand still",
    query="stops",
    window="as of now",
    when_empty="Every source is folded on.",
    parameters={},
    visualisation=Table(
        columns=(
            TableColumn(title="Source", column="source"),
            TableColumn(title="Behind position", column="seq"),
            TableColumn(title="Kind", column="kind"),
            TableColumn(title="Since", column="since"),
            TableColumn(title="What is wrong, and what to do", column="reason"),
        )
    ),
)

DECLARED_LOST: Final = Panel(
    id="declared-lost",
    title="Events declared lost",
    description="Measured once, and in nobody's hands any more. Figures are of what is left.",
    definition="Events declared lost",
    query="declared-lost",
    window="as of now",
    when_empty="No event was declared lost.",
    parameters={},
    visualisation=Table(
        columns=(
            TableColumn(title="Source", column="source"),
            TableColumn(title="From", column="first"),
            TableColumn(title="To", column="last"),
            TableColumn(title="Events", column="n"),
            TableColumn(title="Declared", column="declared"),
            TableColumn(title="By", column="person"),
            TableColumn(title="Reason", column="reason"),
        )
    ),
)

CALIBRATION: Final = Panel(
    id="calibration",
    title="Calibration error",
    description="Newest first. Within bounds means within 2 % or 2 ms, whichever is larger. No kernel time: attempts "
    "of which some read had none that could be used.",
    definition="Measured minus truth",
    when_empty="No calibration in this span; the command messwerk calibrate makes one.",
    query="calibration",
    parameters={},
    visualisation=Table(
        newest_first=True,
        columns=(
            TableColumn(title="When", column="time"),
            TableColumn(title="Transport", column="transport"),
            TableColumn(title="TLS", column="tls"),
            TableColumn(title="Streams", column="streams"),
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
            TableColumn(title="Longest GC", column="gc_longest_us"),
            TableColumn(title="No kernel time", column="user_space_reads"),
        ),
    ),
)

ERROR: Final = Panel(
    id="calibration-error",
    title="Calibration error over time",
    description="Of each step the largest, by transport, way and streams at once. Runs are calibrated before they "
    "begin; the dagger beside a figure elsewhere leads back to here.",
    definition="Calibration error",
    when_empty="No calibration in this span; the command messwerk calibrate makes one.",
    query="calibration-over-time",
    parameters={},
    n="n",
    width="half",
    visualisation=TimeSeries(
        time="time", by=("transport", "way", "at_once", "source"), lines=(Line(title="TTFT error", value="error_ms"),)
    ),
)

STRAIN: Final = Panel(
    id="strain",
    title="What held up the measuring",
    description="Lateness of the event loop that measured, and its collections of garbage. Times from the kernel "
    "bear it until tokens come faster than the loop comes back.",
    definition="Longest of each attempt",
    when_empty="No attempt of this span recorded what its event loop was held up by.",
    query="strain-over-time",
    parameters={},
    n="n",
    width="half",
    visualisation=TimeSeries(
        time="time",
        by=("source",),
        lines=(
            Line(title="loop lag, longest", value="loop_lag_max_us", colour="degraded"),
            Line(title="loop lag, median", value="loop_lag_p50_us", colour="primary"),
            Line(title="garbage collection, longest", value="gc_longest_us", colour="reasoning"),
        ),
    ),
)

CHECKPOINTS: Final = Panel(
    id="checkpoints",
    title="Newest checkpoint of the log",
    description="Whoever keeps a copy of the root can tell later whether the log was changed.",
    definition="Merkle root of the log (RFC 6962)",
    when_empty="No checkpoint yet: a log records one every so many events and when its daemon stops.",
    query="log-checkpoints",
    parameters={},
    visualisation=Table(
        columns=(
            TableColumn(title="Source", column="source"),
            TableColumn(title="Recorded", column="time"),
            TableColumn(title="Events", column="size"),
            TableColumn(title="Root", column="root"),
        )
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
            TableColumn(title="Within bounds", column="calibration_within_bounds"),
            TableColumn(title="Calibration", column="calibration_basis"),
            TableColumn(title="Detail", column="detail"),
        ),
    ),
)

INSTRUMENT: Final = Dashboard(
    id="instrument",
    title="The instrument",
    question="Can I believe it?",
    variables=_ANY_WORKLOAD,
    panels=(
        SLOTS,
        LOST,
        POSITIONS,
        QUARANTINE,
        STOPS,
        DECLARED_LOST,
        ERROR,
        STRAIN,
        CALIBRATION,
        CHECKPOINTS,
        LAST_SLOTS,
    ),
)
