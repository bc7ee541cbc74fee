"""Statements for each layout: golden text; that the engine's parser takes it is held beside the store's contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from projections.attempt_table import ATTEMPTS
from projections.checkpoints import CHECKPOINTS
from projections.layout import Layout
from projections.tables import create_statement

GOLDEN = Path(__file__).parent
LAYOUTS = {
    "single": Layout(),
    "cluster": Layout(database="lab", cluster="main-1", replicated=True),
    "replicated-database": Layout(database="lab", replicated=True),
}


def statements(layout: Layout) -> Iterator[str]:
    yield layout.create_database()
    yield create_statement(CHECKPOINTS, layout=layout)
    yield create_statement(ATTEMPTS, "attempts_rebuilt", layout).split("\n(\n")[0]
    yield layout.exchange("attempts", "attempts_rebuilt")
    yield layout.rename("attempts_rebuilt", "attempts_before")
    yield layout.truncate("attempts")
    yield layout.delete("checkpoints", "projection = 'attempts'")
    yield layout.drop("attempts_before")
    yield layout.create_claim("claim_migration_0", "it's held")
    yield layout.renew_claim("claim_migration_0", "it's held")


@pytest.mark.parametrize("name", LAYOUTS)
def test_statements_are_the_golden_ones(name: str) -> None:
    """Each layout's statements are those of its golden file, to the letter."""
    assert ";\n".join(statements(LAYOUTS[name])) + ";\n" == (GOLDEN / f"layout-{name}.sql").read_text("utf-8")
