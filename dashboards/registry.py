"""Every dashboard there is, in the order of the navigation; a new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dashboards.accounts import ACCOUNTS
from dashboards.cost_and_quality import COST_AND_QUALITY
from dashboards.endpoint import ENDPOINT
from dashboards.instrument import INSTRUMENT
from dashboards.overview import OVERVIEW
from dashboards.panels import Dashboard
from dashboards.rubrics_and_reviews import RUBRICS_AND_REVIEWS
from dashboards.service_levels import SERVICE_LEVELS

DASHBOARDS: Final[Mapping[str, Dashboard]] = {
    dashboard.id: dashboard
    for dashboard in (OVERVIEW, ENDPOINT, ACCOUNTS, COST_AND_QUALITY, RUBRICS_AND_REVIEWS, SERVICE_LEVELS, INSTRUMENT)
}
