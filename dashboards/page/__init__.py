"""The built-in page: the dashboards drawn in a browser, served on loopback, with no request to any other host."""

from dashboards.page.application import make_page
from dashboards.page.contract import Ask, NextSlot, PlayedHistory, Surroundings, no_history
from dashboards.page.errors import PageError, PagePortError
from dashboards.page.server import PageServer, serve_page

__all__ = [
    "Ask",
    "NextSlot",
    "PageError",
    "PagePortError",
    "PageServer",
    "PlayedHistory",
    "Surroundings",
    "make_page",
    "no_history",
    "serve_page",
]
