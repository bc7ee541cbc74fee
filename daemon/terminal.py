"""The seam between what a person is asked and where that person sits."""

from __future__ import annotations

from typing import Protocol


class Terminal(Protocol):
    """Where a person sits."""

    def show(self, text: str) -> None:
        """Show lines."""

    def ask(self, question: str) -> str | None:
        """Ask for a line; None where no more will come."""
