"""A command group whose ``--help`` says of each command a whole sentence, on as many lines as it needs."""

from __future__ import annotations

from typing import Final

import click

_LONGEST: Final = 400
"""Characters of a command's first sentence; click's own help breaks it off at the end of one line."""


class ToldInFull(click.Group):
    """Lists its commands in the order they were added, each with the whole first sentence of its docstring."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """Return the commands' names in the order they were added."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each command's name and first sentence."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        told = [(name, each.get_short_help_str(_LONGEST)) for name, each in commands if each and not each.hidden]
        if told:
            with formatter.section("Commands"):
                formatter.write_dl(told)
