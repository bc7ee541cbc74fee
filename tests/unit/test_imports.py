"""The arrows of the design: who may import whom. New modules and packages are covered as they appear."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# What each side may import of ours, besides itself. A prefix stands for everything below it.
ARROWS: dict[str, tuple[str, ...]] = {
    "schemas": (),
    "daemon": ("schemas",),
    "daemon.cli": ("schemas", "daemon", "projections", "dashboards"),
    "projections": ("schemas",),
    "dashboards": ("schemas", "projections.queries", "projections.errors"),  # what a query may raise is part of it
}

# Libraries that only certain packages may touch, so that what they do has one place.
KEEPERS: dict[str, tuple[str, ...]] = {
    "clickhouse_connect": ("projections.store",),
    "chdb": ("projections.store",),
    "sqlite3": ("daemon.log",),
}

# Inside the daemon only these may speak HTTP as a client; serving (aiohttp.web) is another matter.
HTTP_CLIENTS = ("daemon.transport", "daemon.reference", "daemon.simulation")


def below(name: str, prefix: str) -> bool:
    """Tell whether a dotted name is the prefix or lies below it."""
    return name == prefix or name.startswith(prefix + ".")


def sides() -> list[str]:
    """Every package at the root of the repository, apart from the tests."""
    return sorted(path.parent.name for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests")


def modules() -> dict[str, Path]:
    """Every module of ours by its dotted name."""
    found = {}
    for side in sides():
        for path in sorted((ROOT / side).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(source: str, module: str, *, is_package: bool) -> Iterator[str]:
    """Every name that a module's source imports, at its top or anywhere inside, with what it takes from it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".") if is_package else module.split(".")[:-1]
                base = ".".join([*package[: len(package) - node.level + 1], *([base] if base else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


MODULES = modules()
IMPORTS = {
    name: sorted(set(imports(path.read_text(encoding="utf-8"), name, is_package=path.name == "__init__.py")))
    for name, path in MODULES.items()
}


def violations(name: str, imported: list[str]) -> list[str]:
    """Find the imports that cross a side against the arrows."""
    own = max((side for side in ARROWS if below(name, side)), key=len)
    allowed = (own.split(".", maxsplit=1)[0], *ARROWS[own])
    ours = [one for one in imported if one.split(".")[0] in sides()]
    return [one for one in ours if not any(below(one, prefix) for prefix in allowed)]


def misplaced(name: str, imported: list[str]) -> list[str]:
    """Find the imports of libraries that belong to another package of ours."""
    found = []
    for one in imported:
        keepers = KEEPERS.get(one.split(".")[0])
        if keepers is not None and not any(below(name, keeper) for keeper in keepers):
            found.append(one)
        speaks_http = below(one, "aiohttp") and not below(one, "aiohttp.web")
        if speaks_http and below(name, "daemon") and not any(below(name, client) for client in HTTP_CLIENTS):
            found.append(one)
    return found


def test_every_side_has_its_arrows() -> None:
    """A new package at the root must say here what it may import."""
    assert set(sides()) == {name for name in ARROWS if "." not in name}


@pytest.mark.parametrize("name", MODULES)
def test_arrows(name: str) -> None:
    """The module imports of ours only what its side may."""
    assert violations(name, IMPORTS[name]) == []


@pytest.mark.parametrize("name", MODULES)
def test_libraries_have_their_keeper(name: str) -> None:
    """The module leaves databases and the HTTP client to the package that keeps them."""
    assert misplaced(name, IMPORTS[name]) == []


@pytest.mark.parametrize(
    ("module", "source", "wrong"),
    [
        ("schemas.x", "import daemon", ["daemon"]),
        ("schemas.x", "def f():\n    from projections.store import Store", ["projections.store.Store"]),
        ("daemon.runs.x", "from daemon.log import InlineLog\nfrom schemas import errors", []),
        ("daemon.runs.x", "import projections.runner as r", ["projections.runner"]),
        ("daemon.cli.up", "from projections.runner import Runner\nimport dashboards", []),
        ("projections.x", "from daemon.paths import DataPaths", ["daemon.paths.DataPaths"]),
        ("dashboards.x", "from projections.queries import named", []),
        ("dashboards.x", "from projections import queries", []),
        ("dashboards.x", "from projections.store import Store", ["projections.store.Store"]),
        (
            "daemon.log.x",
            "from ..wire import sse\nfrom . import blobs\nfrom ...projections import y",
            ["projections.y"],
        ),
    ],
)
def test_the_arrows_can_be_broken(module: str, source: str, wrong: list[str]) -> None:
    """A forbidden import is found wherever and however it is written, an allowed one is not."""
    assert violations(module, list(imports(source, module, is_package=False))) == wrong


@pytest.mark.parametrize(
    ("module", "source", "wrong"),
    [
        ("projections.runner", "import clickhouse_connect", ["clickhouse_connect"]),
        ("projections.store.child", "from chdb import _chdb", []),
        ("projections.storefront", "from chdb import _chdb", ["chdb._chdb"]),
        ("daemon.runs.x", "import aiohttp", ["aiohttp"]),
        ("daemon.runs.x", "from aiohttp import ClientSession", ["aiohttp.ClientSession"]),
        ("daemon.runs.x", "from aiohttp import web", []),
        ("daemon.transport.http", "import aiohttp", []),
        ("daemon.schedule.x", "import sqlite3", ["sqlite3"]),
    ],
)
def test_the_keepers_can_be_passed_by(module: str, source: str, wrong: list[str]) -> None:
    """A library used outside its keeper is found."""
    assert misplaced(module, list(imports(source, module, is_package=False))) == wrong


@pytest.mark.parametrize("side", sides())
def test_packages_are_ours(side: str) -> None:
    """Importing a side gives this repository's package, not another distribution's of that name."""
    file = importlib.import_module(side).__file__
    assert file is not None
    assert Path(file).resolve() == ROOT / side / "__init__.py"
