"""What ``--help`` lists: every command, in whole sentences."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from daemon.cli import COMMANDS, cli


def groups() -> Iterator[tuple[str, ...]]:
    """Yield the words of every group of commands."""
    yield ()
    context = click.Context(cli)
    for name in COMMANDS:
        if isinstance(cli.get_command(context, name), click.Group):
            yield (name,)


@pytest.mark.parametrize("words", list(groups()), ids=" ".join)
def test_no_sentence_is_broken_off(words: tuple[str, ...]) -> None:
    """On a terminal of 80 columns each command's sentence stands whole, on as many lines as it needs."""
    shown = CliRunner().invoke(cli, [*words, "--help"], terminal_width=80).output
    listed = shown.partition("Commands:\n")[2]
    assert listed
    assert "..." not in listed
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_commands_come_in_the_order_in_which_they_are_declared() -> None:
    """The list begins with what a newcomer needs first, not with what comes first in the alphabet."""
    shown = CliRunner().invoke(cli, ["--help"]).output.partition("Commands:\n")[2]
    names = [line.split()[0] for line in shown.splitlines() if line.startswith("  ") and line[2] != " "]
    assert names == list(COMMANDS)
