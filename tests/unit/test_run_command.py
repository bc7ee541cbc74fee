"""``messwerk run``: what it refuses before anything is opened or sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon.cli.configuration import init
from daemon.cli.run import run
from schemas.errors import ConfigurationError


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    directory = tmp_path / "configuration"
    assert CliRunner().invoke(init, [str(directory)]).exit_code == 0
    return directory


def refusal(*arguments: str) -> str:
    outcome = CliRunner().invoke(run, arguments)
    assert isinstance(outcome.exception, ConfigurationError), outcome.output
    return str(outcome.exception)


def test_an_unknown_workload_is_named_with_those_that_exist(examples: Path) -> None:
    """A workload that does not exist is a mistake of usage, and the message lists those that do."""
    assert "text-10k" in refusal("text-1m", "--config", str(examples))


def test_an_endpoint_that_is_not_enabled_is_named(examples: Path) -> None:
    """An endpoint that the configuration does not have, or has switched off, is refused by name."""
    assert "no enabled endpoint is called nobody" in refusal(
        "text-1k", "--config", str(examples), "--endpoint", "nobody"
    )


def test_without_a_configuration_nothing_is_run() -> None:
    """Runs by command measure the operator's own endpoints, so they need the operator's files."""
    assert "--config DIR" in refusal("text-1k")


def test_a_workload_that_no_scenario_fits_is_refused(examples: Path) -> None:
    """A cache is not measured with ten different requests at once, by command no more than by the schedule."""
    assert "which no cache could hold" in refusal("cache-hit", "--scenario", "parallel-10", "--config", str(examples))


@pytest.mark.parametrize(
    ("name", "command"),
    [("office", "messwerk office run --config"), ("office-email", "office run --task email --config")],
)
def test_office_tasks_have_a_command_of_their_own(name: str, command: str) -> None:
    """Whoever runs office tasks like a workload is told the command that does."""
    assert command in refusal(name)
