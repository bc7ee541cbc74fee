"""The terminal that a command was started in, for sittings in which a person judges."""

from __future__ import annotations

import click

from daemon.cli.case_wording import printable


class Prompting:
    """A :class:`daemon.terminal.Terminal`. Control characters of a text would rewrite it, so none is shown."""

    def show(self, text: str) -> None:
        """See :class:`daemon.terminal.Terminal`."""
        click.echo("\n".join(printable(line.expandtabs()) for line in text.split("\n")))

    def ask(self, question: str) -> str | None:
        """See :class:`daemon.terminal.Terminal`."""
        try:
            said: str = click.prompt(question, default="", show_default=False)
        except (click.Abort, EOFError):
            click.echo()
            return None
        return said
