"""Everything that a schedule can plan: the workloads whose prompts come from a seed, and the office tasks."""

from __future__ import annotations

from collections.abc import Mapping

from daemon.office.plans import office_plans
from daemon.workloads.contract import Workload
from daemon.workloads.registry import workloads


def schedulable() -> Mapping[str, Workload]:
    """Return them by name, in the order in which they are shown."""
    return {**workloads(), **office_plans()}
