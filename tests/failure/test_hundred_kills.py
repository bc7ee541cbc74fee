"""How many kills the tests of this folder add up to; it runs last, and only when all of them ran."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

PARTS = ("daemon", "forwarder", "projection", "tables")
HERE = Path(__file__).parent


def test_the_suite_kills_a_hundred_times(kills: Counter[str], request: pytest.FixtureRequest) -> None:
    """Living processes of every part were killed with SIGKILL, at least a hundred times over the suite."""
    print(f"kills: {dict(kills)}")
    ran = {item.path for item in request.session.items}
    # What takes minutes runs by itself, and kills nobody.
    killing = [path for path in HERE.glob("test_*.py") if "mark.minutes" not in path.read_text(encoding="utf-8")]
    if missing := sorted(path.name for path in killing if path not in ran):
        pytest.skip(f"kills are counted when the whole folder is run; now without {', '.join(missing)}")
    assert kills.total() >= 100, kills
    assert min(kills[part] for part in PARTS) >= 5, kills
