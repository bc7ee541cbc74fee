"""``messwerk office``: the office tasks; each command is a module of its own."""

from __future__ import annotations

import click

from daemon.cli.groups import ToldInFull
from daemon.cli.office_generating import generate
from daemon.cli.office_inspecting import inspect
from daemon.cli.office_running import rejudge, run
from daemon.cli.office_scoring import score


@click.group(cls=ToldInFull)
def office() -> None:
    """Invoices, e-mails and personal data: right answers, and what they cost."""


office.add_command(generate)
office.add_command(inspect)
office.add_command(rejudge)
office.add_command(run)
office.add_command(score)
