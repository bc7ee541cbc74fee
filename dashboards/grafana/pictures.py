"""Which kind of picture is drawn how; one function a kind, in the modules that this one calls.

What is common to all panels (place, description, links) is put around a picture by ``dashboard``.
"""

from __future__ import annotations

from dashboards.grafana.bar_pictures import bars, columns, histogram
from dashboards.grafana.distribution_picture import distribution
from dashboards.grafana.picture import Picture
from dashboards.grafana.read_pictures import table, table_titles, tiles
from dashboards.grafana.time_pictures import states, time_series
from dashboards.panels import Bars, Columns, Distribution, Histogram, Panel, States, Table, Tiles, TimeSeries
from projections.queries.contract import NamedQuery


def pictured(  # noqa: PLR0911  # one case a kind of picture
    panel: Panel, query: NamedQuery, steady: frozenset[str]
) -> Picture:
    """Draw a panel; ``steady`` labels have one value on the whole dashboard and name nothing apart."""
    drawn = panel.visualisation
    match drawn:
        case Tiles():
            return tiles(drawn, query)
        case Table():
            return table(drawn, panel, query)
        case TimeSeries():
            return time_series(drawn, query, steady)
        case Bars():
            return bars(drawn, query, steady)
        case Columns():
            return columns(drawn, query)
        case States():
            return states(drawn)
        case Histogram():
            return histogram(drawn)
        case Distribution():
            return distribution(drawn, query)


def title_of(panel: Panel, column: str) -> str:
    """Name that a column bears in Grafana, for the links that point at it."""
    if isinstance(panel.visualisation, Table):
        return table_titles(panel.visualisation, panel).get(column, column)
    return column
