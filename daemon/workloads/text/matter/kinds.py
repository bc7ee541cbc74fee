"""Every generator of matter. A new kind is one module and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from daemon.workloads.text.matter import (
    catalogue,
    clauses,
    code,
    interviews,
    letters,
    logs,
    minutes,
    series,
    tables,
    timetables,
)
from daemon.workloads.text.matter.contract import Maker, MatterKind

MAKERS: Final[Mapping[MatterKind, Maker]] = MappingProxyType(
    {
        "minutes": minutes.make,
        "log": logs.make,
        "table": tables.make,
        "letters": letters.make,
        "code": code.make,
        "series": series.make,
        "clauses": clauses.make,
        "catalogue": catalogue.make,
        "interview": interviews.interview,
        "timetable": timetables.make,
        "diary": interviews.diary,
    }
)
"""All kinds but ``article``, in a fixed order, since draws depend on it."""
