"""A small valid configuration on disk, and a way to change one thing in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

import msgspec
import pytest

from daemon.configuration import InvalidConfigurationError, Problem, load
from daemon.workloads.contract import Prompt, Workload
from schemas.configuration import Configuration

FILES = {
    "messwerk.toml": '[daemon]\nsource = "alpha"\nvantage = "eu-central"\n',
    "providers.toml": '[[provider]]\nname = "acme"\ntitle = "Acme"\nconcurrency = 4\n',
    "endpoints.toml": """
[[endpoint]]
name = "acme-small"
provider = "acme"
dialect = "openai-chat"
base_url = "https://api.acme.example/v1"
model = "small"
expected_seconds = 20

[[endpoint.price]]
valid_from = 2026-01-01
input_usd = 0.5
output_usd = 3

[[endpoint]]
name = "acme-eyes"
provider = "acme"
dialect = "openai-chat"
base_url = "https://api.acme.example/v1"
model = "eyes"
vision = true
expected_seconds = 20

[[endpoint.override]]
name = "temperature"
value = 0.7
source = "the developer's model card"
""",
    "accounts.toml": '[[account]]\nname = "acme-main"\nprovider = "acme"\nkey_env = "ACME_KEY"\n',
    "schedule.toml": '[[plan]]\nworkload = "text-1k"\nevery = "3h"\n\n[[plan]]\nworkload = "vision"\nevery = "3h"\n',
}
ENV = {"ACME_KEY": "acme-secret-0123456789"}
TODAY = date(2026, 11, 30)


class PlainWorkload(msgspec.Struct, frozen=True, kw_only=True):
    """Facts of a workload without its generator."""

    name: str
    suite: str = "performance"
    needs_vision: bool = False
    max_output_tokens: int
    nominal_input_tokens: int
    window_s: int = 259_200

    def prompts(self, seed: str) -> Sequence[Prompt]:
        raise AssertionError(f"a configuration is checked without making prompts, asked for {seed}")


WORKLOADS: Mapping[str, Workload] = {
    each.name: each
    for each in (
        PlainWorkload(name="text-1k", nominal_input_tokens=1_000, max_output_tokens=1_000),
        PlainWorkload(name="text-10k", nominal_input_tokens=10_000, max_output_tokens=1_500),
        PlainWorkload(name="text-100k", nominal_input_tokens=100_000, max_output_tokens=2_000),
        PlainWorkload(name="vision", nominal_input_tokens=1_000, max_output_tokens=1_000, needs_vision=True),
        PlainWorkload(name="reasoning", suite="reasoning", nominal_input_tokens=500, max_output_tokens=2_000),
        PlainWorkload(name="cache-hit", suite="cache", nominal_input_tokens=4_000, max_output_tokens=100),
    )
}


class Files:
    """The five files in a folder; ``replace`` changes one text in one of them."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.env = dict(ENV)
        for name, text in FILES.items():
            (directory / name).write_text(text)

    def replace(self, file: str, old: str, new: str) -> None:
        path = self.directory / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def append(self, file: str, text: str) -> None:
        with (self.directory / file).open("a") as stream:
            stream.write(text)

    def load(self) -> Configuration:
        return load(self.directory, self.env, workloads=WORKLOADS, today=TODAY)

    def problems(self) -> tuple[Problem, ...]:
        with pytest.raises(InvalidConfigurationError) as caught:
            self.load()
        return caught.value.problems

    def only_problem(self) -> str:
        (problem,) = self.problems()
        return str(problem)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Write the valid configuration."""
    return Files(tmp_path)


@pytest.fixture
def workload_facts() -> Mapping[str, Workload]:
    """Facts of the workloads, in round numbers."""
    return WORKLOADS


@pytest.fixture
def today() -> date:
    """Return the UTC day whose prices are in force."""
    return TODAY


@pytest.fixture
def only_problem_after(files: Files) -> Callable[[str, str, str], str]:
    """Change one text in one file and return the only mistake that follows."""

    def change(file: str, old: str, new: str) -> str:
        files.replace(file, old, new)
        return files.only_problem()

    return change
