"""Every kind of scene. A new scene is one function and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from daemon.workloads.scenes import charts, outdoors, pages, plans
from daemon.workloads.scenes.canvas import Canvas
from daemon.workloads.seeding import Draws

SCENES: Final[Mapping[str, Callable[[Canvas, Draws], None]]] = MappingProxyType(
    {
        "bar-chart": charts.bars,
        "line-chart": charts.lines,
        "pie-chart": charts.pie,
        "landscape": outdoors.landscape,
        "city": outdoors.city,
        "floor-plan": plans.floor_plan,
        "street-map": plans.street_map,
        "technical-drawing": plans.technical_drawing,
        "report-page": pages.report,
        "infographic": pages.infographic,
        "dashboard": pages.dashboard,
        "instrument-panel": pages.instruments,
        "board-game": pages.board_game,
    }
)
"""All kinds, in a fixed order, since draws depend on it."""
