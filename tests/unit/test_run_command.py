"""``messwerk run`` before anything is opened: what it is asked for must exist."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon.cli.run import run
from schemas.errors import MesswerkError


def test_a_workload_that_does_not_exist_is_named_with_those_that_do(tmp_path: Path) -> None:
    """An unknown workload is refused with the known ones, and no log is touched."""
    arguments = ["text-2k", "--config", str(tmp_path), "--data", str(tmp_path / "data")]
    with pytest.raises(MesswerkError, match=r"text-2k.*text-10k"):
        CliRunner().invoke(run, arguments, catch_exceptions=False)
    assert not (tmp_path / "data").exists()
