"""Rebuilding a prompt from its facts, and the command that shows it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from daemon.cli.prompt import prompt as prompt_command
from daemon.workloads.rebuild import RebuildError, rebuild
from daemon.workloads.registry import workloads
from schemas.events.runs import PromptFacts


@pytest.mark.parametrize("name", list(workloads()))
def test_facts_rebuild_the_same_bytes(name: str) -> None:
    """From facts that went through JSON and back the very prompt is rebuilt, text and pictures."""
    sent = workloads()[name].prompts("rebuild")[-1]
    facts = msgspec.json.decode(msgspec.json.encode(sent.facts), type=PromptFacts)
    assert rebuild(facts) == sent


def test_another_version_is_refused() -> None:
    """Facts of another version of the generator are refused with both versions named."""
    facts = workloads()["text-1k"].prompts("version")[0].facts
    with pytest.raises(RebuildError, match=r"version 1 .*version 99"):
        rebuild(msgspec.structs.replace(facts, generator_version=99))


def test_another_hash_is_refused() -> None:
    """Facts whose hash does not fit what is made are refused with both hashes."""
    facts = workloads()["text-1k"].prompts("hash")[0].facts
    with pytest.raises(RebuildError, match=f"{facts.sha256}.*{'0' * 64}"):
        rebuild(msgspec.structs.replace(facts, sha256="0" * 64))


def test_the_command_writes_what_was_sent(tmp_path: Path) -> None:
    """The files that ``messwerk prompt`` writes have, one after the other, the hash that the facts tell."""
    result = CliRunner().invoke(prompt_command, ["vision", "--seed", "shown", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    facts = msgspec.json.decode((tmp_path / "01.facts.json").read_bytes(), type=PromptFacts)
    written = (tmp_path / "01.txt").read_bytes() + (tmp_path / "01-1.png").read_bytes()
    assert hashlib.sha256(written).hexdigest() == facts.sha256


def test_the_command_prints_text_and_facts() -> None:
    """Without a directory the text goes to standard output and the facts to standard error."""
    result = CliRunner().invoke(prompt_command, ["text-1k", "--seed", "shown"])
    text = workloads()["text-1k"].prompts("shown")[0].text
    assert result.stdout == f"{text}\n"
    assert '"seed":"shown"' in result.stderr
