"""What ``messwerk review run`` tells people when it ends early."""

from __future__ import annotations

import shlex

from daemon.cli.review_records import export_command
from daemon.cli.review_running import unfinished_told


def test_the_command_that_is_told_after_an_early_end_can_be_given() -> None:
    """The export that a broken-off run names has every option that the command requires, and another file's name."""
    told = unfinished_told("trial")
    name, *arguments = shlex.split(told.split("`")[1])[2:]
    context = export_command.make_context(name, arguments)
    assert (name, context.params["record"]) == ("export", "trial")
    assert context.params["output"].name != "trial.json"
