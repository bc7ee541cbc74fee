"""``messwerk rubric``: expert tasks graded by rubrics; each command is a module of its own."""

from __future__ import annotations

import click

from daemon.cli.groups import ToldInFull
from daemon.cli.rubric_approving import approve
from daemon.cli.rubric_judging import judge
from daemon.cli.rubric_linting import lint
from daemon.cli.rubric_report import report_command
from daemon.cli.rubric_running import run


@click.group(cls=ToldInFull)
def rubric() -> None:
    """Expert tasks graded by rubrics: how much was right, and whether what decides was right."""


rubric.add_command(lint)
rubric.add_command(approve)
rubric.add_command(run)
rubric.add_command(judge)
rubric.add_command(report_command)
