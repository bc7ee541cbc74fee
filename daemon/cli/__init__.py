"""The command line: ``messwerk COMMAND``. One module a command group, loaded when it is called.

This package alone may import the other sides. It prints, and turns errors into exit codes: 0 done, 1 found
problems, 2 wrong usage or configuration.
"""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import version

import click

from daemon.cli.groups import ToldInFull
from daemon.known_secrets import mask_crashes, masked
from schemas.errors import MesswerkError

COMMANDS: dict[str, str] = {
    "up": "daemon.cli.up:up",
    "daemon": "daemon.cli.up:daemon",
    "kafka": "daemon.cli.kafka:kafka",
    "import": "daemon.cli.importing:command",
    "init": "daemon.cli.configuration:init",
    "check": "daemon.cli.configuration:check",
    "run": "daemon.cli.run:run",
    "prompt": "daemon.cli.prompt:prompt",
    "log": "daemon.cli.log:log",
    "alive": "daemon.cli.alive:alive",
    "backup": "daemon.cli.backup:backup",
    "restore": "daemon.cli.backup:restore",
    "status": "daemon.cli.tables:status",
    "rebuild": "daemon.cli.tables:rebuild",
    "tables": "daemon.cli.tidying:tables",
    "integrity": "daemon.cli.integrity:integrity",
    "recompute": "daemon.cli.recompute:command",
    "query": "daemon.cli.tables:query",
    "publish": "daemon.cli.publish:publish",
    "project": "daemon.cli.project:project",
    "page": "daemon.cli.page:page",
    "quarantine": "daemon.cli.quarantine:quarantine",
    "dashboards": "daemon.cli.dashboards:dashboards",
    "alerts": "daemon.cli.alerts:alerts",
    "demo": "daemon.cli.demo:demo",
    "calibrate": "daemon.cli.calibrate:calibrate",
    "reference": "daemon.cli.reference:reference",
    "office": "daemon.cli.office:office",
    "cost": "daemon.cli.cost:cost",
    "rates": "daemon.cli.rates:rates",
    "review": "daemon.cli.review:review",
    "rubric": "daemon.cli.rubric:rubric",
}
"""Every command and where it lives; a new command is one module and one line here."""


class _LazyCommands(ToldInFull):
    """Imports a command's module only when that command is asked for, so that ``--help`` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # the same
        target = COMMANDS.get(cmd_name)
        if target is None:
            return None
        module, attribute = target.split(":")
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{target} is no click command")
        return command


@click.command(cls=_LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("messwerk"), prog_name="messwerk")
def cli() -> None:
    """Measure AI services and the models behind them, and keep every measurement as an immutable event."""


def main() -> None:
    """Run the command line; the console script's entry point."""
    mask_crashes()
    try:
        cli(standalone_mode=True)
    except MesswerkError as problem:
        # A service may have quoted the password that it was asked with.
        click.echo(masked(f"messwerk: {problem}"), err=True)
        sys.exit(problem.exit_code)
