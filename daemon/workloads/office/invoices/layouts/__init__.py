"""The eight layouts. Each sets the same blocks on a page in its own way; none adds a value or leaves one out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from daemon.workloads.office.invoices.content import Content
from daemon.workloads.office.invoices.house import House
from daemon.workloads.office.invoices.layouts.banded import banded
from daemon.workloads.office.invoices.layouts.classic import classic
from daemon.workloads.office.invoices.layouts.compact import compact
from daemon.workloads.office.invoices.layouts.ledger import ledger
from daemon.workloads.office.invoices.layouts.letter import letter
from daemon.workloads.office.invoices.layouts.modern import modern
from daemon.workloads.office.invoices.layouts.sidebar import sidebar
from daemon.workloads.office.invoices.layouts.statement import statement
from daemon.workloads.office.invoices.sheet import Sheet
from daemon.workloads.office.invoices.typefaces import Family
from schemas.office import InvoiceLayout

Drawer = Callable[[Sheet, Content, House], None]

LAYOUTS: Mapping[InvoiceLayout, tuple[Family, Drawer]] = MappingProxyType(
    {
        "classic": ("fira", classic),
        "modern": ("lato", modern),
        "sidebar": ("barlow", sidebar),
        "letter": ("serif", letter),
        "ledger": ("mono", ledger),
        "compact": ("fira", compact),
        "banded": ("lato", banded),
        "statement": ("barlow", statement),
    }
)
"""Typeface and drawer of each."""
