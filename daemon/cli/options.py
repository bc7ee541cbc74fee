"""Options that several commands share, and how they find the configuration and the data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])


def config_option(function: F) -> F:
    """Take ``--config DIR``: the operator's configuration; without it the built-in reference endpoints are used."""
    option = click.option(
        "--config",
        "config_dir",
        type=click.Path(path_type=Path, file_okay=False),
        envvar="MESSWERK_CONFIG",
        show_envvar=True,
        help="Directory with the TOML files; without it, the built-in reference endpoints.",
    )
    return option(function)


def data_option(function: F) -> F:
    """Take ``--data DIR``: where log, blobs and tables lie; overrides ``data_dir`` of the configuration."""
    option = click.option(
        "--data",
        "data_dir",
        type=click.Path(path_type=Path, file_okay=False),
        envvar="MESSWERK_DATA",
        show_envvar=True,
        help="Directory of log, blobs and tables; overrides data_dir of the configuration.",
    )
    return option(function)


def json_option(function: F) -> F:
    """Take ``--json``: print for programs."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")(function)


def log_options(function: F) -> F:
    """Take ``--log-format`` and ``--log-level``: how this process tells what it does, on standard error."""
    function = click.option(
        "--log-level",
        type=click.Choice(["debug", "info", "warning", "error"]),
        default="info",
        show_default=True,
        envvar="MESSWERK_LOG_LEVEL",
        show_envvar=True,
        help="The least that is logged.",
    )(function)
    return click.option(
        "--log-format",
        type=click.Choice(["auto", "console", "json"]),
        default="auto",
        show_default=True,
        envvar="MESSWERK_LOG_FORMAT",
        show_envvar=True,
        help="auto: readable on a terminal, one JSON object a line elsewhere.",
    )(function)
