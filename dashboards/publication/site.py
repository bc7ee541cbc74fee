"""A snapshot as files: the same rows and the same moment give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping

from dashboards.publication.contract import Snapshot
from dashboards.publication.data_files import data_files
from dashboards.publication.endpoint_page import endpoint_page
from dashboards.publication.index_page import index_page
from dashboards.publication.methodology_page import methodology_page
from dashboards.publication.wording import file_name


def rendered(snapshot: Snapshot) -> Mapping[str, bytes]:
    """Make every file of a snapshot, by name, in the order of names."""
    found = {
        "index.html": index_page(snapshot),
        "methodology.html": methodology_page(snapshot),
        **{file_name(name): endpoint_page(snapshot, name) for name in snapshot.endpoints},
        **data_files(snapshot),
    }
    return dict(sorted(found.items()))
