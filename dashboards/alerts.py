"""What wakes somebody: alerts as data, over named queries whose rows hold labels and one ``value``.

Grafana evaluates them from what ``dashboards/grafana/rules.py`` writes; ``messwerk alerts`` evaluates the same
ones without a Grafana. The text for people is in docs/operations.md, under the same titles.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal

import msgspec

from projections.queries.contract import QueryTable

Comparison = Literal["above", "below"]
Severity = Literal["critical", "warning"]

_COMPARED: Final[Mapping[Comparison, Callable[[float, float], bool]]] = {"above": operator.gt, "below": operator.lt}

_HOUR_S: Final = 3600


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """One alert: it fires for every row whose value lies beyond the bound.

    over_s: span that the query looks back over, in seconds.
    pending_s: how long a row must be beyond the bound before anybody is told, in seconds.
    action: what to do, in one sentence.
    """

    id: str
    title: str
    query: str
    over_s: int
    comparison: Comparison
    bound: float
    severity: Severity
    meaning: str
    action: str
    pending_s: int = 0

    def fires(self, value: float | None) -> bool:
        """Tell whether a value lies beyond the bound; an unknown one does not."""
        return value is not None and _COMPARED[self.comparison](value, self.bound)


class Firing(msgspec.Struct, frozen=True, kw_only=True):
    """A row that lies beyond the bound of its alert."""

    alert: str
    title: str
    severity: Severity
    labels: Mapping[str, str]
    value: float


def firing(alert: Alert, answer: QueryTable) -> Iterable[Firing]:
    """Rows of an answer for which the alert fires, without any pending time."""
    labels = [column.name for column in answer.query.columns if column.kind == "label"]
    for row in answer.dicts():
        value: Any = row["value"]
        if alert.fires(value):
            yield Firing(
                alert=alert.id,
                title=alert.title,
                severity=alert.severity,
                labels={name: str(row[name]) for name in labels},
                value=float(value),
            )


ALERTS: Final[tuple[Alert, ...]] = (
    Alert(
        id="success-low",
        title="Success under 95 % for an hour",
        query="alert-success",
        over_s=_HOUR_S,
        comparison="below",
        bound=0.95,
        severity="critical",
        meaning="Of the attempts of the last hour at this endpoint fewer than 95 % came to a complete answer.",
        action="Look at Failures by class and at the newest attempts of the endpoint.",
    ),
    Alert(
        id="no-success",
        title="No successful attempt for two periods",
        query="alert-without-success",
        over_s=28 * 24 * _HOUR_S,
        comparison="above",
        bound=2.0,
        severity="critical",
        meaning="For more than two periods of its schedule this workload came to no complete answer at this "
        "endpoint: all failed, or nothing was measured.",
        action="See whether the daemon runs (messwerk status), then what the newest attempts failed with.",
        pending_s=1200,  # the slot that is due just then has its jitter and its run
    ),
    Alert(
        id="off-band",
        title="P50 off its own 14-day band",
        query="alert-off-band",
        over_s=15 * 24 * _HOUR_S,
        comparison="above",
        bound=1.0,
        severity="warning",
        meaning="The P50 of the last day lies outside the band that its own 14 days before make.",
        action="Look at the calibration first, then at the endpoint since when; marks show what changed meanwhile.",
    ),
    Alert(
        id="integrity-case",
        title="Integrity case opened",
        query="alert-integrity-cases",
        over_s=24 * _HOUR_S,
        comparison="above",
        bound=0.0,
        severity="critical",
        meaning="Accounts at one endpoint differ materially. Nothing is decided by it.",
        action="Read the evidence of the event and let a person decide, with a written reason.",
    ),
    Alert(
        id="projection-lag",
        title="Projection lag",
        query="alert-projection-lag",
        over_s=_HOUR_S,
        comparison="above",
        bound=4.0 * _HOUR_S,
        severity="warning",
        meaning="The newest event that this projection has folded is older than 4 hours, longer than the usual "
        "schedule is ever silent.",
        action="messwerk status tells whether the log goes on: if it does, see why folding stands; else start the "
        "daemon.",
        pending_s=600,
    ),
    Alert(
        id="calibration-off",
        title="Calibration error over its bound",
        query="alert-calibration",
        over_s=24 * _HOUR_S,
        comparison="above",
        bound=0.0,
        severity="warning",
        meaning="A median of the newest calibration is wrong by more than 2 % or 2 ms.",
        action="Find what keeps the measuring machine busy, or measure on a quieter one.",
    ),
    Alert(
        id="slots-missed",
        title="Slots missed",
        query="alert-slots-missed",
        over_s=24 * _HOUR_S,
        comparison="above",
        bound=0.0,
        severity="warning",
        meaning="Nobody was there to run these slots: the daemon, or its machine, stood still.",
        action="Read the daemon's log from that time; daemon-stopped and daemon-started events say when.",
    ),
)
