"""Every workload by name. A new workload is one module and one line here.

``parallel-10`` is a way to run ``text-1k`` (a scenario), not a workload.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from daemon.workloads.cache_hit import CacheHitWorkload
from daemon.workloads.contract import Workload
from daemon.workloads.reasoning import ReasoningSet
from daemon.workloads.text.workload import TextWorkload
from daemon.workloads.vision import VisionWorkload
from schemas.errors import ConfigurationError

_HOUR_S = 3600
_DAY_S = 24 * _HOUR_S

_ALL: tuple[Workload, ...] = (
    TextWorkload(name="text-1k", nominal_input_tokens=1_000, min_output_tokens=1_000, window_s=72 * _HOUR_S),
    TextWorkload(name="text-10k", nominal_input_tokens=10_000, min_output_tokens=1_500, window_s=72 * _HOUR_S),
    TextWorkload(name="text-100k", nominal_input_tokens=100_000, min_output_tokens=2_000, window_s=14 * _DAY_S),
    VisionWorkload(name="vision", nominal_input_tokens=1_000, min_output_tokens=1_000, window_s=72 * _HOUR_S),
    ReasoningSet(name="reasoning", window_s=14 * _DAY_S),
    CacheHitWorkload(name="cache-hit", window_s=14 * _DAY_S),
)


@cache
def workloads() -> Mapping[str, Workload]:
    """Return all workloads by name, in the order in which they are shown."""
    return MappingProxyType({each.name: each for each in _ALL})


def workload(name: str) -> Workload:
    """Return one workload; a name that does not exist is a ConfigurationError that lists those that do."""
    found = workloads().get(name)
    if found is None:
        known = ", ".join(workloads())
        raise ConfigurationError(f"no workload is called {name!r}; there are: {known}")
    return found
