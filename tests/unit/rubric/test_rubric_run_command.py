"""What ``messwerk rubric run`` and ``judge --by`` refuse before anything is opened or sent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from made_rubric import write_catalogue

from daemon.cli.rubric import rubric
from schemas.errors import ConfigurationError

FILES = {
    "messwerk.toml": '[daemon]\nsource = "here"\nvantage = "here"\n',
    "providers.toml": '[[provider]]\nname = "p"\n',
    "accounts.toml": '[[account]]\nname = "p"\nprovider = "p"\nkeyless = true\n',
    "schedule.toml": "",
    "endpoints.toml": '[[endpoint]]\nname = "known"\nprovider = "p"\ndialect = "openai-chat"\nmodel = "m"\n'
    'base_url = "http://127.0.0.1:9/v1"\nreasoning = "none"\n',
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "CATALOGUE", "--endpoint", "known"], "`messwerk rubric run` works on your own endpoints' answers"),
        (["judge", "CATALOGUE", "--by", "known"], "`messwerk rubric judge --by` works on your own"),
        (["run", "CATALOGUE", "--endpoint", "other", "--config", "FILES"], "no enabled endpoint is called other"),
        (["judge", "CATALOGUE", "--by", "other", "--config", "FILES"], "no enabled endpoint is called other"),
        (["run", "FILES", "--endpoint", "known", "--config", "FILES"], "there is no catalogue.toml"),
    ],
)
def test_what_cannot_work_is_said_at_once(tmp_path: Path, arguments: Sequence[str], message: str) -> None:
    """Without a configuration, an endpoint or a catalogue nothing is opened, and the message says what to do."""
    files = tmp_path / "files"
    files.mkdir()
    for name, text in FILES.items():
        (files / name).write_text(text)
    places = {"CATALOGUE": str(write_catalogue(tmp_path / "tasks")), "FILES": str(files)}
    command = [places.get(word, word) for word in arguments]
    refused = CliRunner().invoke(rubric, [*command, "--data", str(tmp_path / "data")]).exception
    assert isinstance(refused, ConfigurationError)
    assert message in str(refused)
    assert not (tmp_path / "data").exists()
