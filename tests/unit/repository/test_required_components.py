"""A missing real component: skipped visibly on a desk, failed where nothing may be missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
CONFTEST = REPOSITORY / "tests" / "conftest.py"


@pytest.mark.parametrize(
    ("require", "outcome"), [("", "1 skipped"), ("1", "1 error")], ids=["on a desk", "where all is required"]
)
def test_a_test_without_its_browser(tmp_path: Path, require: str, outcome: str) -> None:
    """With no Chromium on the path a test that needs it is skipped, or fails under MESSWERK_REQUIRE_REAL=1."""
    shutil.copy(CONFTEST, tmp_path)
    (tmp_path / "test_page.py").write_text(
        "import pytest\n\n@pytest.mark.chromium\ndef test_page():\n    raise AssertionError('it ran')\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = chromium\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PATH": str(tmp_path), "PYTHONPATH": str(REPOSITORY), "MESSWERK_REQUIRE_REAL": require},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome in done.stdout
    assert "it ran" not in done.stdout
