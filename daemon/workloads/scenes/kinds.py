"""Every kind of scene. A new scene is one function and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from daemon.workloads.scenes import boards, charts, cities, drawings, floors, landscapes, maps, pages, screens
from daemon.workloads.scenes.canvas import Canvas
from daemon.workloads.seeding import Draws

SCENES: Final[Mapping[str, Callable[[Canvas, Draws], None]]] = MappingProxyType(
    {
        "bar-chart": charts.bars,
        "line-chart": charts.lines,
        "pie-chart": charts.pie,
        "landscape": landscapes.landscape,
        "city": cities.city,
        "floor-plan": floors.floor_plan,
        "street-map": maps.street_map,
        "technical-drawing": drawings.technical_drawing,
        "report-page": pages.report,
        "infographic": pages.infographic,
        "dashboard": screens.dashboard,
        "instrument-panel": screens.instruments,
        "board-game": boards.board_game,
    }
)
"""All kinds, in a fixed order, since draws depend on it."""
