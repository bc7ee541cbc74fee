"""The commented files that ``messwerk init`` writes, and the writing; an existing file is never touched."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import msgspec

from daemon.configuration.loading import FILES
from schemas.errors import ConfigurationError


class Written(msgspec.Struct, frozen=True):
    """Which files were written, and which were there before and were left alone."""

    written: tuple[str, ...]
    kept: tuple[str, ...]


def example_files() -> Mapping[str, str]:
    """Text of every file by its name."""
    folder = files(__name__)
    return {name: folder.joinpath(name).read_text(encoding="utf-8") for name in FILES}


def write_examples(directory: Path) -> Written:
    """Write the files that are not there yet. Raises :class:`ConfigurationError` when a folder cannot be written."""
    written: list[str] = []
    kept: list[str] = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in example_files().items():
            try:
                with (directory / name).open("x", encoding="utf-8") as stream:
                    stream.write(text)
            except FileExistsError:
                kept.append(name)
            else:
                written.append(name)
    except OSError as problem:
        raise ConfigurationError(
            f"cannot write examples into {directory}: {problem.strerror or problem}"
        ) from problem
    return Written(tuple(written), tuple(kept))
