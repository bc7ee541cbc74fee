"""The configured data set, with the private third where the environment has its salt."""

from __future__ import annotations

from collections.abc import Callable

from daemon.known_secrets import remember
from daemon.office.units import DataSet
from schemas.configuration import OfficeTable
from schemas.errors import ConfigurationError

Lookup = Callable[[str], str | None]
"""Value of an environment variable."""


def data_set(table: OfficeTable, lookup: Lookup) -> DataSet:
    """Return the configured data set; with a salt the private third too.

    Raises: ConfigurationError where the variable that is named holds none, or too short a one.
    """
    from daemon.workloads.office.documents import OfficeDataSet  # noqa: PLC0415  # loads fonts and drawing libraries
    from daemon.workloads.office.streams import Salt  # noqa: PLC0415  # the same

    if table.salt_env is None:
        return OfficeDataSet()
    value = lookup(table.salt_env)
    if not value:
        raise ConfigurationError(
            f"[office] salt_env names {table.salt_env}, and that environment variable is not set; put the private "
            "third's salt there, or take salt_env out to ask about the open documents alone"
        )
    remember(value)
    return OfficeDataSet(Salt(value))
