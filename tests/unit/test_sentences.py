"""The house rule for tests themselves: each says in one sentence which behaviour it holds."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]


@pytest.mark.parametrize("path", sorted(TESTS.rglob("test_*.py")), ids=lambda path: str(path.relative_to(TESTS)))
def test_every_test_says_what_it_holds(path: Path) -> None:
    """Every test function has a docstring that ends like a sentence."""
    wordless = [
        f"line {function.lineno}: {function.name}"
        for function in functions(path)
        if not (ast.get_docstring(function) or "").strip().endswith((".", "?", "!"))
    ]
    assert not wordless, f"{path.name}: tests without a sentence: {wordless}"
