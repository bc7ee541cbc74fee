"""What is wrong with a configuration: every mistake as data with its place, and the one error that lists them.

Finding mistakes happens in the sibling modules; nothing here reads files. A message never holds a value that
could be a secret; the modules that make messages see to that through :mod:`daemon.configuration.secrecy`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from schemas.errors import ConfigurationError


class Place(msgspec.Struct, frozen=True):
    """Where in the files something stands.

    table: dotted name such as ``endpoint.price``; None for the file as a whole.
    index: position, from 1, of each array of tables on the way; empty for a plain table such as ``[limits]``.
    """

    file: str
    table: str | None = None
    index: tuple[int, ...] = ()

    def nested(self, table: str, index: int) -> Place:
        """Place of an array's element one level below."""
        return Place(self.file, table if self.table is None else f"{self.table}.{table}", (*self.index, index))


class Problem(msgspec.Struct, frozen=True):
    """One mistake: where it stands, and what was expected there."""

    file: str
    table: str | None
    index: tuple[int, ...]
    field: str | None
    message: str

    def __str__(self) -> str:
        """``endpoints.toml, [[endpoint]] 3, field "base_url": expected …``."""
        parts = [self.file]
        if self.table is not None and not self.index:
            parts.append(f"[{self.table}]")
        elif self.table is not None:
            names = self.table.split(".")
            parts += [f"[[{'.'.join(names[: n + 1])}]] {position}" for n, position in enumerate(self.index)]
        if self.field is not None:
            parts.append(f'field "{self.field}"')
        return f"{', '.join(parts)}: {self.message}"


class Problems:
    """Collects mistakes while the checks go on, so that one run shows all of them."""

    def __init__(self, files: Sequence[str]) -> None:
        """Report in the order of ``files``."""
        self._files = files
        self._found: list[Problem] = []

    def add(self, place: Place, field: str | None, message: str) -> None:
        """Note one mistake."""
        problem = Problem(place.file, place.table, place.index, field, message)
        if problem not in self._found:
            self._found.append(problem)

    def __len__(self) -> int:
        """Count of mistakes so far."""
        return len(self._found)

    def raise_if_any(self, where: str) -> None:
        """Raise :class:`InvalidConfigurationError` when anything was noted; ``where`` names the directory."""
        if self._found:
            raise InvalidConfigurationError(where, sorted(self._found, key=self._position))

    def _position(self, problem: Problem) -> tuple[int, tuple[int, ...]]:
        known = problem.file in self._files
        return (self._files.index(problem.file) if known else -1, problem.index)


class InvalidConfigurationError(ConfigurationError):
    """A configuration with mistakes; ``problems`` holds every one of them, in the order of the files."""

    def __init__(self, where: str, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        lines = "\n".join(f"  {problem}" for problem in self.problems)
        noun = "mistake" if count == 1 else "mistakes"
        super().__init__(
            f"the configuration in {where} cannot be used:\n{lines}\n{count} {noun}; nothing was started"
        )
