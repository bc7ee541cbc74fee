"""What the tasks say, read from ``wordings.toml``: for each kind several openings, lengths and short reminders."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

import msgspec


class Wording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts of one kind of task; the slots in braces are filled by ``tasks.assign``.

    lengths: how long the answer should be; left out where the file's common ``lengths`` serve.
    """

    openings: tuple[str, ...]
    reminders: tuple[str, ...]
    lengths: tuple[str, ...] = ()


class Wordings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file.

    readers: for whom an answer is meant; languages: into which is translated; lengths: the common statements of
    length; forms: per kind of task, what exactly is to be made.
    """

    readers: tuple[str, ...]
    languages: tuple[str, ...]
    lengths: tuple[str, ...]
    forms: dict[str, tuple[str, ...]]
    wordings: dict[str, Wording]


WORDINGS: Final = msgspec.toml.decode((files("daemon.workloads.text") / "wordings.toml").read_bytes(), type=Wordings)
"""All of them."""
