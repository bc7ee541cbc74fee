"""The choices that every dashboard offers, defined once so that links between dashboards can carry them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dashboards.panels import Variable, VariableName

VANTAGE: Final = Variable(name="vantage", title="Vantage point")
PROVIDER: Final = Variable(name="provider", title="Provider")
ENDPOINT: Final = Variable(name="endpoint", title="Endpoint")
ONE_ENDPOINT: Final = Variable(name="endpoint", title="Endpoint", required=True)
ACCOUNT: Final = Variable(name="account", title="Account", all_title="Measuring ones")
WORKLOAD: Final = Variable(name="workload", title="Workload", default="text-10k", required=True)
SCENARIO: Final = Variable(name="scenario", title="Scenario", default="single", required=True)
BOUNDS: Final = Variable(name="bounds", title="Bounds", choices=("within", "out", "unknown"))
"""Verdicts of the calibrations that attempts were measured under; taken by the tables of medians alone."""
LATENCY_OBJECTIVE: Final = Variable(
    name="objective",
    title="TTFT objective",
    default="2",
    required=True,
    choices=("0.5", "1", "2", "5", "10", "30"),
    unit="s",
)
OFFICE_TASK: Final = Variable(name="task", title="Task", choices=("invoice", "email", "personal"))
DOCUMENT_LANGUAGE: Final = Variable(name="language", title="Language", choices=("cs", "en"))
CATALOGUE: Final = Variable(name="catalogue", title="Catalogue of tasks")
TEXT_LANGUAGE: Final = Variable(name="text_language", title="Language", choices=("de", "en"))
"""Of expert tasks and of reviewed texts; another name than that of documents, whose choices are others."""
STANDING: Final = Variable(
    name="standing", title="Second reading", all_title="Read ones", choices=("read", "example", "unread")
)
"""Whether a second expert had read a task; what nobody has read stays out unless it is chosen."""

COMMON: Final = (VANTAGE, PROVIDER, ENDPOINT, ACCOUNT, WORKLOAD, SCENARIO)
ABOUT_ONE_ENDPOINT: Final = (VANTAGE, ONE_ENDPOINT, ACCOUNT, WORKLOAD, SCENARIO)

ALL_FILTERS: Final[Mapping[str, VariableName]] = {
    "vantage": "vantage",
    "provider": "provider",
    "endpoint": "endpoint",
    "account": "account",
    "workload": "workload",
    "scenario": "scenario",
}
"""Binding of a query that takes every common filter."""

ENDPOINT_FILTERS: Final[Mapping[str, VariableName]] = {
    "vantage": "vantage",
    "endpoint": "endpoint",
    "account": "account",
    "workload": "workload",
    "scenario": "scenario",
}
"""The same where the endpoint already says who provides it."""


def without(binding: Mapping[str, VariableName], *names: str) -> Mapping[str, VariableName]:
    """Return the binding without some parameters, which then mean "all"."""
    return {name: variable for name, variable in binding.items() if name not in names}
