"""How the office commands find the salt of the private third: in an environment variable, never among arguments."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import click

from daemon.workloads.office.streams import Salt

F = TypeVar("F", bound=Callable[..., object])

SALT_ENV = "MESSWERK_OFFICE_SALT"


def salt_option(function: F) -> F:
    """Take ``--salt-env NAME`` and pass on the salt that the variable holds, or None where it is not set."""
    return click.option(
        "--salt-env",
        "salt",
        default=SALT_ENV,
        show_default=True,
        metavar="NAME",
        callback=_salt,
        help="Environment variable with the salt of the private third.",
    )(function)


def _salt(_context: click.Context, _parameter: click.Parameter, name: str) -> Salt | None:
    value = os.environ.get(name)
    return None if not value else Salt(value)
