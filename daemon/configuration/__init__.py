"""The operator's configuration: reading it, finding every mistake in it, and what follows from it.

``load`` reads a directory of TOML files, ``builtin`` stands in when there is none, ``catalogue`` is what the
log may know of it, and ``secrets`` holds the keys. Types of the tables are in :mod:`schemas.configuration`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path

from daemon.configuration.builtin import reference_configuration
from daemon.configuration.facts import catalogue, data_root
from daemon.configuration.problems import InvalidConfigurationError, Problem
from daemon.configuration.secrets import Secrets, secrets
from daemon.reference.endpoints import SIMULATED_BASE_URL
from daemon.workloads.contract import Workload
from schemas.configuration import Configuration

__all__ = [
    "InvalidConfigurationError",
    "Problem",
    "Secrets",
    "builtin",
    "catalogue",
    "data_root",
    "load",
    "secrets",
]


def load(
    directory: Path,
    env: Mapping[str, str] = os.environ,
    *,
    workloads: Mapping[str, Workload] | None = None,
    today: date | None = None,
    need_keys: bool = True,
) -> Configuration:
    """Read and check the configuration in ``directory``.

    ``env`` is where keys named by ``key_env`` are looked for, unless ``need_keys`` is false, which suits
    commands that send nothing; ``today`` is the UTC day whose prices the budget is
    checked against. Raises :class:`InvalidConfigurationError` with every mistake at once.
    """
    from daemon.configuration.loading import load_directory  # noqa: PLC0415  # spares others the workloads' import

    if workloads is None:
        workloads = _all_workloads()
    return load_directory(directory, env if need_keys else None, workloads, today or datetime.now(UTC).date())


def builtin(reference_base_url: str | None = None) -> Configuration:
    """Return the configuration that measures the reference endpoints served below ``reference_base_url``.

    Without an address the endpoints point to one that never answers, which suits a simulated transport.
    """
    return reference_configuration(reference_base_url or SIMULATED_BASE_URL)


def _all_workloads() -> Mapping[str, Workload]:
    from daemon.office.schedulable import schedulable  # noqa: PLC0415  # loads articles and the tokenizer

    return schedulable()
