"""From pairs of one endpoint's accounts over a window to everything that is compared. Pure: no log, no clock.

The unit is the run. Requests of one run share its moment and its load, so ten parallel ones are not ten
observations: a run enters each metric with one value, the median log-ratio of its pairs, or the sign of the
difference between its requests of a kind. Ratios are the other account's value over the primary account's: above
one, the other account waits longer; in output speed, below one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args
from uuid import UUID

from daemon.integrity.compared import Compared
from daemon.integrity.pairs import ALL_WORKLOADS, Metric, Pair
from daemon.integrity.parameters import IntegrityParameters
from daemon.integrity.quantities import QUANTITIES, compare_quantity
from daemon.integrity.shares import compare_share


def compare(pairs: Iterable[Pair], parameters: IntegrityParameters) -> tuple[Compared, ...]:
    """Compare every metric over pairs of one endpoint and window, in a fixed order of metrics."""
    runs: defaultdict[UUID, list[Pair]] = defaultdict(list)
    # runs of one moment need an order, too: without it the parts of a window would depend on the order given
    for pair in sorted(pairs, key=lambda p: (p.at_ns, p.run, p.ordinal)):
        runs[pair.run].append(pair)
    by_run = list(runs.values())
    metrics: tuple[Metric, ...] = get_args(Metric)
    return tuple(
        (compare_quantity if metric in QUANTITIES else compare_share)(metric, by_run, parameters)
        for metric in metrics
    )


def compare_workloads(
    pairs: Mapping[str, Sequence[Pair]], parameters: IntegrityParameters
) -> dict[str, tuple[Compared, ...]]:
    """Compare each workload of one endpoint over one window, and all of them together as ``ALL_WORKLOADS``.

    Ratios of different workloads may be pooled because each pair is its own control. Together they show within
    three days what each alone is too short for.
    """
    each = {workload: compare(own, parameters) for workload, own in pairs.items()}
    if len(pairs) > 1:
        each[ALL_WORKLOADS] = compare([pair for own in pairs.values() for pair in own], parameters)
    return each
