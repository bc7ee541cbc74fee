"""The files that `messwerk init` writes: valid, complete in what they show, and in step with the code."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from daemon.configuration import load
from daemon.configuration.builtin import DEFAULT_PLANS
from daemon.configuration.examples import example_files, write_examples
from daemon.configuration.loading import MAIN_TABLES
from daemon.configuration.report import report
from daemon.workloads.contract import Workload
from schemas.configuration import Configuration

PUBLIC_PROVIDERS = {
    "openai",
    "anthropic",
    "google",
    "mistral",
    "deepseek",
    "xai",
    "groq",
    "together",
    "fireworks",
    "openrouter",
    "azure",
}


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """Write the examples into a folder."""
    write_examples(tmp_path / "messwerk")
    return tmp_path / "messwerk"


def load_examples(directory: Path, workload_facts: Mapping[str, Workload], **env: str) -> Configuration:
    """Load what was written."""
    return load(directory, env, workloads=workload_facts)


def test_the_examples_pass_the_check_without_any_key(examples: Path, workload_facts: Any, today: Any) -> None:
    """Right after init nothing is wrong, nothing is enabled, and the only note says what to do next."""
    found = report(load_examples(examples, workload_facts), workload_facts, today)
    assert found.requests_per_day == 0
    assert [note for note in found.notes if "set enabled = true in endpoints.toml" in note] == list(found.notes)


def test_the_examples_cover_the_large_public_providers(examples: Path, workload_facts: Any) -> None:
    """Each large provider has an endpoint with a dated, sourced price and an account whose key is a variable."""
    configuration = load_examples(examples, workload_facts)
    assert {endpoint.provider for endpoint in configuration.endpoints} >= PUBLIC_PROVIDERS
    assert {account.provider for account in configuration.accounts if account.key_env} == PUBLIC_PROVIDERS
    assert all(endpoint.price and endpoint.price[0].source for endpoint in configuration.endpoints)
    assert not any(endpoint.enabled for endpoint in configuration.endpoints)


def test_enabled_examples_need_nothing_but_their_keys(examples: Path, workload_facts: Any) -> None:
    """Switching every example on and giving each variable a key is a valid configuration that fits its schedule."""
    path = examples / "endpoints.toml"
    path.write_text(path.read_text().replace("enabled = false", "enabled = true"))
    variables = re.findall(r'^key_env = "(\w+)"', (examples / "accounts.toml").read_text(), re.MULTILINE)
    configuration = load_examples(examples, workload_facts, **dict.fromkeys(variables, "a-key-of-some-length"))
    assert all(endpoint.enabled for endpoint in configuration.endpoints)


def test_the_example_schedule_is_the_builtin_one(examples: Path, workload_facts: Any) -> None:
    """schedule.toml says what the daemon does without any files."""
    assert load_examples(examples, workload_facts).plans == DEFAULT_PLANS


def test_every_setting_is_shown_with_its_default() -> None:
    """Commented settings of messwerk.toml are all there is, each with its default where there is one."""
    uncommented = re.sub(r"^# (?=\w+ = |\[\w+\.\w+\]$)", "", example_files()["messwerk.toml"], flags=re.MULTILINE)
    document = tomllib.loads(uncommented)
    assert set(document) == set(MAIN_TABLES)
    for name, kind in MAIN_TABLES.items():
        shown = document[name]
        fields = {field.name: field.default for field in msgspec.structs.fields(kind)}
        assert set(shown) == set(fields), name
        settled = {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in fields.items()
            if value is not None and value is not msgspec.NODEFAULT
        }
        assert {key: shown[key] for key in settled} == settled, name


def test_an_existing_file_is_left_alone(tmp_path: Path) -> None:
    """Files that are there are kept byte for byte, the missing ones are written beside them."""
    (tmp_path / "schedule.toml").write_text("# mine\n")
    result = write_examples(tmp_path)
    assert result.kept == ("schedule.toml",)
    assert set(result.written) == set(example_files()) - {"schedule.toml"}
    assert (tmp_path / "schedule.toml").read_text() == "# mine\n"
