"""The built-in page: the dashboards drawn in a browser, served on loopback, with no request to any other host."""

from dashboards.page.application import make_page
from dashboards.page.contract import Ask, NextSlot, Surroundings
from dashboards.page.errors import PageError, PagePortError
from dashboards.page.server import PageServer, serve_page

__all__ = [
    "Ask",
    "NextSlot",
    "PageError",
    "PagePortError",
    "PageServer",
    "Surroundings",
    "make_page",
    "serve_page",
]
