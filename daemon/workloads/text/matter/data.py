"""Reads the lists of words and sentences that lie beside these modules as TOML."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

import msgspec

_FOLDER: Final = "daemon.workloads.text.matter"


def read(name: str) -> bytes:
    """Read a data file of this package by its path without the ending."""
    return (files(_FOLDER) / f"{name}.toml").read_bytes()


def load_lists(name: str) -> dict[str, tuple[str, ...]]:
    """Read a file of named lists."""
    return msgspec.toml.decode(read(name), type=dict[str, tuple[str, ...]])


def load_words(name: str) -> dict[str, tuple[str, ...]]:
    """Read a file of named texts, each a list of words separated by white space."""
    return {key: tuple(text.split()) for key, text in msgspec.toml.decode(read(name), type=dict[str, str]).items()}
