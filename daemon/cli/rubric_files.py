"""How the commands of ``messwerk rubric`` are given a catalogue, and how they read it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from daemon.workloads.rubric.starter import STARTER

F = TypeVar("F", bound=Callable[..., object])


class CatalogueFolder(click.ParamType[Path]):
    """A folder; ``starter`` is the one that comes along, unless a folder here is called so."""

    name = "catalogue"

    def convert(self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the folder; a value that is none is wrong usage."""
        folder = STARTER if str(value) == "starter" and not Path(value).is_dir() else Path(value)
        if folder.is_dir():
            return folder
        return self.fail(f"{value} is no folder; name one that holds catalogue.toml, or say starter", param, ctx)


def catalogue_argument(function: F) -> F:
    """Take ``CATALOGUE``, a folder, as ``catalogue``."""
    return click.argument("catalogue", type=CatalogueFolder())(function)
